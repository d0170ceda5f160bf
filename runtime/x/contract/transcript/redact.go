package transcript

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/secretname"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Redactor replaces secrets in messages by markers such as [redacted:1]. Equal secrets have equal numbers. A value is a secret if a member with a
// name such as password or token holds it, if it has the form of a token or key of a known kind, or if it stands in the environment. Once a value is
// known as a secret, it is replaced wherever it stands in later messages. A Redactor is not safe for concurrent use.
type Redactor struct {
	names   map[string]bool // of members, folded
	keep    map[string]bool
	judged  map[string]naming // names as they stand in messages
	clean   map[string]int    // short texts without secrets, as of that many learned ones
	numbers map[string]int
	count   int          // of values that were replaced
	known   []secretForm // what is looked for in texts, longest first
	aged    []string     // secrets that may be forgotten, the oldest first
	learned int
}

// secretForm is a form of a secret: as it is, or percent-encoded.
type secretForm struct{ form, secret string }

// RedactOptions say what is a secret, in addition to what always is.
type RedactOptions struct {
	Names   []string // of members whose values are secrets
	Keep    []string // names of members and of environment variables that hold no secrets
	Environ []string // NAME=VALUE; values of 12 bytes and more are secrets, except paths and what describes the terminal
}

const (
	leastEnviron = 12   // bytes of a value of the environment that is a secret
	leastKnown   = 6    // bytes of a secret that is looked for in texts
	mostKnown    = 1000 // forms of secrets that messages have shown; the oldest are forgotten
	mostNumbers  = 100_000
	shortText    = 64 // bytes of a text, such as a name, that probably comes again
)

// NewRedactor returns a Redactor.
func NewRedactor(o RedactOptions) *Redactor {
	r := &Redactor{names: make(map[string]bool), keep: make(map[string]bool), judged: make(map[string]naming), clean: make(map[string]int),
		numbers: make(map[string]int)}
	for _, name := range o.Names {
		r.names[secretname.Fold(name)] = true
	}
	for _, name := range o.Keep {
		r.keep[secretname.Fold(name)] = true
	}
	for _, one := range o.Environ {
		if name, value, ok := strings.Cut(one, "="); ok && !r.keep[secretname.Fold(name)] && secretVariable(name, value) {
			r.learn(value)
		}
	}
	r.aged = nil // those of the environment are never forgotten
	return r
}

// plainVariables begin the names of variables that hold no secrets.
var plainVariables = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(PATH|PWD|OLDPWD|HOME|SHELL|TERM.*|COLORTERM|LS_COLORS|LANG|LANGUAGE|LC_.*|XDG_.*|EDITOR|VISUAL|PAGER|LESS.*|GOFLAGS|GOPROXY|GOTOOLCHAIN|USER|LOGNAME|HOSTNAME|DISPLAY|TZ)$`)
})

// secretVariable reports whether the value of an environment variable is a secret.
func secretVariable(name, value string) bool {
	if len(value) < leastEnviron || plainVariables().MatchString(name) {
		return false
	}
	path := strings.HasPrefix(value, "/") || strings.HasPrefix(value, `\\`) || len(value) > 2 && value[1] == ':' && value[2] == '\\'
	return !path || secretname.Is(name)
}

// Count returns how many different values were replaced.
func (r *Redactor) Count() int { return r.count }

// naming says what the name of a member says about its value.
type naming int

const (
	isList naming = iota + 1 // texts are secrets, numbers are not
	isSecret
)

// naming returns what a name says.
func (r *Redactor) naming(name string) naming {
	n, judged := r.judged[name]
	if !judged {
		switch folded := secretname.Fold(name); {
		case r.keep[folded]:
		case r.names[folded], secretname.Is(name):
			n = isSecret
		case secretname.IsList(name):
			n = isList
		}
		if len(r.judged) < mostKnown {
			r.judged[name] = n
		}
	}
	return n
}

// secretName reports whether a member of a name holds a secret, whatever it is.
func (r *Redactor) secretName(name string) bool { return r.naming(name) == isSecret }

// shape is how tokens or keys of a kind look. The literal stands in each of them, in lower case.
type shape struct {
	literal string
	form    *regexp.Regexp // the first group, if there is one, is the secret
}

//go:embed secrets.txt
var secrets string

var shapes = sync.OnceValue(func() (all []shape) {
	for line := range strings.Lines(secrets) {
		if literal, form, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			all = append(all, shape{literal, regexp.MustCompile(form)})
		}
	}
	return all
})

// assignment finds a name and a value in plain text: `password: x`, `"token": "x"`, `api_key=x`, also where quotes are escaped. The value is in the
// first group that is not empty after that of the name.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([A-Za-z0-9_.-]*(?i:pass|pwd|secret|key|token|authorization|cookie|credential|signature|sig|verifier|assertion)[A-Za-z0-9_.-]*)\\*["']?\s*[:=]\s*` +
		`(?:"((?:[^"\\\r\n]|\\.){3,})"|'((?:[^'\\\r\n]|\\.){3,})'|\\*["']?((?:[^\s"',;&<>(){}\[\]\\]|\\[^"'])[^\s"',;&<>(){}\[\]\\]{2,}))`)
})

// schemes are the words before a secret in the header Authorization.
var schemes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:bearer|basic|token|digest|api-?key|key|negotiate|ntlm|hawk|hmac|aws4-hmac-sha256)$`)
})

// learn makes a value a known secret, and returns its number.
func (r *Redactor) learn(value string) {
	if len(value) < leastKnown || slices.Contains(r.known, secretForm{value, value}) {
		return
	}
	for len(r.known) > mostKnown && len(r.aged) > 0 {
		r.known = slices.DeleteFunc(r.known, func(k secretForm) bool { return k.secret == r.aged[0] })
		r.aged = r.aged[1:]
	}
	for _, form := range []string{value, url.QueryEscape(value), url.PathEscape(value)} {
		if one := (secretForm{form, value}); !slices.Contains(r.known, one) {
			r.known = append(r.known, one)
		}
	}
	r.aged = append(r.aged, value)
	r.learned++
	slices.SortStableFunc(r.known, func(a, b secretForm) int { return len(b.form) - len(a.form) })
}

// marker returns what takes the place of a secret.
func (r *Redactor) marker(value string) string {
	n := r.numbers[value]
	if n == 0 {
		if len(r.numbers) == mostNumbers {
			clear(r.numbers)
		}
		r.count++
		n = r.count
		r.numbers[value] = n
	}
	return fmt.Sprintf("[redacted:%d]", n)
}

// markers finds what takes the place of secrets.
var markers = regexp.MustCompile(`\[redacted:(\d{1,9})\]`)

// highestMarker returns the highest number of a marker in a text, or 0.
func highestMarker(text []byte) (highest int) {
	if !bytes.Contains(text, []byte("[redacted:")) {
		return 0
	}
	for _, found := range markers.FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(found[1]))
		highest = max(highest, n)
	}
	return highest
}

// Line returns a message without its secrets: the message itself if there is none. What is not JSON is read as text.
func (r *Redactor) Line(message []byte) []byte {
	if !json.Valid(message) {
		if out := r.text(string(message)); out != string(message) {
			return []byte(out)
		}
		return message
	}
	const passes = 4
	for i := 1; ; i++ {
		before := r.learned
		w := walk{r: r, in: message}
		w.value(place{})
		if r.learned == before || i == passes { // else a secret may stand before the member that has shown it
			return w.end()
		}
	}
}

// text returns a text without its secrets.
func (r *Redactor) text(s string) string {
	if trimmed := strings.TrimSpace(s); len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(s)) {
		w := walk{r: r, in: []byte(s)}
		w.value(place{})
		return string(w.end())
	}
	if n, ok := r.clean[s]; ok && n == r.learned {
		return s
	}
	out := r.hide(s)
	if out == s && len(s) <= shortText && len(r.clean) < mostKnown {
		r.clean[s] = r.learned
	}
	return out
}

// hide returns a text that is not JSON without its secrets.
func (r *Redactor) hide(s string) string {
	for _, one := range r.known {
		s = r.replaceWord(s, one)
	}
	lower := strings.ToLower(s)
	for _, one := range shapes() {
		if strings.Contains(lower, one.literal) {
			s = r.replace(s, one.form, func(found []string) string { return found[len(found)-1] })
		}
	}
	if strings.ContainsAny(s, ":=") {
		s = r.replace(s, assignment(), func(found []string) string {
			value := cmp.Or(found[2:]...)
			if !r.secretName(found[1]) || schemes().MatchString(value) {
				return ""
			}
			return value
		})
	}
	return s
}

// replace replaces the part of each match that secret returns; nothing, if that is empty.
func (r *Redactor) replace(s string, form *regexp.Regexp, secret func(found []string) string) string {
	return form.ReplaceAllStringFunc(s, func(match string) string {
		value := secret(form.FindStringSubmatch(match))
		if value == "" || markers.MatchString(value) {
			return match
		}
		r.learn(value)
		i := strings.LastIndex(match, value)
		return match[:i] + r.marker(value) + match[i+len(value):]
	})
}

// replaceWord replaces a secret where it is not part of a longer word.
func (r *Redactor) replaceWord(s string, k secretForm) string {
	var b strings.Builder
	for rest := s; ; {
		i := strings.Index(rest, k.form)
		if i < 0 {
			if b.Len() == 0 {
				return s
			}
			b.WriteString(rest)
			return b.String()
		}
		end := i + len(k.form)
		inWord := len(k.form) < leastEnviron && (i > 0 && wordByte(rest[i-1]) || end < len(rest) && wordByte(rest[end]))
		b.WriteString(rest[:i])
		if inWord {
			b.WriteString(k.form)
		} else {
			b.WriteString(r.marker(k.secret))
		}
		rest = rest[end:]
	}
}

// header returns the value of a header field without secrets. Arguments that are mirrored into headers may be coded as base64
// (basic/transports/streamable-http).
func (r *Redactor) header(name, value string) string {
	plain := value
	if coded, ok := strings.CutPrefix(value, "=?base64?"); ok {
		if b, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(coded, "?=")); err == nil {
			plain = string(b)
		}
	}
	switch hidden := r.text(plain); {
	case r.secretName(name) && !markers.MatchString(plain):
		r.learn(plain)
		return r.marker(plain)
	case hidden != plain:
		return hidden
	}
	return value
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// walk goes through valid JSON and copies it without its secrets.
type walk struct {
	r      *Redactor
	in     []byte
	at     int    // next byte to read
	copied int    // bytes of in that are in out, or that something in out takes the place of
	out    []byte // nil while nothing was replaced
}

// place is where a value stands.
type place struct {
	secret bool // a member whose name says that it is a secret
	list   bool // texts are secrets
	schema bool // the value is a map from names to schemas: the names of its members say nothing about their values
	names  bool // the same of a map from names to lists of names
}

// end returns the copy.
func (w *walk) end() []byte {
	if w.out == nil {
		return w.in
	}
	return append(w.out, w.in[w.copied:]...)
}

// put puts a text in the place of the bytes from start to the next one.
func (w *walk) put(start int, text string) {
	w.out = append(w.out, w.in[w.copied:start]...)
	coded, _ := json.Marshal(text) // of a string, there is no error
	w.out = append(w.out, coded...)
	w.copied = w.at
}

func (w *walk) space() { w.at = wire.Space(w.in, w.at) }

// value passes a value. The depth of valid JSON is bounded by package json.
func (w *walk) value(c place) {
	w.space()
	switch w.in[w.at] {
	case '{':
		w.object(c)
	case '[':
		w.array(c)
	case '"':
		w.text(c)
	default:
		w.scalar(c)
	}
}

// object passes an object. The value of a pair such as {"name": "X-Api-Key", "value": "..."} is a secret if the name says so, which may come after it:
// what follows the name of the value is passed again then.
func (w *walk) object(c place) {
	w.at++
	named, passed, o := false, walk{}, oauth{}
	for w.space(); w.in[w.at] != '}' || named && passed.at > 0; w.space() {
		if w.in[w.at] == '}' {
			w.at, w.copied, w.out, passed.at = passed.at, passed.copied, w.out[:len(passed.out)], 0
			w.value(place{secret: true})
			continue
		}
		if w.in[w.at] == ',' {
			w.at++
			continue
		}
		start := w.at
		name := w.string()
		if hidden := w.r.text(name); hidden != name {
			w.put(start, hidden)
		}
		w.space()
		w.at++ // the colon
		w.space()
		said := w.r.naming(name)
		inner := place{secret: c.secret || said == isSecret, list: c.list || said == isList, schema: jsonschema.KeywordOf(name).Holds == jsonschema.Map &&
			w.in[w.at] == '{', names: name == "dependentRequired"}
		if inner.schema || c.schema && w.in[w.at] == '{' || c.names && w.in[w.at] == '[' {
			inner.secret, inner.list = false, false
		}
		if name == "value" && !inner.secret {
			if inner.secret = named; !named {
				passed = *w
			}
		}
		begin := w.at
		w.value(inner)
		if text := w.in[begin:w.at]; text[0] == '"' && (name == "name" || name == "key" || name == "header") {
			named = named || w.r.secretName(unquote(text))
		}
		o.see(name, w.in[begin:w.at])
	}
	w.at++
	if o.asks && o.code != "" {
		w.r.learn(o.code)
	}
}

// oauth is what a request for a token is known by (RFC 6749 section 4.1.3, RFC 7636 section 4.5): the member code of such an object is a secret.
type oauth struct {
	asks bool
	code string
}

// see reads a member.
func (o *oauth) see(name string, value []byte) {
	if value[0] != '"' {
		return
	}
	switch name {
	case "code":
		o.code = unquote(value)
	case "code_verifier", "codeVerifier":
		o.asks = true
	case "grant_type", "grantType":
		o.asks = o.asks || unquote(value) == "authorization_code"
	}
}

// array passes an array. What follows an argument of a command such as "--password" is a secret.
func (w *walk) array(c place) {
	w.at++
	flag := false
	for w.space(); w.in[w.at] != ']'; w.space() {
		if w.in[w.at] == ',' {
			w.at++
			continue
		}
		begin := w.at // space was passed
		w.value(place{secret: c.secret || flag, list: c.list})
		text := w.in[begin:w.at]
		flag = text[0] == '"' && bytes.HasPrefix(text, []byte(`"-`)) && w.r.secretName(unquote(text))
	}
	w.at++
}

// string passes a string, and returns its value.
func (w *walk) string() string {
	start := w.at
	for w.at++; w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	return unquote(w.in[start:w.at])
}

// unquote returns the value of a string of valid JSON.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // the text is valid
	return s
}

// text passes a string that is a value.
func (w *walk) text(c place) {
	start := w.at
	s := w.string()
	switch {
	case !c.secret && !c.list:
		if hidden := w.r.text(s); hidden != s {
			w.put(start, hidden)
		}
	case s != "" && !markers.MatchString(s):
		w.r.learn(s)
		w.put(start, w.r.marker(s))
	}
}

// scalar passes a number or a name. Numbers may be secrets.
func (w *walk) scalar(c place) {
	start := w.at
	for w.at < len(w.in) && strings.IndexByte(",]} \t\r\n", w.in[w.at]) < 0 {
		w.at++
	}
	switch s := string(w.in[start:w.at]); {
	case s == "true" || s == "false" || s == "null":
	case c.secret:
		w.r.learn(s)
		w.put(start, w.r.marker(s))
	default:
		if hidden := w.r.text(s); hidden != s {
			w.put(start, hidden)
		}
	}
}
