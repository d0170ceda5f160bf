package contract

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// static looks at what the server lists; it calls no tool.
func static(r rig) {
	for _, t := range r.tools {
		schemas(r, t)
	}
	limits(r)
	if r.plain {
		return
	}
	s := r.session()
	if s == nil {
		return
	}
	tryBeginning(r, s)
	lists(r, s)
	capabilities(r, s)
	resources(r, s)
	prompts(r, s)
	eraLists(r, s)
	if slices.Contains(r.eras, protocol.Stateless) {
		statelessResults(r, s)
	}
}

// limits compares the list with what hosts take.
func limits(r rig) {
	note := func(t *tool, l Limit) {
		r.fact(t, fault{check: "ListLimit", keyword: l.Code, pointer: l.Pointer, message: l.Message, advice: l.Advice})
	}
	if r.o.Limits != nil {
		if r.plain {
			return
		}
		list := &jsontree.Value{Kind: jsontree.Object}
		for _, l := range r.o.Limits([]byte(list.With("tools", jsontree.NewArray(r.listed)).JSON())) {
			var of *tool
			for _, t := range r.tools {
				if rest, ok := strings.CutPrefix(l.Pointer+"/", fmt.Sprintf("/tools/%d/", slices.Index(r.listed, t.entry))); ok {
					of, l.Pointer = t, strings.TrimSuffix("/"+rest, "/")
					break
				}
			}
			note(of, l)
		}
		return
	}
	if n := len(r.tools); n > 128 {
		note(nil, Limit{Code: "count", Message: fmt.Sprintf("the server lists %d tools; hosts take at most 128, and models choose better among few", n)})
	}
	for _, t := range r.tools {
		if t.entry != nil && !toolName().MatchString(t.name) {
			note(t, Limit{Code: "name", Message: fmt.Sprintf("hosts refuse the name %s: they take letters, digits, _ and -, at most 64", clip(t.name, 80))})
		}
		if n := len([]rune(t.entry.In("description").Str())); n > 2048 {
			note(t, Limit{Code: "description", Message: fmt.Sprintf("the description of %s has %d characters; hosts cut it after 2048", t.name, n)})
		}
	}
}

var toolName = text.Pattern(`^[a-zA-Z0-9_-]{1,64}$`)

// schemas checks the schemas of a tool.
func schemas(r rig, t *tool) {
	for _, one := range []struct{ member, what string }{{"inputSchema", "input schema"}, {"outputSchema", "output schema"}} {
		s := t.entry.In(one.member)
		if t.method != nil {
			s, _ = jsontree.Parse(map[string][]byte{"inputSchema": t.method.Params, "outputSchema": t.method.Result}[one.member])
		} else if s == nil && one.member == "inputSchema" {
			schemaFault(r, t, one.member, "", Error, "has no input schema")
			continue
		}
		if s != nil {
			schema(r, t, one.member, one.what, s)
		}
	}
	hints := t.entry.In("annotations")
	if hints.In("readOnlyHint").True() && hints.In("destructiveHint").True() {
		schemaFault(r, t, "annotations", "/annotations", Warning, "says readOnlyHint: true and destructiveHint: true")
	}
}

func schemaFault(r rig, t *tool, keyword, pointer string, severity Severity, what string) {
	r.fact(t, fault{check: "Schema", keyword: keyword, pointer: pointer, severity: severity, message: t.name + " " + what})
}

// schema checks one schema.
func schema(r rig, t *tool, member, what string, s *jsontree.Value) {
	if t.method == nil && s.In("type").Str() != "object" {
		schemaFault(r, t, "type", "/"+member, Error, "has an "+what+" without type: object at its root")
	}
	dialect := s.In("$schema").Str()
	old := strings.Contains(dialect, "draft-04") || strings.Contains(dialect, "draft-03")
	s.Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		at := "/" + member + jsontree.Pointer(path)
		holds := keywordAt(path).Holds
		if holds == jsonschema.Data || v.Kind != jsontree.Object || holds == jsonschema.Map {
			return holds != jsonschema.Data
		}
		for _, word := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
			if v.In(word).Is(jsontree.Boolean) && !old {
				schemaFault(r, t, word, at, Error, fmt.Sprintf("has a boolean %s in its %s, as draft 4 had it, and later drafts have the bound itself", word, what))
			}
		}
		if keyword, no := contradiction(v); no != "" && (keyword != "required" || !combines(path)) {
			schemaFault(r, t, keyword, at, Warning, no)
		}
		if p := v.In("pattern"); p.Is(jsontree.Text) && broken262(p.Text) {
			schemaFault(r, t, "pattern", at, Error, fmt.Sprintf("has a pattern in its %s that is not a regular expression: %s", what, clip(p.Text, 60)))
		}
		if h := v.In("x-mcp-header"); h.Is(jsontree.Text) && (v.In("type").Is(jsontree.Array) || v.In("type").Str() == "object" || v.In("type").Str() == "array") {
			schemaFault(r, t, "x-mcp-header", at, Error, "has a header parameter that is not a text, whole number or boolean")
		}
		return true
	})
	compiled, err := values.Compile([]byte(s.JSON()))
	switch {
	case errors.Is(err, values.ErrOutside):
		r.fact(t, fault{check: "Schema", keyword: "$ref", pointer: "/" + member, severity: Note, proof: ByContract, message: fmt.Sprintf("%s has an %s that refers to another document, which is not followed: %v", t.name, what, err)})
	case err != nil:
		keyword := "schema"
		if strings.Contains(err.Error(), "$ref") {
			keyword = "$ref"
		}
		schemaFault(r, t, keyword, "/"+member, Error, fmt.Sprintf("has an %s that is not a JSON Schema: %v", what, err))
	default:
		for _, one := range compiled.Unfitting() {
			r.fact(t, fault{check: "Schema", keyword: one.Keyword, pointer: "/" + member + one.Pointer, proof: ByContract,
				message: fmt.Sprintf("%s has a %s in its %s that does not fit it: %s at %s breaks %s: %s", t.name, strings.TrimSuffix(one.Keyword, "s"), what, clip(one.JSON, 60), one.Pointer, one.Broken.Keyword, clip(one.Broken.Expected, 60))})
		}
	}
}

// keywordAt returns the keyword that the last step of a path is; none for a name that the schema gives, and for a number.
func keywordAt(path []jsontree.Step) *jsonschema.Keyword {
	last := len(path) - 1
	if last < 0 || path[last].Index >= 0 || keywordAt(path[:last]).Holds == jsonschema.Map {
		return jsonschema.KeywordOf("")
	}
	return jsonschema.KeywordOf(path[last].Name)
}

// combines reports whether what is at a path is a part of another schema, which may describe its members.
func combines(path []jsontree.Step) bool {
	return len(path) > 0 && (keywordAt(path).InPlace || combines(path[:len(path)-1]))
}

// lookaround is what regular expressions of ECMA-262 have and RE2 does not.
var lookaround = text.Pattern(`\(\?<?[=!]|\\[1-9]|\\k<\w+>`)

// broken262 reports whether a pattern is certainly not a regular expression of ECMA-262.
func broken262(pattern string) bool {
	if _, err := regexp.Compile(pattern); err == nil {
		return false
	}
	plain := lookaround().ReplaceAllStringFunc(pattern, func(s string) string {
		if strings.HasPrefix(s, "(") {
			return "(?:"
		}
		return "x"
	})
	_, err := regexp.Compile(plain)
	return err != nil && (strings.Contains(err.Error(), "missing closing") || strings.Contains(err.Error(), "unexpected )") || strings.Contains(err.Error(), "missing argument to repetition") || strings.Contains(err.Error(), "trailing backslash"))
}

// mcpLists are the lists of MCP, with the capability that declares each.
var mcpLists = []struct{ method, member, capability, key string }{
	{"tools/list", "tools", "tools", "name"}, {"resources/list", "resources", "resources", "uri"},
	{"resources/templates/list", "resourceTemplates", "resources", "uriTemplate"}, {"prompts/list", "prompts", "prompts", "name"},
}

// lists walks through the lists twice.
func lists(r rig, s *session) {
	for _, l := range mcpLists {
		if s.info.In("capabilities").In(l.capability) == nil {
			continue
		}
		first, cursors, err := r.pages(r.ctx, s, l.method, l.member)
		if err != nil && (len(cursors) > 0 || strings.Contains(err.Error(), "comes again") || strings.Contains(err.Error(), "nextCursor")) {
			r.twice(fault{check: "Pagination", keyword: "walk", pointer: "/" + l.member, message: "the pages of a list do not come to an end: " + err.Error()}, nil, func(ctx context.Context, s *session) bool {
				_, _, err := r.pages(ctx, s, l.method, l.member)
				return err != nil
			})
		}
		if err != nil {
			continue
		}
		entries(r, l.member, l.key, first)
		if twin := repeatedKey(first, l.key); twin != "" {
			r.twice(fault{check: "Pagination", keyword: "repeated", pointer: "/" + l.member, severity: Warning,
				message: fmt.Sprintf("%s lists %s twice", l.method, clip(twin, 80))}, nil, func(ctx context.Context, s *session) bool {
				again, _, err := r.pages(ctx, s, l.method, l.member)
				return err == nil && repeatedKey(again, l.key) != ""
			})
		}
		if l.member == "tools" {
			first = r.listed
		}
		stable(r, s, l.method, l.member, first)
	}
}

// repeatedKey is the key of an entry that is there twice, or "".
func repeatedKey(entries []*jsontree.Value, key string) string {
	seen := map[string]bool{}
	for _, e := range entries {
		name := e.In(key).Str()
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// stable compares a list with a second one.
func stable(r rig, s *session, method, member string, first []*jsontree.Value) {
	differs := func(first, second []*jsontree.Value) (keyword, what string) {
		a, b := jsontree.NewArray(first), jsontree.NewArray(second)
		if a.JSON() == b.JSON() {
			return "", ""
		}
		sorted := func(all []*jsontree.Value) []string {
			var out []string
			for _, e := range all {
				out = append(out, e.JSON())
			}
			slices.Sort(out)
			return out
		}
		if slices.Equal(sorted(first), sorted(second)) {
			return "order", "in another order"
		}
		where, is, was := difference(b, a, "")
		return "content", fmt.Sprintf("otherwise at %s: %s, before %s", where, is, was)
	}
	var keyword, what string
	for began, i := time.Now(), 0; keyword == "" && i < 4 && time.Since(began) < 200*time.Millisecond; i++ { // an order may be that of a map with few entries
		second, _, err := r.pages(r.ctx, s, method, member)
		if err != nil {
			return
		}
		keyword, what = differs(first, second)
	}
	if keyword == "" {
		return
	}
	f := fault{check: "ListUnstable", keyword: keyword, pointer: "/" + member, message: fmt.Sprintf("%s answers the second time %s", method, what)}
	if keyword == "order" && member != "tools" {
		f.severity, f.proof = Note, Heuristic
	}
	r.twice(f, nil, func(ctx context.Context, s *session) bool {
		one, _, err := r.pages(ctx, s, method, member)
		for range 4 {
			other, _, fault := r.pages(ctx, s, method, member)
			if k, _ := differs(one, other); err == nil && fault == nil && k == keyword {
				return true
			}
		}
		return false
	})
}

// capabilities asks for what the server declares.
func capabilities(r rig, s *session) {
	for _, l := range mcpLists {
		declared := s.info.In("capabilities").In(l.capability) != nil
		if l.member == "resourceTemplates" { // many servers with resources have no templates, and no list of them
			continue
		}
		refuses := func(ctx context.Context, s *session) bool {
			a := s.request(ctx, l.method, "", r.o.Timeout)
			return a.outcome == answered && !a.result().In(l.member).Is(jsontree.Array)
		}
		switch bad := refuses(r.ctx, s); {
		case declared && bad:
			r.twice(fault{check: "Capability", keyword: l.capability, severity: Error, message: fmt.Sprintf("the server declares %s, and does not answer %s with a list", l.capability, l.method)}, []string{string(s.text("1", l.method, ""))}, refuses)
		case !declared && !bad:
			a := s.request(r.ctx, l.method, "", r.o.Timeout)
			if list := a.result().In(l.member); list.Is(jsontree.Array) && len(list.Items) > 0 {
				r.fact(nil, fault{check: "Capability", keyword: l.capability + " undeclared", message: fmt.Sprintf("the server answers %s, and does not declare %s: clients do not ask for it", l.method, l.capability)})
			}
		}
	}
	for _, one := range optional {
		declared := s.info.In("capabilities").At(one.capability)
		if declared == nil || declared.Is(jsontree.Boolean) && !declared.True() || stateless(s.revision) && one.capability != "/completions" {
			continue
		}
		unknown := func(ctx context.Context, s *session) bool {
			code, _ := s.request(ctx, one.method, one.params, r.o.Timeout).code()
			return code == -32601
		}
		if unknown(r.ctx, s) {
			r.twice(fault{check: "Capability", keyword: one.capability[1:], severity: Error, message: fmt.Sprintf("the server declares %s, and does not know %s", one.capability[1:], one.method)}, []string{string(s.text("1", one.method, one.params))}, unknown)
		}
	}
}

// optional are requests that a server which declares a capability must answer, other than lists.
var optional = []struct{ capability, method, params string }{
	{"/logging", "logging/setLevel", `{"level":"error"}`},
	{"/resources/subscribe", "resources/subscribe", `{"uri":"rpcgen-verify://no/such/resource"}`},
	{"/completions", "completion/complete", `{"ref":{"type":"ref/prompt","name":"rpcgen_no_such_prompt"},"argument":{"name":"x","value":""}}`},
}

// mostResources is how many resources are read.
const mostResources = 60

// resources reads what is listed.
func resources(r rig, s *session) {
	if s.info.In("capabilities").In("resources") == nil || !r.runs("Resource") {
		return
	}
	all, _, err := r.pages(r.ctx, s, "resources/list", "resources")
	if err != nil {
		return
	}
	seen := map[string]int{} // of each kind of fault: it is one habit, and a row
	for _, e := range all[:min(len(all), mostResources)] {
		uri := e.In("uri").Str()
		read := func(ctx context.Context, s *session) (keyword, what string) {
			a := s.requestNamed(ctx, "resources/read", uri, `{"uri":`+string(jsontree.AppendText(nil, uri))+`}`, r.o.Timeout, nil)
			contents := a.result().In("contents")
			switch {
			case a.outcome != answered:
				return "", ""
			case !contents.Is(jsontree.Array) && offline().MatchString(a.says()):
				return "network", fmt.Sprintf("the resource %s is listed, and cannot be read without the network: %s", clip(uri, 80), a.says())
			case !contents.Is(jsontree.Array):
				return "read", fmt.Sprintf("the resource %s is listed, and cannot be read: %s", clip(uri, 80), a.says())
			}
			return contentsFault(e, contents, a.sent.At("/result/contents"))
		}
		if !r.left(30) {
			break
		}
		keyword, what := read(r.ctx, s)
		if seen[keyword]++; keyword == "" || seen[keyword] > 1 {
			continue
		}
		severity := Warning
		if keyword == "network" {
			severity = Note
		}
		r.twice(fault{check: "Resource", keyword: keyword, pointer: clip(uri, 80), severity: severity, proof: ByContract, message: what},
			[]string{string(s.text("1", "resources/read", `{"uri":`+string(jsontree.AppendText(nil, uri))+`}`))}, func(ctx context.Context, s *session) bool {
				again, _ := read(ctx, s)
				return again == keyword
			})
	}
	for _, one := range r.order {
		if n := seen[one.keyword]; one.check == "Resource" && n > 1 && one.pointer != "" {
			one.message += fmt.Sprintf("; the same with %d others", n-1)
		}
	}
	const nowhere = `{"uri":"rpcgen-verify://no/such/resource"}`
	exists := func(ctx context.Context, s *session) bool {
		a := s.requestNamed(ctx, "resources/read", "rpcgen-verify://no/such/resource", nowhere, r.o.Timeout, nil)
		return a.result().In("contents").Is(jsontree.Array)
	}
	if exists(r.ctx, s) {
		r.twice(fault{check: "Resource", keyword: "unknown", message: "the server reads a resource that does not exist, rpcgen-verify://no/such/resource, without an error"}, []string{string(s.text("1", "resources/read", nowhere))}, exists)
	}
}

// offline are words with which a program says that it does not reach another one.
var offline = text.Pattern(`(?i)\b(fetch failed|failed to fetch|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|getaddrinfo|connection (refused|timed out)|no such host|name resolution|network is unreachable)\b`)

// prompts gets each prompt with all arguments that it requires.
func prompts(r rig, s *session) {
	if s.info.In("capabilities").In("prompts") == nil || !r.runs("Resource") && !r.runs("Capability") {
		return
	}
	all, _, err := r.pages(r.ctx, s, "prompts/list", "prompts")
	if err != nil {
		return
	}
	const unknown = "rpcgen_no_such_prompt"
	exists := func(ctx context.Context, s *session) bool {
		return s.requestNamed(ctx, "prompts/get", unknown, `{"name":"`+unknown+`"}`, r.o.Timeout, nil).result().In("messages").Is(jsontree.Array)
	}
	if exists(r.ctx, s) {
		r.twice(fault{check: "Resource", keyword: "unknown prompt", message: "the server answers a prompt that does not exist, " + unknown + ", without an error"}, []string{string(s.text("1", "prompts/get", `{"name":"`+unknown+`"}`))}, exists)
	}
	for _, e := range all[:min(len(all), mostResources)] {
		name := e.In("name").Str()
		if name == "" {
			continue
		}
		required := requiredOf(e)
		get := func(args []string) (params string, ask func(ctx context.Context, s *session) *answer) {
			given := &jsontree.Value{Kind: jsontree.Object}
			for _, arg := range args {
				given = given.With(arg, jsontree.NewText("tea"))
			}
			params = `{"name":` + string(jsontree.AppendText(nil, name)) + `,"arguments":` + given.JSON() + `}`
			return params, func(ctx context.Context, s *session) *answer {
				return s.requestNamed(ctx, "prompts/get", name, params, r.o.Timeout, nil)
			}
		}
		keep := func(keyword, message string, args []string, wrong func(*answer) bool) {
			params, ask := get(args)
			if wrong(ask(r.ctx, s)) {
				r.twice(fault{check: "Resource", keyword: keyword, pointer: clip(name, 80), message: fmt.Sprintf("the prompt %s "+message, clip(name, 80))},
					[]string{string(s.text("1", "prompts/get", params))}, func(ctx context.Context, s *session) bool { return wrong(ask(ctx, s)) })
			}
		}
		keep("prompt", "fails with -32603 although all its required arguments are there", required, func(a *answer) bool {
			code, _ := a.code()
			return code == -32603 && !offline().MatchString(a.says())
		})
		form := ""
		_, ask := get(required)
		if a := ask(r.ctx, s); a.result() != nil && a.result().In("inputRequests") == nil {
			form = messagesFault(a.result())
		}
		if form != "" {
			keep("message", "is answered with "+form, required, func(a *answer) bool { return messagesFault(a.result()) == form })
		}
		if len(required) > 0 {
			keep("required", "is answered without "+required[0]+", which it requires", required[1:], func(a *answer) bool { return a.result().In("messages") != nil })
		}
		completions(r, s, e)
	}
}

// requiredOf are the names of the arguments that a prompt requires.
func requiredOf(prompt *jsontree.Value) (all []string) {
	for _, arg := range prompt.In("arguments").Parts() {
		if arg.In("required").True() {
			all = append(all, arg.In("name").Str())
		}
	}
	return all
}

// eraLists compares the tools of both eras.
func eraLists(r rig, s *session) {
	other := otherEra(r)
	if other == 0 || r.era == 0 {
		return
	}
	r.probeIn(s, fault{check: "ErasDiffer", keyword: "tools"}, nil, func(ctx context.Context, _ *session) string {
		eras, lists := [2]protocol.Era{r.era, other}, [2][]string{}
		for i, e := range eras {
			s, err := r.handshake(ctx, e, "")
			if err != nil {
				return ""
			}
			entries, err := r.list(ctx, s)
			s.kill()
			if err != nil {
				return ""
			}
			for _, one := range entries {
				lists[i] = append(lists[i], one.In("name").Str())
			}
		}
		for i, all := range lists {
			for _, name := range all {
				if !slices.Contains(lists[1-i], name) {
					return fmt.Sprintf("the tool %s is not listed in the %s era, and is in the other one", name, eras[1-i])
				}
			}
		}
		return ""
	})
}

// cachedMethods is what the stateless era lets clients keep: the methods whose results say for how long.
var cachedMethods = []string{"server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list"}

// statelessResults looks for what each result of a server without a handshake has.
func statelessResults(r rig, s *session) {
	r.probeIn(s, fault{check: "Content", keyword: "resultType"}, nil, func(ctx context.Context, _ *session) string {
		s, err := r.handshake(ctx, protocol.Stateless, "")
		if err != nil {
			return ""
		}
		defer s.kill()
		for _, method := range cachedMethods {
			result := s.request(ctx, method, "", r.o.Timeout).result()
			ttl, ok := result.In("ttlMs").Float()
			switch {
			case result == nil:
			case !result.In("resultType").Is(jsontree.Text):
				return "a result of " + method + " in the stateless era has no text `resultType`"
			case !ok || ttl < 0 || !slices.Contains([]string{"public", "private"}, result.In("cacheScope").Str()):
				return "a result of " + method + " in the stateless era has no number `ttlMs`, or no `cacheScope` that is public or private"
			}
		}
		for _, t := range r.active() {
			if args, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal")); ok && t.readOnly {
				if result := r.invoke(ctx, s, t, r.with(t, string(args)), r.o.Timeout).result(); result != nil && !result.In("resultType").Is(jsontree.Text) {
					return "a result of " + t.name + " in the stateless era has no text `resultType`"
				}
				break
			}
		}
		return ""
	})
}

// newest is the newest revision of an era; there is one of each.
func newest(e protocol.Era) string {
	i := len(protocol.Revisions) - 1
	for protocol.Of(protocol.Revisions[i]).Era != e {
		i--
	}
	return protocol.Revisions[i]
}
