package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// quiet is how long nothing may come after a notification.
const quiet = 100 * time.Millisecond

// aliveMethod is a request that every server answers.
func (s *session) aliveMethod() string {
	switch {
	case stateless(s.revision):
		return "server/discover"
	case s.pingless:
		return "tools/list"
	case s.revision == "":
		return "rpcgen.alive" // not found, which is an answer
	}
	return "ping"
}

// wire checks how the server speaks JSON-RPC. It is last, since it may end the server.
func wire(r rig) {
	checks := []func(rig){listedLast, codes, ids, notifications, batches, cancellation, progress, levels, version, tryMalformed, oldBatches, taskBlocks, tryUndeclared, flood, siteSessions, growth, eraCalls, tryMixed} // those that call most come last
	r.grantLast()
	for i, check := range checks {
		if !r.left(98) {
			r.skip("", "", fmt.Sprintf("%d of %d checks of the protocol were left out: raise --time", len(checks)-i, len(checks)))
			break
		}
		check(r)
	}
	r.renew()
}

// codes asks for what is not there.
func codes(r rig) {
	f := fault{check: "ErrorCode", keyword: "unknown method"}
	see := func(ctx context.Context, s *session) string {
		a := s.request(ctx, "rpcgen/none", "", r.probeTimeout())
		if a.result() != nil { // a client takes it for what it has asked for
			f.keyword, f.severity = "no error", Warning
		}
		if code, ok := a.code(); a.outcome == answered && (!ok || code != -32601 && code != statusCode) {
			return "an unknown method is not answered with the error -32601: " + a.says()
		}
		return ""
	}
	if s := r.session(); s != nil && r.runs(f.check) {
		if f.message = see(r.ctx, s); f.message != "" {
			r.twice(f, []string{`{"jsonrpc":"2.0","id":1,"method":"rpcgen/none"}`}, func(ctx context.Context, s *session) bool { return see(ctx, s) != "" })
		}
	}
	nowhere(r)
}

// nowhere asks for what is not there, which must be answered too.
func nowhere(r rig) {
	s := r.scoutSession()
	if s == nil {
		return
	}
	for _, one := range []struct{ keyword, capability, method, name, params string }{
		{"unknown method", "", "rpcgen/none", "", ""},
		{"unknown tool", "tools", "tools/call", "rpcgen_no_such_tool", `{"name":"rpcgen_no_such_tool","arguments":{}}`},
		{"unknown resource", "resources", "resources/read", "rpcgen-verify://no/such/resource", `{"uri":"rpcgen-verify://no/such/resource"}`},
		{"unknown prompt", "prompts", "prompts/get", "rpcgen_no_such_prompt", `{"name":"rpcgen_no_such_prompt"}`},
	} {
		if one.capability != "" && (r.plain || s.info.In("capabilities").In(one.capability) == nil) {
			continue
		}
		ask := func(ctx context.Context, s *session) *answer {
			return s.requestNamed(ctx, one.method, one.name, one.params, r.o.Timeout, nil)
		}
		a := ask(r.ctx, s)
		accepts := func(a *answer) bool {
			return one.capability == "tools" && a.result() != nil && !a.result().In("isError").True()
		}
		if accepts(a) {
			r.twice(fault{check: "AcceptsInvalid", keyword: one.keyword, proof: ByProtocol, message: "a call of a tool that does not exist succeeds: " + a.says()}, []string{string(s.text("1", one.method, one.params))}, func(ctx context.Context, s *session) bool { return accepts(ask(ctx, s)) })
		}
		if a.outcome == answered || r.ctx.Err() != nil {
			continue
		}
		f := fault{check: "Hang", keyword: one.keyword, message: fmt.Sprintf("a request of an %s is not answered in %v", one.keyword, r.o.Timeout)}
		if a.outcome == broken {
			f.check, f.message = "Crash", fmt.Sprintf("a request of an %s ends the server: %s", one.keyword, a.reason)
		}
		r.twice(f, []string{string(s.text("1", one.method, one.params))}, func(ctx context.Context, s *session) bool { return ask(ctx, s).outcome == a.outcome })
		r.renew()
		if s = r.scoutSession(); s == nil {
			return
		}
	}
}

// ids sends unusual ids.
func ids(r rig) {
	long := strings.Repeat("x", 2000)
	for _, one := range []struct{ keyword, id string }{
		{"empty text", `""`}, {"digits", `"7"`}, {"quotes", `"a\"b\\c"`}, {"long text", `"` + long + `"`}, {"spaces", `" A b "`}, {"other letters", `"日本 é 🙂"`}, {"0", "0"}, {"-1", "-1"}, {"2^53-1", "9007199254740991"},
		{"2^63-1", "9223372036854775807"},
	} {
		large, severity := one.keyword == "2^63-1", Error
		if large {
			severity = Note // few servers keep integers above 2^53, and few clients send them
		}
		r.probe(fault{check: "IDKept", keyword: one.keyword, severity: severity},
			[]string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, one.id)}, func(ctx context.Context, s *session) string {
				v, _ := jsontree.Parse([]byte(one.id))
				method := s.aliveMethod()
				a := s.message(ctx, s.text(one.id, method, ""), idKey(v), min(r.probeTimeout(), 2*time.Second), s.headers(method, ""))
				if a.outcome == answered {
					return ""
				}
				stray := ""
				if all := s.unexpectedLines(); len(all) > 0 {
					stray = all[len(all)-1]
				}
				switch {
				case stray != "" && !(large && (strings.Contains(stray, "9223372036854775807") || strings.Contains(stray, `"id":null`) || strings.Contains(stray, "e+18"))) && !refusesID(stray):
					return fmt.Sprintf("a request with the id %s is answered with another one: %s", clip(one.id, 40), clip(stray, 120))
				case stray == "" && !large:
					return fmt.Sprintf("a request with the id %s is not answered", clip(one.id, 40))
				}
				return ""
			})
	}
	r.probe(fault{check: "Notified", keyword: "twice"}, nil, func(ctx context.Context, s *session) string {
		before, method := len(s.unexpectedLines()), s.aliveMethod()
		s.message(ctx, s.text(`"once"`, method, ""), `"once"`, r.probeTimeout(), s.headers(method, ""))
		time.Sleep(quiet)
		for _, stray := range s.unexpectedLines()[before:] {
			if v, err := jsontree.Parse([]byte(stray)); err == nil && v.In("id").Str() == "once" {
				return "a request with a text as its id is answered twice: " + clip(stray, 120)
			}
		}
		return ""
	})
}

// refusesID reports whether an answer says that the request is invalid, which has the id null then.
func refusesID(stray string) bool {
	v, err := jsontree.Parse([]byte(stray))
	if err != nil || v.In("id") != nil && v.In("id").Kind != jsontree.Null {
		return false
	}
	f, ok := v.In("error").In("code").Float()
	return ok && (f == -32600 || f == -32700)
}

// notifications sends one that is not of any specification.
func notifications(r rig) {
	r.probe(fault{check: "Notified", keyword: "unknown"},
		[]string{`{"jsonrpc":"2.0","method":"notifications/rpcgen/none"}`}, func(ctx context.Context, s *session) string {
			before := len(s.unexpectedLines())
			s.notify(ctx, "notifications/rpcgen/none", "")
			if !s.alive(ctx, r.probeTimeout()) {
				return "an unknown notification ends the session: " + s.fateWords()
			}
			time.Sleep(quiet)
			if all := s.unexpectedLines(); len(all) > before {
				return "a notification is answered: " + clip(all[len(all)-1], 120)
			}
			return ""
		})
	if r.main == nil || r.main.over() {
		return
	}
	for _, stray := range r.main.unexpectedLines() {
		v, err := jsontree.Parse([]byte(stray))
		if err == nil && v.In("id").Is(jsontree.Number) && v.In("result") != nil {
			r.probe(fault{check: "Notified", keyword: "twice"}, nil, func(ctx context.Context, s *session) string {
				for range 5 {
					s.alive(ctx, r.probeTimeout())
				}
				for _, c := range observers(r, "") {
					r.invoke(ctx, s, c.tool, c.args, r.o.Timeout)
				}
				time.Sleep(quiet)
				if all := s.unexpectedLines(); len(all) > 0 {
					return "a request is answered twice: " + clip(all[0], 120)
				}
				return ""
			})
			return
		}
	}
}

func (s *session) unexpectedLines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strays)
}

// fateWords says what became of a session that does not answer.
func (s *session) fateWords() string {
	if s.over() {
		return s.end()
	}
	return "it does not answer any more"
}

// batches sends two requests and a notification in one message, where that is allowed; elsewhere the server must only survive it.
func batches(r rig) {
	f := batchFault
	if !r.plain && !protocol.Of(r.revision).Batches {
		f.keyword = "revision"
	}
	r.probe(f, nil, func(ctx context.Context, s *session) string { return batch(ctx, r, s) })
}

var batchFault = fault{check: "Batch"}

// oldBatches is batches in the revision of MCP that has them.
func oldBatches(r rig) {
	f, i := batchFault, slices.IndexFunc(protocol.Revisions[:], func(r string) bool { return protocol.Of(r).Batches })
	if r.plain || !slices.Contains(r.eras, protocol.Handshake) || !r.runs("Batch") {
		return
	}
	revision := protocol.Revisions[i]
	seen := func(ctx context.Context) string {
		s, err := r.handshake(ctx, protocol.Handshake, revision)
		if err != nil {
			return ""
		}
		defer s.kill()
		if s.revision != revision {
			return ""
		}
		return batch(ctx, r, s)
	}
	if what := seen(r.ctx); what != "" && !strings.Contains(what, "is not answered") {
		f.message, f.keyword = what+", in revision "+revision, revision
		r.suspect(nil, "", values.Break{}, f).shownBy(nil, func(ctx context.Context) bool { return seen(ctx) != "" })
	}
}

// batch sends a batch of two requests and a notification, and returns what is wrong with the answers.
func batch(ctx context.Context, r rig, s *session) string {
	method := s.aliveMethod()
	text := fmt.Appendf(nil, "[%s,%s,%s]", s.text("901", method, ""), s.text("", "notifications/rpcgen/none", ""), s.text("902", method, ""))
	one, two, list := s.expect("901"), s.expect("902"), s.expect("batch")
	sctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = s.send(sctx, text, s.headers(method, "")) // what comes next shows it
	allowed := s.revision == "" || protocol.Of(s.revision).Batches
	got, patience := 0, quiet
	if allowed {
		patience = 2 * time.Second
	}
	select {
	case a := <-list:
		ids := map[string]int{}
		for _, item := range a.whole.Items {
			if id := item.In("id"); id != nil {
				ids[idKey(id)]++
			}
		}
		if allowed && (ids["901"] != 1 || ids["902"] != 1 || len(a.whole.Items) != 2) {
			return fmt.Sprintf("a batch of two requests and a notification is answered by %d answers: %s", len(a.whole.Items), clip(a.whole.JSON(), 160))
		}
		got = 2
	case <-one:
		got++
		select {
		case <-two:
			got++
		case <-time.After(2 * time.Second):
		}
	case <-time.After(patience):
	case <-s.ended():
	}
	refused := slices.ContainsFunc(s.unexpectedLines(), refusesID)
	switch {
	case !s.alive(ctx, r.probeTimeout()):
		return "a batch ends the session: " + s.fateWords()
	case allowed && got == 1:
		return "a batch of two requests is answered by one answer"
	case allowed && got == 0 && !refused:
		return "a batch is not answered"
	}
	return ""
}

// cancellation cancels requests that are unknown, that have been answered, and some that run.
func cancellation(r rig) {
	if r.plain {
		return
	}
	cancels(r, "unknown", "the cancellation of a request that the server does not know", &tool{})
	cancels(r, "finished", "the cancellation of a request that was answered", &tool{})
	tried := 0
	for _, t := range r.active() {
		if t.readOnly && t.control != "" && t.slow != "" && tried < 3 && r.left(98) {
			tried++
			cancels(r, "running", "the cancellation of a call of "+t.name+" that runs", t)
		}
	}
}

// cancels cancels a request, that of the slow call of a tool if there is one, after which the server and the tool have to answer.
func cancels(r rig, keyword, what string, slow *tool) {
	r.probe(fault{check: "Cancel", keyword: keyword}, nil, func(ctx context.Context, s *session) string {
		id, before := "987654", len(s.unexpectedLines())
		switch keyword {
		case "finished":
			s.alive(ctx, r.probeTimeout())
			id = fmt.Sprint(s.next)
		case "running":
			id = s.id()
			s.expect(id)
			_ = s.send(ctx, s.text(id, "tools/call", callParams(slow.name, slow.slow)+"}"), s.headers("tools/call", slow.name)) // what comes next shows it
			time.Sleep(50 * time.Millisecond)
		}
		s.notify(ctx, "notifications/cancelled", `{"requestId":`+id+`,"reason":"rpcgen verify"}`)
		if !s.alive(ctx, r.probeTimeout()+slow.slowness) {
			return what + " ends the session: " + s.fateWords()
		}
		for _, stray := range s.unexpectedLines()[before:] {
			if v, err := jsontree.Parse([]byte(stray)); err == nil && v.In("id").Is(jsontree.Null) {
				return what + " is answered, which is a notification: " + clip(stray, 120)
			}
		}
		if slow.slow != "" && r.invoke(ctx, s, slow, slow.control, r.o.Timeout+slow.slowness).outcome == silent && ctx.Err() == nil {
			return what + " ends the tool: the next call is not answered"
		}
		return ""
	})
}

// taskBlocks starts a task, where a tool can run as one, and asks for something else meanwhile.
func taskBlocks(r rig) {
	for _, t := range r.active() {
		support := t.entry.In("execution").In("taskSupport").Str()
		if t.control == "" || support != "optional" || r.era != protocol.Handshake {
			continue
		}
		params := callParams(t.name, t.control) + `,"task":{"ttl":60000}}`
		r.probe(fault{check: "Hang", keyword: "task"},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`}, func(ctx context.Context, s *session) string {
				a := s.requestNamed(ctx, "tools/call", t.name, params, r.o.Timeout, nil)
				if a.outcome == silent {
					return "a call of " + t.name + " as a task is not answered, which should only say that the task was started"
				}
				if a.result().In("task") == nil {
					return ""
				}
				if !s.alive(ctx, r.probeTimeout()) {
					return "the server answers nothing more while a task of " + t.name + " runs: " + s.fateWords()
				}
				return ""
			})
		tasks(r, t, params)
		return
	}
}

// tasks follows one task.
func tasks(r rig, t *tool, params string) {
	f := fault{check: "Tasks"}
	f.keyword = "unknown"
	r.probe(f, []string{`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"rpcgen-none"}}`}, func(ctx context.Context, s *session) string {
		if a := s.request(ctx, "tasks/get", `{"taskId":"rpcgen-none"}`, r.probeTimeout()); a.result() != nil {
			return "an unknown task is answered as if it were there: " + a.says()
		}
		return ""
	})
	f.keyword = "state"
	r.probe(f, nil, func(ctx context.Context, s *session) string {
		a := s.requestNamed(ctx, "tools/call", t.name, params, r.o.Timeout, nil)
		id := a.result().In("task").In("taskId").Str()
		if id == "" {
			return ""
		}
		ended := ""
		for range 40 {
			state := s.request(ctx, "tasks/get", `{"taskId":`+string(jsontree.AppendText(nil, id))+`}`, r.probeTimeout()).result().In("status").Str()
			if ended != "" && state != ended && state != "" {
				return fmt.Sprintf("the state of a task of %s goes from %s to %s", t.name, ended, state)
			}
			if state == "completed" || state == "failed" || state == "cancelled" {
				if ended != "" {
					return ""
				}
				ended = state
			}
			time.Sleep(50 * time.Millisecond)
		}
		return ""
	})
}

// eraCalls makes the same calls in both eras.
func eraCalls(r rig) {
	other := otherEra(r)
	if other == 0 || !r.runs("ErasDiffer") {
		return
	}
	began := time.Now()
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || r.outOfTime(began, "ErasDiffer", t) {
			continue
		}
		cases := eraCases(r, t)
		if !answersRepeat(r, t, cases[0]) {
			continue
		}
		differs := func(ctx context.Context) (args, what string) {
			return differsBetween(ctx, r, t, cases, [2]protocol.Era{r.era, other})
		}
		args, what := differs(r.ctx)
		if what == "" {
			continue
		}
		r.suspect(t, args, values.Break{}, fault{check: "ErasDiffer", keyword: "call", message: what}).shownBy([]call{{t, args}}, func(ctx context.Context) bool { _, what := differs(ctx); return what != "" })
	}
}

// eraCases are arguments of a tool that are compared in both eras: the control first, then some that break a rule, one of each kind of rule before a
// second one of any, and for a fast tool some that fit. None has the cursor of a page: other arguments with it are refused for the cursor.
func eraCases(r rig, t *tool) []string {
	control := withoutCursor(t)
	cases, second := []string{control}, []string{}
	kinds := map[string]bool{}
	for _, one := range t.input.Breaks([]byte(control)) {
		switch place := one.Keyword + one.Pointer; {
		case !kinds[one.Keyword]:
			cases = append(cases, one.JSON)
		case !kinds[place] && t.pace < 150*time.Millisecond:
			second = append(second, one.JSON)
		}
		kinds[one.Keyword], kinds[one.Keyword+one.Pointer] = true, true
	}
	cases = append(cases, second[:min(len(second), 8)]...)
	if t.pace >= 50*time.Millisecond {
		return cases
	}
	places := map[string]int{} // two values of each kind for each place
	for _, one := range t.input.Bounds([]byte(control)) {
		v, err := jsontree.Parse([]byte(one.JSON))
		if err != nil || len(cases) == 40 {
			break
		}
		place := one.Pointer
		if at := v.At(one.Pointer); at != nil {
			place = fmt.Sprint(at.Kind, place)
		}
		if places[place]++; places[place] <= 2 || one.Keyword == "enum" {
			cases = append(cases, r.with(t, one.JSON))
		}
	}
	return cases
}

// withoutCursor returns the control of a tool without the cursor of a page, if that can be left out.
func withoutCursor(t *tool) string {
	v, err := jsontree.Parse([]byte(t.control))
	if err != nil {
		return t.control
	}
	for _, name := range v.Names() {
		if isCursor(name) {
			v = v.Put([]jsontree.Step{{Name: name, Index: -1}}, nil)
		}
	}
	if less := v.JSON(); len(t.input.Judge([]byte(less))) == 0 {
		return less
	}
	return t.control
}

// differsBetween makes calls in two eras, and returns the arguments of the first one that is accepted in one of them only, and what differs; "" if
// nothing does. The answer to the first case is compared as well.
func differsBetween(ctx context.Context, r rig, t *tool, cases []string, eras [2]protocol.Era) (args, what string) {
	var got [2][]string
	for i, e := range eras {
		s, err := r.handshake(ctx, e, "")
		if err != nil {
			return "", ""
		}
		for n, one := range cases {
			a := r.invoke(ctx, s, t, one, r.o.Timeout)
			if a.outcome != answered { // that is for other checks
				break
			}
			at := judgeAnswer(t, one, values.Break{}, a)
			shown := "refused"
			switch {
			case at.ending == succeeded && n == 0: // its answers repeat
				shown = "accepted " + at.answer.result().In("structuredContent").Shown()
			case at.ending == succeeded:
				shown = "accepted"
			}
			got[i] = append(got[i], shown)
		}
		s.kill()
	}
	for i, one := range cases[:min(len(got[0]), len(got[1]))] {
		if got[0][i] != got[1][i] {
			return one, fmt.Sprintf("%s with %s is %s in the %s era and %s in the %s era", t.name, clip(one, 80), clip(got[0][i], 60), eras[0], clip(got[1][i], 60), eras[1])
		}
	}
	return "", ""
}

// answersRepeat reports whether equal calls in two new instances have equal answers, each time.
func answersRepeat(r rig, t *tool, args string) bool {
	var first *jsontree.Value
	for range 2 {
		if !r.inFresh(func(s *session) bool {
			if first == nil {
				first, _ = r.ok(s, t, args)
			}
			return first != nil && steady(r, s, call{t, args}, first)
		}) {
			return false
		}
	}
	return true
}

// malformedLines are messages that are none.
var malformedLines = []struct{ keyword, line string }{
	{"no JSON", `hello`}, {"half a message", `{"jsonrpc":"2.0","id":1,"method":"pi`}, {"empty object", `{}`}, {"empty list", `[]`}, {"number", `1`}, {"text", `"x"`}, {"null", `null`},
	{"no method", `{"jsonrpc":"2.0","id":5}`}, {"method that is a number", `{"jsonrpc":"2.0","id":6,"method":1}`}, {"params that are a text", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}`},
	{"params that are a list", `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[1]}`}, {"params that are null", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":null}`},
	{"id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`}, {"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"\xff\xfe\"}"}, {"another version", `{"jsonrpc":"1.0","id":11,"method":"ping"}`},
	{"20,000 levels", `{"jsonrpc":"2.0","id":12,"method":"ping","params":{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}}`},
	{"8 MiB", ""},
}

// tryMalformed sends what is not a message.
func tryMalformed(r rig) {
	if !r.runs("Malformed") {
		return
	}
	s := r.session()
	if s == nil {
		return
	}
	_, http := s.isProcess()
	survives := func(ctx context.Context, s *session, line []byte) string {
		sctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
		defer cancel()
		_ = s.send(sctx, line, s.headers("ping", "")) // what comes next shows it
		for range 2 {                                 // the first answer may be that to the line
			if s.alive(ctx, r.probeTimeout()) {
				return ""
			}
		}
		return s.fateWords()
	}
	for _, one := range malformedLines {
		line := []byte(one.line)
		if one.keyword == "8 MiB" {
			if http {
				continue // it may be far away
			}
			line = []byte(`{"jsonrpc":"2.0","id":13,"method":"rpcgen/none","params":{"x":"` + strings.Repeat("x", 8<<20) + `"}}`)
		}
		if s = r.session(); s == nil || !r.left(100) {
			return
		}
		what := survives(r.ctx, s, line)
		if what == "" {
			continue
		}
		r.main = nil
		s.kill()
		sent := []string{strings.ToValidUTF8(one.line, "\uFFFD")}
		if len(one.line) > 1000 || one.line == "" {
			sent = nil
		}
		r.twice(fault{check: "Malformed", keyword: one.keyword,
			message: fmt.Sprintf("the server answers nothing more after a malformed message (%s): %s", one.keyword, what)}, sent, func(ctx context.Context, s *session) bool { return survives(ctx, s, line) != "" })
	}
}
