package contract

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// revisionForm is what revisions of MCP look like.
var revisionForm = text.Pattern(`^\d{4}-\d{2}-\d{2}$`)

// tryBeginning looks at how a session begins.
func tryBeginning(r rig, s *session) {
	text := func(v *jsontree.Value) bool { return v.Is(jsontree.Text) }
	what := ""
	switch server := s.info.In("serverInfo"); {
	case !s.info.In("capabilities").Is(jsontree.Object):
		what = "no object `capabilities`"
	case stateless(s.revision):
	case !text(server.In("name")) || !text(server.In("version")):
		what = "no `serverInfo` with a name and a version"
	case !revisionForm().MatchString(s.revision):
		what = fmt.Sprintf("the protocol version %q, which is none", s.revision)
	}
	if what != "" {
		r.fact(nil, fault{check: "Capability", keyword: "initialize", severity: Error, message: "the first answer of the server has " + what})
	}
	if r.era == protocol.Handshake {
		r.probeIn(s, fault{check: "Capability", keyword: "ping"}, []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`},
			func(ctx context.Context, s *session) string {
				switch a := s.request(ctx, "ping", "", r.probeTimeout()); {
				case a.outcome == silent:
					r.pingless.Store(true)
					return "the server does not answer ping"
				case a.outcome == answered && a.result() == nil:
					return "the server does not know ping: " + a.says()
				}
				return ""
			})
	}
}

// entries looks at the form of what a list has.
func entries(r rig, member, key string, all []*jsontree.Value) {
	for _, e := range all {
		what := entryFault(member, key, e)
		if what == "" {
			continue
		}
		check := "Resource"
		if member == "tools" {
			check = "Schema"
		}
		r.fact(nil, fault{check: check, keyword: "entry", pointer: "/" + member, severity: Error, proof: ByProtocol, message: fmt.Sprintf("an entry of %s has %s: %s", member, what, clip(e.JSON(), 100))})
		return
	}
}

// entryFault says what is wrong with the form of an entry of a list; "" if nothing is.
func entryFault(member, key string, e *jsontree.Value) string {
	for _, name := range []string{"name", key} {
		if e.In(name).Str() == "" {
			return "no text `" + name + "`"
		}
	}
	for _, name := range []string{"description", "title", "mimeType"} {
		if v := e.In(name); v != nil && !v.Is(jsontree.Text) {
			return "a `" + name + "` that is not a text"
		}
	}
	hints := e.In("annotations")
	for _, name := range hints.Names() {
		if strings.HasSuffix(name, "Hint") && !hints.In(name).Is(jsontree.Boolean) {
			return "a `" + name + "` that is not a boolean"
		}
	}
	switch target := e.In(key).Str(); member {
	case "resources":
		if u, err := url.Parse(target); err != nil || u.Scheme == "" {
			return "a `uri` that is not one"
		}
	case "resourceTemplates":
		if template().ReplaceAllString(target, "") != target && strings.ContainsAny(template().ReplaceAllString(target, ""), "{}") || !strings.Contains(target, "{") && strings.Contains(target, "}") || strings.Count(target, "{") != strings.Count(target, "}") {
			return "a `uriTemplate` that is not one of RFC 6570"
		}
	case "prompts":
		args := e.In("arguments")
		if args != nil && !args.Is(jsontree.Array) {
			return "`arguments` that are not a list"
		}
		if args != nil && slices.ContainsFunc(args.Parts(), func(a *jsontree.Value) bool { return a.In("name").Str() == "" }) {
			return "an argument without a name"
		}
	}
	return ""
}

// template is an expression of a URI template.
var template = text.Pattern(`\{[^{}]+\}`)

// contentsFault says what is wrong with what was read of a resource; "" if nothing is. sent is the contents as they came.
func contentsFault(entry, contents, sent *jsontree.Value) (keyword, what string) {
	uri, mime := entry.In("uri").Str(), entry.In("mimeType").Str()
	shown, own := clip(uri, 80), false
	if len(contents.Items) == 0 {
		return "read", fmt.Sprintf("the resource %s is listed, and nothing is read", shown)
	}
	for i, c := range contents.Items {
		text, blob := sent.Items[i].In("text"), c.In("blob")
		data := []byte(text.Str())
		if blob.Is(jsontree.Text) {
			var err error
			if data, err = base64.StdEncoding.DecodeString(blob.Text); err != nil {
				return "blob", fmt.Sprintf("the resource %s is read as a `blob` that is not base64", shown)
			}
		} else if !text.Is(jsontree.Text) {
			return "contents", fmt.Sprintf("the resource %s is read without a text `text` or `blob`", shown)
		}
		got := c.In("mimeType").Str()
		own = own || strings.HasPrefix(plainURI(c.In("uri").Str()), plainURI(uri))
		if c.In("uri").Str() != uri {
			continue
		}
		size, sized := entry.In("size").Float()
		switch {
		case got != "" && mime != "" && got != mime:
			return "mimeType", fmt.Sprintf("the resource %s is listed as %s, and read as %s", shown, mime, got)
		case (got == "application/json" || got == "" && mime == "application/json") && !json.Valid(bytes.TrimSpace(data)):
			return "json", fmt.Sprintf("the resource %s is of the type application/json, and is not JSON: %s", shown, clip(string(data), 60))
		case sized && len(contents.Items) == 1 && int(size) != len(data):
			return "size", fmt.Sprintf("the resource %s is listed with a size of %v bytes, and read as %d", shown, size, len(data))
		}
	}
	if !own {
		return "uri", fmt.Sprintf("the resource %s is read with the uri %s", shown, clip(fmt.Sprintf("%q", contents.Items[0].In("uri").Str()), 80))
	}
	return "", ""
}

// plainURI is a URI in one of its spellings.
func plainURI(uri string) string {
	if u, err := url.PathUnescape(uri); err == nil {
		uri = u
	}
	return strings.ToLower(strings.TrimSuffix(uri, "/"))
}

// messagesFault says what is wrong with the result of a prompt; "" if nothing is.
func messagesFault(result *jsontree.Value) string {
	messages := result.In("messages")
	if !messages.Is(jsontree.Array) {
		return "no list `messages`"
	}
	for _, m := range messages.Items {
		if role := m.In("role").Str(); role != "user" && role != "assistant" {
			return fmt.Sprintf("a message of the role %q", role)
		}
		if !m.In("content").Is(jsontree.Object) {
			return "a message whose `content` is not a block"
		}
		if _, what := blockFault(m.In("content")); what != "" {
			return what
		}
	}
	return ""
}

// completions asks for values of the arguments of a prompt.
func completions(r rig, s *session, prompt *jsontree.Value) {
	args := prompt.In("arguments")
	if s.info.In("capabilities").In("completions") == nil || !args.Is(jsontree.Array) || len(args.Items) == 0 {
		return
	}
	params := `{"ref":{"type":"ref/prompt","name":` + prompt.In("name").JSON() + `},"argument":{"name":` + string(jsontree.AppendText(nil, args.Items[0].In("name").Str())) + `,"value":""}}`
	r.probeIn(s, fault{check: "Capability", keyword: "completion", severity: Error}, []string{string(s.text("1", "completion/complete", params))},
		func(ctx context.Context, s *session) string {
			result := s.request(ctx, "completion/complete", params, r.o.Timeout).result()
			values := result.In("completion").In("values")
			switch {
			case result == nil:
			case !values.Is(jsontree.Array) || slices.ContainsFunc(values.Parts(), func(v *jsontree.Value) bool { return !v.Is(jsontree.Text) }):
				return "a completion has no list of texts `values`: " + clip(result.JSON(), 100)
			case len(values.Items) > 100:
				return fmt.Sprintf("a completion has %d values", len(values.Items))
			}
			return ""
		})
}

// boundPairs are rules of which the first may not be above the second.
var boundPairs = [][2]string{{"minimum", "maximum"}, {"exclusiveMinimum", "maximum"}, {"minimum", "exclusiveMaximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}}

// contradiction says why no value fits what one schema says itself, or which member it requires that it does not describe.
func contradiction(v *jsontree.Value) (keyword, what string) {
	for _, pair := range boundPairs {
		low, one := v.In(pair[0]).Float()
		high, two := v.In(pair[1]).Float()
		if one && two && (low > high || low == high && strings.Contains(pair[0]+pair[1], "exclusive")) {
			return pair[0], fmt.Sprintf("says %s: %v and %s: %v, which no value fits", pair[0], low, pair[1], high)
		}
	}
	if choices := v.In("enum"); choices.Is(jsontree.Array) {
		kinds := v.In("type")
		fits := func(one *jsontree.Value) bool {
			kind := one.Kind.String()
			return kinds == nil || kinds.Kind != jsontree.Text || kinds.Text == kind || kinds.Text == "number" && one.Is(jsontree.Number)
		}
		if !slices.ContainsFunc(choices.Parts(), fits) {
			return "enum", "has an enum of which no value fits: " + clip(choices.JSON(), 60)
		}
	}
	properties := v.In("properties")
	if required := v.In("required"); required.Is(jsontree.Array) && properties.Is(jsontree.Object) && len(properties.Fields) > 0 {
		if slices.ContainsFunc(v.Names(), func(name string) bool { return name == "patternProperties" || jsonschema.KeywordOf(name).InPlace }) {
			return "", ""
		}
		for _, name := range required.Items {
			if properties.In(name.Str()) == nil && !v.In("additionalProperties").Is(jsontree.Object) {
				return "required", "requires " + name.Shown() + ", which is not one of its properties"
			}
		}
	}
	return "", ""
}

// version asks for a revision that does not exist.
func version(r rig) {
	if r.era != protocol.Handshake || !r.runs("Capability") {
		return
	}
	const nowhere = "1999-01-01"
	agrees := func(ctx context.Context) bool {
		s, err := r.handshake(ctx, protocol.Handshake, nowhere)
		if err != nil {
			return false
		}
		defer s.kill()
		return s.revision == nowhere
	}
	if agrees(r.ctx) {
		if one := r.suspect(nil, "", values.Break{}, fault{check: "Capability", keyword: "protocolVersion", message: "the server agrees to the revision " + nowhere + " of the protocol, which does not exist"}); one != nil {
			one.sent = []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + nowhere + `","capabilities":{},"clientInfo":{"name":"rpcgen verify","version":"1"}}}`}
			one.again = agrees
		}
	}
}

// tryUndeclared calls tools that ask the user as a client that cannot ask.
func tryUndeclared(r rig) {
	for _, t := range r.active() {
		if t.asking == "" || r.era != protocol.Handshake || !r.runs("Capability") {
			continue
		}
		asks := func(ctx context.Context) bool {
			s, err := r.handshakeAs(ctx, protocol.Handshake, r.revision, `{}`)
			if err != nil {
				return false
			}
			defer s.kill()
			r.invoke(ctx, s, t, t.asking, r.o.Timeout)
			return s.asks()
		}
		if asks(r.ctx) {
			if one := r.suspect(t, t.asking, values.Break{}, fault{check: "Capability", keyword: "client", severity: Error, message: t.name + " asks the user although the client has not declared elicitation"}); one != nil {
				one.again = asks
			}
		}
		return
	}
}

// siteSessions checks the sessions of a server over HTTP.
func siteSessions(r rig) {
	if _, http := r.conn.(*Site); r.plain || !http {
		return
	}
	served := func(ctx context.Context, s *session, more map[string]string) bool {
		return s.requestNamed(ctx, s.aliveMethod(), "", "", r.probeTimeout(), more).result() != nil
	}
	for _, one := range []struct {
		f    fault
		what string
		bad  func(ctx context.Context, s *session, p *posts) bool
	}{
		{fault{check: "Capability", keyword: "session"}, "a request of a session that the server has not begun is served", func(ctx context.Context, s *session, p *posts) bool {
			return p.session != "" && served(ctx, s, map[string]string{"Mcp-Session-Id": "rpcgen-none"})
		}},
		{fault{check: "Capability", keyword: "version header"}, "a request with the header MCP-Protocol-Version: 1999-01-01 is served", func(ctx context.Context, s *session, _ *posts) bool {
			return protocol.Of(s.revision).Header && served(ctx, s, map[string]string{"MCP-Protocol-Version": "1999-01-01"})
		}},
		{fault{check: "Content", keyword: "Content-Type"}, "an answer has another Content-Type than those of the protocol", func(ctx context.Context, s *session, p *posts) bool {
			served(ctx, s, nil)
			return p.kind() != ""
		}},
		{fault{check: "UseAfterDelete", keyword: "session", proof: ByProtocol}, "a session is served still after it was deleted", func(ctx context.Context, s *session, p *posts) bool {
			return p.session != "" && p.remove() < http.StatusBadRequest && served(ctx, s, nil)
		}},
	} {
		r.probe(one.f, nil, func(ctx context.Context, s *session) string {
			if p, ok := s.link.(*posts); ok && !stateless(s.revision) && one.bad(ctx, s, p) {
				return one.what
			}
			return ""
		})
	}
	r.renew() // its session is deleted
}
