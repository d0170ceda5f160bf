package templates

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// initialisms are written in upper case as a whole; a schema adds its own with `go.initialisms`.
var initialisms = []string{"ID", "URI", "URL", "HTTP", "HTTPS", "JSON", "RPC", "MCP", "API", "SSE", "UUID", "UTF8"}

// namer derives Go identifiers from the names of a schema.
type namer struct{ initialisms []string }

func newNamer(own []string) namer {
	return namer{append(append([]string(nil), initialisms...), own...)}
}

// exported turns a name into an exported identifier, or "" if there is none. It is split at every
// character that is neither letter nor digit and where lower case turns upper, each word is capitalised, and initialisms
// are written in upper case. A name that is in upper case throughout is read as if it were in lower case: BLOCK_HASH is BlockHash.
// A name of signs alone is spelled: / is Slash.
func (n namer) exported(name string) string {
	var out strings.Builder
	all := words(name)
	if len(all) == 0 {
		all = words(spellMarks(name))
	}
	screams := screaming(name, len(all))
	for _, w := range all {
		if screams {
			w = strings.ToLower(w)
		}
		out.WriteString(n.word(w))
	}
	s := out.String()
	if first, _ := utf8.DecodeRuneInString(s); s != "" && !unicode.IsUpper(first) {
		return "X" + s // a digit, or a letter without case
	}
	return s
}

// shortestShout is from how many letters on a single word in upper case is a word, and no abbreviation.
const shortestShout = 5

// screaming reports whether a name is in upper case for its style, as BLOCK_HASH and ACTIVE are, and not because it is an abbreviation.
func screaming(name string, words int) bool {
	letters := 0
	for _, c := range name {
		if unicode.IsLower(c) || unicode.IsDigit(c) && words == 1 {
			return false
		}
		if unicode.IsUpper(c) {
			letters++
		}
	}
	return words > 1 && letters > words || letters >= shortestShout
}

// member is exported for the key of an object; of a key such as io.example/name only the last segment counts, and the sign of a number is a
// word.
func (n namer) member(key string) string {
	if sign := signOf(key); sign != "" {
		return sign + unmarked(n.exported(key))
	}
	if at := strings.LastIndexByte(key, '/'); at >= 0 {
		if s := n.exported(key[at+1:]); s != "" {
			return s
		}
	}
	return n.exported(key)
}

func (n namer) word(w string) string {
	for _, i := range n.initialisms {
		if strings.EqualFold(w, i) {
			return i
		}
		if one, several := strings.CutSuffix(w, "s"); several && strings.EqualFold(one, i) {
			return i + "s"
		}
	}
	first, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(first)) + w[size:]
}

func words(name string) []string {
	var all []string
	start := -1
	lower := false
	for i, c := range name {
		letter := text.IsWord(c)
		if start >= 0 && (!letter || lower && unicode.IsUpper(c)) {
			all = append(all, name[start:i])
			start = -1
		}
		if letter && start < 0 {
			start = i
		}
		lower = unicode.IsLower(c)
	}
	if start >= 0 {
		all = append(all, name[start:])
	}
	return all
}

// unexported turns an exported identifier into one that is not: ReportKeys into reportKeys, URLKeys into urlKeys.
func unexported(name string) string {
	runes := []rune(name)
	for i, c := range runes {
		if !unicode.IsUpper(c) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(c)
	}
	return string(runes)
}

// findAlike counts the names that become the same when they are not exported, such as URL and Url.
func (p *plan) findAlike() {
	names := map[string]bool{}
	for _, t := range p.types {
		names[t.name] = true
	}
	for _, t := range p.tools {
		names[t.name] = true
		for _, a := range t.asks {
			names[p.formName(t, a)] = true
		}
	}
	for _, r := range p.resources {
		names[r.name] = true
	}
	for _, o := range p.prompts {
		names[o.name] = true
	}
	p.alike = map[string]int{}
	for name := range names {
		p.alike[unexported(name)]++
	}
}

// hidden is the identifier of what belongs to something exported and is not exported itself: reportKeys for the Keys of Report.
// Where another name differs only in capitals, the name stays as it is: keysOfURL next to keysOfUrl.
func (p *plan) hidden(name, suffix string) string {
	if base := unexported(name); p.alike[base] < 2 {
		return base + suffix
	}
	return strings.ToLower(suffix) + "Of" + name
}
