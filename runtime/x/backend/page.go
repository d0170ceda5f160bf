package backend

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/seal"
)

// continues puts the cursor of a call into its query.
func (c *Client) continues(q *request, principal string) error {
	p := q.call.Page
	if p == nil {
		return nil
	}
	q.at = p.First
	if q.cursor == "" {
		return nil
	}
	field := q.call.cursorField()
	switch p.By {
	case "link":
		query, ok := c.openLink(q.call, principal, q.cursor)
		if !ok {
			return invalid(field, "cursor", "the value that the last call gave")
		}
		q.query.b = []byte(query)
	case "offset", "page":
		n, err := strconv.Atoi(q.cursor)
		if err != nil || n < 0 || strconv.Itoa(n) != q.cursor {
			return invalid(field, "cursor", "the value that the last call gave")
		}
		q.at = n
		q.query.pair(q.query.escapeName(p.Param), q.cursor)
	default:
		q.query.pair(q.query.escapeName(p.Param), q.cursor)
	}
	return nil
}

func (c *Call) cursorField() string {
	for _, p := range c.Input {
		if p.In == "cursor" {
			return p.Field
		}
	}
	return ""
}

// sealedLink is what a cursor made of a link holds: for which tool and principal, and the query.
func sealedLink(call *Call, principal, query string) []byte {
	return []byte(strconv.Quote(call.Tool) + strconv.Quote(principal) + query)
}

// openLink returns the query that a cursor holds. It is one that this client made, for the same tool and principal.
func (c *Client) openLink(call *Call, principal, cursor string) (string, bool) {
	b, ok := seal.Open(c.opts.CursorKeys, cursor)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(string(b), string(sealedLink(call, principal, "")))
}

// next returns the cursor of the next call; it is empty at the end of the list.
func (c *Client) next(q *request, a *answer, root, items wire.Peek, principal string) string {
	p := q.call.Page
	if p == nil {
		return ""
	}
	if more := c.path(p.More).find(root); p.More != "" && string(more.JSON()) != "true" {
		return ""
	}
	switch p.By {
	case "link":
		link := linkNext(a.header.Values("Link"))
		if p.From != "" {
			link, _ = c.path(p.From).find(root).Text()
		}
		return c.sealLink(q, link, principal)
	case "cursor":
		text, ok := scalar(c.path(p.From).find(root))
		if !ok {
			return ""
		}
		return text
	}
	count := items.Len(1 << 30)
	if count == 0 || p.More == "" && q.size > 0 && count < q.size {
		return ""
	}
	if p.By == "page" {
		count = 1
	}
	return strconv.Itoa(q.at + count)
}

// sealLink makes a cursor of the query of a link, which must lead to the same origin and to the same list. Only the query is used: the next call
// has the path of this one.
func (c *Client) sealLink(q *request, link, principal string) string {
	if link == "" {
		return ""
	}
	u, err := q.url.Parse(link)
	if err != nil || !sameOrigin(u, q.url) || !sameList(q.call.Path, q.url.EscapedPath(), u.EscapedPath()) || u.User != nil {
		return ""
	}
	var kept []string
	secrets := q.secrets()
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err = url.QueryUnescape(name); err == nil && name != "" && !c.secretParam(name) &&
			secrets.Hide(pair) == pair { // a cursor is signed, and not encrypted
			kept = append(kept, pair)
		}
	}
	return seal.Seal(c.opts.CursorKeys[0], sealedLink(q.call, principal, strings.Join(kept, "&")))
}

// sameList reports whether a link leads to the list that was called: its path is the one called, or another name of it, as with APIs that
// say /repositories/7/issues for /repos/o/r/issues. Such a name ends as the template does, and is not the template with other values.
func sameList(template, called, linked string) bool {
	if called == linked {
		return true
	}
	parts, own, other := strings.Split(template, "/"), strings.Split(called, "/"), strings.Split(linked, "/")
	last := parts[len(parts)-1]
	if last == "" || strings.Contains(last, "{") || other[len(other)-1] != last {
		return false
	}
	if len(own) != len(other) {
		return true
	}
	base := len(own) - len(parts) + 1 // segments of the server, whose path the template follows
	for i := range own {
		value := i >= base && i-base+1 < len(parts) && strings.Contains(parts[i-base+1], "{")
		if !value && own[i] != other[i] {
			return true
		}
	}
	return false
}

// secretParam reports whether a query parameter holds a credential.
func (c *Client) secretParam(name string) bool {
	return slices.ContainsFunc(c.api.Schemes, func(s Scheme) bool { return s.In == "query" && s.Param == name })
}

// linkNext returns the target with rel=next of headers Link (RFC 8288), or "".
func linkNext(headers []string) string {
	for _, h := range headers {
		for h != "" {
			start := strings.IndexByte(h, '<')
			if start < 0 {
				break
			}
			target, rest, ok := strings.Cut(h[start+1:], ">")
			if !ok {
				break
			}
			params, after := rest, ""
			if next := strings.Index(rest, ", <"); next >= 0 {
				params, after = rest[:next], rest[next:]
			} else if next := strings.Index(rest, ",<"); next >= 0 {
				params, after = rest[:next], rest[next:]
			}
			for param := range strings.SplitSeq(params, ";") {
				name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
				words := strings.Fields(strings.Trim(strings.TrimSpace(value), `",`))
				if strings.EqualFold(strings.TrimSpace(name), "rel") && slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, "next") }) {
					return target
				}
			}
			h = after
		}
	}
	return ""
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"https": "443", "http": "80"}[u.Scheme]
}
