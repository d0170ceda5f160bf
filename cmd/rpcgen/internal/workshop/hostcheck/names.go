package hostcheck

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/hosts"
)

// fold returns a name as hosts may compare it: in lower case, with an underscore for everything that is neither a letter nor a digit.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f {
			return r
		}
		return '_'
	}, strings.ToLower(name))
}

// fillers are words that a name loses first.
var fillers = []string{"a", "an", "and", "all", "any", "at", "by", "for", "from", "in", "into", "of", "on", "one", "or", "the", "to", "with"}

// shorten returns a name of at most so many characters: what is too long loses the fillers, then words from its middle, and at last characters at its end.
func shorten(name string, most int) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' || r == ':' || r == ' ' })
	joined := func() string { return strings.Join(words, "_") }
	cut := func(i int) { words = slices.Delete(words, i, i+1) }
	if len(joined()) > most {
		for i := len(words) - 2; i > 0; i-- {
			if slices.Contains(fillers, strings.ToLower(words[i])) {
				cut(i)
			}
		}
	}
	for len(words) > 2 && len(joined()) > most {
		cut(len(words) / 2)
	}
	short := joined()
	return strings.Trim(short[:min(len(short), max(most, 0))], "_")
}

// plainName returns a name of letters, digits and underscores that begins with a letter.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	plain := b.String()
	if plain != "" && plain[0] >= '0' && plain[0] <= '9' || strings.HasPrefix(plain, "-") {
		plain = "tool_" + plain
	}
	return plain
}

// suggest returns a name for a tool that all hosts take and no other tool has; empty if there is none.
func (r *run) suggest(name string) string {
	most := 128
	for _, h := range r.held {
		switch h.Key {
		case hosts.FullName:
			most = min(most, r.number(h)-(len(r.set.FullName(h.Host, r.list.Server, name))-len(name)))
		case hosts.NameBudget:
			most = min(most, r.number(h))
		}
	}
	fits := func(name string) bool {
		return !slices.ContainsFunc(r.held, func(h hosts.Held) bool { return h.Key == hosts.ToolName && !r.matches(h, name) })
	}
	for ; most > 0; most-- {
		short := plainName(shorten(plainName(name), most))
		if short == "" || len(short) > most || !fits(short) {
			continue
		}
		if short != name && !slices.Contains(r.names, short) {
			return short
		}
		for n := 2; n < 100; n++ {
			if numbered := short + "_" + strconv.Itoa(n); len(numbered) <= most && fits(numbered) && !slices.Contains(r.names, numbered) {
				return numbered
			}
		}
	}
	return ""
}

// rename is how a finding about a name is fixed: a person renames the tool, since models know its name.
func (r *run) rename(name string) string {
	if name == "" {
		return "give it a name"
	}
	if short := r.suggest(name); short != "" {
		return fmt.Sprintf("such as %s; models that know the old name have to learn the new one", short)
	}
	return "choose a shorter name for the server"
}
