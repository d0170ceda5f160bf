package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Hidden takes the place of a secret.
const Hidden = "[secret]"

// Secrets are texts that a client has sent and that must not get into its errors and logs, although a server may repeat them: tokens,
// passwords, codes. It holds the latest ones, is empty at first, and is safe for concurrent use. A nil list can be read, and is empty.
type Secrets struct {
	mu    sync.Mutex
	texts []string   // the latest ones last, each with its spellings
	lists []*Secrets // whose texts are secrets, too
}

// The limits of Secrets.
const (
	leastSecret = 6        // bytes; shorter ones are not secrets, and may be part of any word
	longest     = 16 << 10 // bytes; of longer ones the beginning is hidden
	mostSecrets = 192      // texts
	mostLists   = 16
)

// Add adds texts.
func (s *Secrets) Add(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		text = text[:min(len(text), longest)]
		if len(text) < leastSecret || slices.Contains(s.texts, text) {
			continue
		}
		text = strings.Clone(text)                     // which may be part of a message
		quoted := string(wire.AppendString(nil, text)) // what forms, URLs, JSON, JSON pointers and base64 write in more than one way is found by unescape
		for _, spelling := range []string{text, url.QueryEscape(text), url.PathEscape(text), quoted[1 : len(quoted)-1], violation.Escape(text), unescape(text),
			base64.RawStdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text))} {
			if !slices.Contains(s.texts, spelling) {
				s.texts = append(s.texts, spelling)
			}
		}
	}
	if more := len(s.texts) - mostSecrets; more > 0 {
		s.texts = slices.Delete(s.texts, 0, more)
	}
}

// AddHeader adds the secrets in the headers of a request: those of Authorization, and the values of headers whose names speak of keys,
// tokens, passwords and the like.
func (s *Secrets) AddHeader(h http.Header) {
	for name, values := range h {
		s.addField(name, values)
	}
}

// addField adds the secrets in the values of a header.
func (s *Secrets) addField(name string, values []string) {
	if !confidential(name) {
		return
	}
	for _, value := range values {
		s.addCredentials(name, value)
	}
}

// confidential reports whether the values of a header are secrets.
func confidential(name string) bool {
	if name == "Accept" || name == "Content-Type" {
		return false // without a copy in lower case, since each request has them
	}
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "mcp-") || strings.HasPrefix(name, "sec-") || strings.HasPrefix(name, ":") {
		return false // what messages, handshakes and the URL say
	}
	return slices.ContainsFunc([]string{"auth", "cookie", "dpop", "key", "token", "secret", "password"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// addCredentials adds what is secret of the value of a header.
func (s *Secrets) addCredentials(name, value string) {
	switch scheme, rest, some := strings.Cut(value, " "); {
	case strings.EqualFold(name, "Cookie"):
		for pair := range strings.SplitSeq(value, ";") {
			_, value, _ := strings.Cut(pair, "=")
			s.Add(strings.TrimSpace(value))
		}
	case !some:
		s.Add(value)
	case strings.EqualFold(scheme, "Basic"):
		s.Add(rest)
		pair, _ := base64.StdEncoding.DecodeString(rest)
		_, password, _ := strings.Cut(string(pair), ":")
		plain, _ := url.QueryUnescape(password) // RFC 6749 section 2.3.1
		s.Add(password, plain)
	default:
		s.Add(strings.TrimSpace(rest))
	}
}

// Include adds the texts of another list, also those that are added to it later.
func (s *Secrets) Include(list *Secrets) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s != list && !slices.Contains(s.lists, list) && len(s.lists) < mostLists {
		s.lists = append(s.lists, list)
	}
}

// Empty reports whether there are no secrets.
func (s *Secrets) Empty() bool { return len(s.all()) == 0 }

// all returns all texts.
func (s *Secrets) all() knownTexts {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	texts, lists := slices.Clone(s.texts), slices.Clone(s.lists)
	s.mu.Unlock()
	for _, list := range lists {
		list.mu.Lock() // lists have no lists of their own
		texts = append(texts, list.texts...)
		list.mu.Unlock()
	}
	return texts
}

// Hide returns a text of a server without secrets, also if it writes them with the escapes of JSON, URLs or HTML. Then the result is the
// text without its escapes.
func (s *Secrets) Hide(text string) string { return s.all().sort().hide(text) }

// HideCut is Hide for a text from which something was cut off, at its end and before each mark: there a beginning of a secret, of 6 bytes or more, is hidden,
// too.
func (s *Secrets) HideCut(text, mark string) string {
	k := s.all().sort()
	return k.hideBy(text, func(text string) string {
		text = k.replace(text)
		if mark != "" {
			for at := 0; ; at += len(mark) {
				next := strings.Index(text[at:], mark)
				if next < 0 {
					break
				}
				begin := k.withoutBeginning(text[:at+next])
				text, at = begin+text[at+next:], len(begin)
			}
		}
		return k.withoutBeginning(text)
	})
}

// withoutBeginning hides the beginning of a secret at the end of a text, which may end within an escape.
func (k knownTexts) withoutBeginning(text string) string {
	const escape = 6 // bytes, of JSON
	for _, end := range []int{len(text), strings.LastIndexAny(text, `\%&`)} {
		if end < 0 || len(text)-end > escape {
			continue
		}
		for _, secret := range k {
			at := max(0, end-len(secret)+1)
			for next := 0; next >= 0; at += next + 1 {
				if next = strings.Index(text[at:end], secret[:leastSecret]); next >= 0 && strings.HasPrefix(secret, text[at+next:end]) {
					return text[:at+next] + Hidden
				}
			}
		}
	}
	return text
}

// knownTexts are the texts of a list at one time.
type knownTexts []string

// sort returns the texts, long ones first: short ones may be a part of them.
func (k knownTexts) sort() knownTexts {
	slices.SortFunc(k, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return k
}

// hide is [Secrets.Hide] for sorted texts.
func (k knownTexts) hide(text string) string { return k.hideBy(text, k.replace) }

// hideBy replaces secrets in a text and in what it is without its escapes.
func (k knownTexts) hideBy(text string, replace func(string) string) string {
	const nested = 3 // such as JSON in a text of JSON
	if len(k) == 0 || text == "" {
		return text
	}
	text = replace(text)
	plain := text
	for range nested {
		next := unescape(plain)
		if next == plain {
			break
		}
		if plain = replace(next); plain != next {
			text = plain
		}
	}
	return text
}

// replace replaces all secrets in a text, also one that is cut off.
func (k knownTexts) replace(text string) string {
	const head = 32 // bytes, after which a part of a secret is one
	for _, secret := range k {
		start := secret[:min(len(secret), head)]
		at := strings.Index(text, start)
		if at < 0 {
			continue
		}
		var b strings.Builder
		for ; at >= 0; at = strings.Index(text, start) {
			b.WriteString(text[:at])
			b.WriteString(Hidden)
			text = text[at+common(text[at:], secret):]
		}
		b.WriteString(text)
		text = b.String()
	}
	return text
}

// common returns the length of the common beginning of two texts.
func common(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// HideJSON returns JSON of a server without secrets in its strings and the names of its members. It stays valid.
func (s *Secrets) HideJSON(text []byte) []byte {
	k := s.all().sort()
	if plain := string(text); k.hide(plain) == plain {
		return text
	}
	var out []byte
	for len(text) > 0 {
		at := bytes.IndexByte(text, '"')
		if at < 0 {
			break
		}
		out = append(out, text[:at]...)
		n := literal(text[at:])
		value, ok := wire.PeekAt(text[at : at+n]).Text()
		if !ok { // it is not JSON
			value = string(text[at : at+n])
		}
		if hidden := k.hide(value); hidden != value {
			out = wire.AppendString(out, hidden)
		} else {
			out = append(out, text[at:at+n]...)
		}
		text = text[at+n:]
	}
	return append(out, text...)
}

// literal returns the length of the string of JSON that b begins with.
func literal(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// HideErrors returns a message of JSON-RPC without secrets, if it is an error or a batch with one: other results are data.
func (s *Secrets) HideErrors(msg []byte) []byte {
	if s.Empty() {
		return msg
	}
	p := wire.PeekAt(msg)
	fails := p.Has("error")
	for e := range p.Elements() {
		fails = fails || e.Has("error")
	}
	if fails {
		return s.HideJSON(msg)
	}
	return msg
}

// HideError returns err with a text without secrets.
func (s *Secrets) HideError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	hidden := s.Hide(text)
	if hidden == text {
		return err
	}
	if e, ok := err.(*url.Error); ok {
		return &url.Error{Op: e.Op, URL: s.Hide(e.URL), Err: s.HideError(e.Err)}
	}
	return &hiddenError{err, hidden}
}

// hiddenError is an error with a text without secrets.
type hiddenError struct {
	error
	text string
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.error }

// Excerpt returns the beginning of a body of a server, for errors.
func (s *Secrets) Excerpt(body []byte) string {
	const most = 64 << 10 // bytes
	text := strings.ToValidUTF8(strings.TrimSpace(string(body[:min(len(body), most)])), "?")
	return peerlog.Clip(s.Hide(text))
}

// Do sends a request, and adds its secrets to the list, also those that are added to the request on its way to the server, for instance by a client of OAuth.
func (s *Secrets) Do(by *http.Client, r *http.Request) (*http.Response, error) {
	watched := mayAdd(by, r)
	if !watched {
		s.AddHeader(r.Header)
	} else {
		ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaderField: s.addField})
		r = r.WithContext(context.WithValue(ctx, secretsKey{}, s))
	}
	resp, err := by.Do(r)
	if err == nil && !watched && resp.Request.URL.User != nil { // by a redirection
		s.AddHeader(resp.Request.Header)
	}
	return resp, s.HideError(err)
}

// mayAdd reports whether a client may add secrets to a request: those of its jar, of the URL, of a proxy, or of a transport that is not known. Watching the
// headers that are written takes two allocations for each of them.
func mayAdd(by *http.Client, r *http.Request) bool {
	if by.Jar != nil || r.URL.User != nil {
		return true
	}
	switch t := by.Transport.(type) {
	case *http.Transport:
		return t.Proxy != nil
	case *Transport:
		proxy, err := t.Proxy(r)
		return proxy != nil || err != nil
	}
	return true
}

type secretsKey struct{}

// SecretsFrom returns the list of [Secrets.Do], or an empty one.
func SecretsFrom(ctx context.Context) *Secrets {
	if s, ok := ctx.Value(secretsKey{}).(*Secrets); ok {
		return s
	}
	return new(Secrets)
}
