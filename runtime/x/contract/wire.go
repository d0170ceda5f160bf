package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// protocolChecks check how the server speaks JSON-RPC.
type protocolChecks struct{ run *runner }

// quiet is how long nothing may come after a notification.
const quiet = 100 * time.Millisecond

// probing is how long an answer to a probe of the protocol is waited for.
func (w protocolChecks) probing() time.Duration { return min(w.run.o.Timeout, 5*time.Second) }

// aliveMethod is a request that every server answers.
func (s *session) aliveMethod() string {
	switch s.revision {
	case protocol.Revision20260728:
		return "server/discover"
	case "":
		return "rpcgen.alive"
	}
	return "ping"
}

// wire checks how the server speaks JSON-RPC. It is last, since it may end the server.
func (w protocolChecks) wire() {
	r := w.run
	for _, check := range []func(){w.growth, w.codes, w.ids, w.notifications, w.batches, w.cancellation, w.taskBlocks, w.mixed, w.flood, w.eraCalls, w.malformed} {
		if r.left(98) {
			check()
		}
	}
}

// probe keeps a fault that a function sees in the main session and in new ones. The function returns "" where all is well, and else what is wrong.
func (w protocolChecks) probe(f fault, sent []string, see func(ctx context.Context, s *session) string) {
	r := w.run
	if !r.runs(f.check) {
		return
	}
	s, err := r.fresh()
	if err != nil {
		return
	}
	what := see(r.ctx, s)
	s.kill()
	if what == "" {
		return
	}
	f.message = what
	r.twice(f, sent, func(ctx context.Context, s *session) bool { return see(ctx, s) != "" })
}

// codes asks for what is not there.
func (w protocolChecks) codes() {
	r := w.run
	w.probe(fault{check: "ErrorCode", keyword: "unknown method", severity: Note, proof: ByProtocol, advice: "Answer -32601 (JSON-RPC 2.0 section 5.1)."},
		[]string{`{"jsonrpc":"2.0","id":1,"method":"rpcgen/none"}`}, func(ctx context.Context, s *session) string {
			a := s.request(ctx, "rpcgen/none", "", w.probing())
			if code, ok := a.code(); a.outcome == answered && (!ok || code != -32601 && code != statusCode) {
				return "an unknown method is not answered with the error -32601: " + a.says()
			}
			return ""
		})
	if r.plain || len(r.tools) == 0 {
		return
	}
	const unknown = `{"name":"rpcgen_no_such_tool","arguments":{}}`
	w.probe(fault{check: "Hang", keyword: "unknown tool", severity: Error, proof: ByProtocol, advice: "Answer the error -32602 for tools that are not there (server/tools, Error Handling)."},
		[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + unknown + `}`}, func(ctx context.Context, s *session) string {
			switch a := s.requestNamed(ctx, "tools/call", "rpcgen_no_such_tool", unknown, r.o.Timeout, nil); a.outcome {
			case silent:
				return fmt.Sprintf("a call of a tool that is not there is not answered in %v", r.o.Timeout)
			case broken:
				return "a call of a tool that is not there ends the server: " + a.reason
			}
			return ""
		})
}

// ids sends unusual ids.
func (w protocolChecks) ids() {
	long := strings.Repeat("x", 2000)
	for _, one := range []struct{ keyword, id string }{
		{"empty text", `""`}, {"digits", `"7"`}, {"quotes", `"a\"b\\c"`}, {"long text", `"` + long + `"`}, {"other letters", `"日本 é 🙂"`}, {"0", "0"}, {"-1", "-1"}, {"2^53-1", "9007199254740991"},
		{"2^63-1", "9223372036854775807"},
	} {
		large, severity := one.keyword == "2^63-1", Error
		if large {
			severity = Note // few servers keep integers above 2^53, and few clients send them
		}
		w.probe(fault{check: "IDKept", keyword: one.keyword, severity: severity, proof: ByProtocol, advice: "Answer with the id of the request, as it is (JSON-RPC 2.0 section 5)."},
			[]string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, one.id)}, func(ctx context.Context, s *session) string {
				v, _ := jsontree.Parse([]byte(one.id))
				method := s.aliveMethod()
				a := s.message(ctx, s.text(one.id, method, ""), idKey(v), min(w.probing(), 2*time.Second), s.headers(method, ""))
				if a.outcome == answered {
					return ""
				}
				s.mu.Lock()
				stray := ""
				if len(s.strays) > 0 {
					stray = s.strays[len(s.strays)-1]
				}
				s.mu.Unlock()
				switch {
				case stray != "" && !(large && (strings.Contains(stray, "9223372036854775807") || strings.Contains(stray, `"id":null`) || strings.Contains(stray, "e+18"))) && !refusesID(stray):
					return fmt.Sprintf("a request with the id %s is answered with another one: %s", clip(one.id, 40), clip(stray, 120))
				case stray == "" && !large:
					return fmt.Sprintf("a request with the id %s is not answered", clip(one.id, 40))
				}
				return ""
			})
	}
}

// refusesID reports whether an answer says that the request is invalid, which has the id null then.
func refusesID(stray string) bool {
	v, err := jsontree.Parse([]byte(stray))
	if err != nil || v.Get("id") != nil && v.Get("id").Kind != jsontree.Null {
		return false
	}
	f, ok := v.Get("error").Get("code").Float()
	return ok && (f == -32600 || f == -32700)
}

// notifications sends one that is not of any specification.
func (w protocolChecks) notifications() {
	r := w.run
	w.probe(fault{check: "Notified", keyword: "unknown", severity: Error, proof: ByProtocol, advice: "Ignore notifications that are not known: they are never answered (JSON-RPC 2.0 section 4.1)."},
		[]string{`{"jsonrpc":"2.0","method":"notifications/rpcgen/none"}`}, func(ctx context.Context, s *session) string {
			before := len(s.unexpected())
			s.notify(ctx, "notifications/rpcgen/none", "")
			if !s.alive(ctx, w.probing()) {
				return "an unknown notification ends the session: " + s.gone()
			}
			time.Sleep(quiet)
			if all := s.unexpected(); len(all) > before {
				return "a notification is answered: " + clip(all[len(all)-1], 120)
			}
			return ""
		})
	if r.main == nil || r.main.over() {
		return
	}
	for _, stray := range r.main.unexpected() {
		v, err := jsontree.Parse([]byte(stray))
		if err == nil && v.Get("id").Is(jsontree.Number) && v.Get("result") != nil {
			w.probe(fault{check: "Notified", keyword: "twice", severity: Error, proof: ByProtocol, advice: "Answer each request once."}, nil, func(ctx context.Context, s *session) string {
				for range 5 {
					s.alive(ctx, w.probing())
				}
				time.Sleep(quiet)
				if all := s.unexpected(); len(all) > 0 {
					return "a request is answered twice: " + clip(all[0], 120)
				}
				return ""
			})
			return
		}
	}
}

func (s *session) unexpected() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strays)
}

// gone says what became of a session that does not answer.
func (s *session) gone() string {
	if s.over() {
		return s.end()
	}
	return "it does not answer any more"
}

// batches sends two requests and a notification in one message, where that is allowed; elsewhere the server must only survive it.
func (w protocolChecks) batches() {
	r := w.run
	const advice = "Answer each request of a batch, in one list (JSON-RPC 2.0 section 6)."
	see := func(ctx context.Context, s *session) string {
		method := s.aliveMethod()
		text := fmt.Appendf(nil, "[%s,%s,%s]", s.text("901", method, ""), s.text("", "notifications/rpcgen/none", ""), s.text("902", method, ""))
		one, two, list := s.expect("901"), s.expect("902"), s.expect("batch")
		sctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = s.send(sctx, text, s.headers(method, "")) // what comes next shows it
		allowed := s.revision == "" || s.revision == protocol.Revision20250326
		got := 0
		select {
		case a := <-list:
			ids := map[string]int{}
			for _, item := range a.whole.Items {
				if id := item.Get("id"); id != nil {
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
		case <-time.After(2 * time.Second):
		case <-s.ended():
		}
		refused := slices.ContainsFunc(s.unexpected(), refusesID)
		switch {
		case !s.alive(ctx, w.probing()):
			return "a batch ends the session: " + s.gone()
		case allowed && got == 1:
			return "a batch of two requests is answered by one answer"
		case allowed && got == 0 && !refused:
			return "a batch is not answered"
		}
		return ""
	}
	f := fault{check: "Batch", severity: Warning, proof: ByProtocol, advice: advice}
	w.probe(f, nil, see)
	if r.plain || !slices.Contains(r.eras, protocol.Handshake) || !r.runs("Batch") {
		return
	}
	// 2025-03-26 is the only revision with batches.
	old := func(ctx context.Context) string {
		s, err := r.handshake(ctx, protocol.Handshake, protocol.Revision20250326)
		if err != nil {
			return ""
		}
		defer s.kill()
		if s.revision != protocol.Revision20250326 {
			return ""
		}
		return see(ctx, s)
	}
	if what := old(r.ctx); what != "" && !strings.Contains(what, "is not answered") {
		f.message, f.keyword = what+", in revision 2025-03-26", protocol.Revision20250326
		if one := r.suspect(nil, "", values.Break{}, f); one != nil {
			one.again = func(ctx context.Context) bool { return old(ctx) != "" }
		}
	}
}

// cancellation cancels requests that are unknown, that have been answered, and one that runs.
func (w protocolChecks) cancellation() {
	r := w.run
	if r.plain {
		return
	}
	slow := w.slowest()
	f := fault{check: "Cancel", severity: Error, proof: ByProtocol, advice: "Ignore the cancellation of requests that are unknown or answered, and go on after one that ran (basic/utilities/cancellation)."}
	for _, one := range []struct{ keyword, what string }{{"unknown", "the cancellation of a request that the server does not know"}, {"finished", "the cancellation of a request that was answered"}, {"running", "the cancellation of a call that runs"}} {
		f.keyword = one.keyword
		if one.keyword == "running" && slow == nil {
			continue
		}
		w.probe(f, nil, func(ctx context.Context, s *session) string {
			id := "987654"
			switch one.keyword {
			case "finished":
				s.alive(ctx, w.probing())
				id = fmt.Sprint(s.next)
			case "running":
				id = s.id()
				h := s.headers("tools/call", slow.name)
				s.expect(id)
				_ = s.send(ctx, s.text(id, "tools/call", callParams(slow.name, slow.control)+"}"), h) // what comes next shows it
				time.Sleep(50 * time.Millisecond)
			}
			s.notify(ctx, "notifications/cancelled", `{"requestId":`+id+`,"reason":"rpcgen verify"}`)
			if !s.alive(ctx, w.probing()) {
				return one.what + " ends the session: " + s.gone()
			}
			return ""
		})
	}
}

// slowest is a tool that takes 200 ms or more and only reads; nil if there is none.
func (w protocolChecks) slowest() *tool {
	r := w.run
	for _, t := range r.active() {
		if t.control != "" && t.pace() > 200*time.Millisecond {
			return t
		}
	}
	return nil
}

// taskBlocks starts a task, where a tool can run as one, and asks for something else meanwhile.
func (w protocolChecks) taskBlocks() {
	r := w.run
	for _, t := range r.active() {
		support := t.entry.Get("execution").Get("taskSupport").Str()
		if t.control == "" || support != "optional" || r.era != protocol.Handshake {
			continue
		}
		params := callParams(t.name, t.control) + `,"task":{"ttl":60000}}`
		w.probe(fault{check: "Hang", keyword: "task", severity: Error, proof: ByProtocol, advice: "Answer other requests while a task runs (basic/utilities/tasks)."},
			[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`}, func(ctx context.Context, s *session) string {
				a := s.requestNamed(ctx, "tools/call", t.name, params, r.o.Timeout, nil)
				if a.outcome == silent {
					return "a call of " + t.name + " as a task is not answered, which should only say that the task was started"
				}
				if a.result().Get("task") == nil {
					return ""
				}
				if !s.alive(ctx, w.probing()) {
					return "the server answers nothing more while a task of " + t.name + " runs: " + s.gone()
				}
				return ""
			})
		w.tasks(t, params)
		return
	}
}

// tasks follows one task.
func (w protocolChecks) tasks(t *tool, params string) {
	r := w.run
	f := fault{check: "Tasks", severity: Warning, proof: ByProtocol, advice: "Follow the states of tasks (basic/utilities/tasks)."}
	f.keyword = "unknown"
	w.probe(f, []string{`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"rpcgen-none"}}`}, func(ctx context.Context, s *session) string {
		if a := s.request(ctx, "tasks/get", `{"taskId":"rpcgen-none"}`, w.probing()); a.result() != nil {
			return "an unknown task is answered as if it were there: " + a.says()
		}
		return ""
	})
	f.keyword = "state"
	w.probe(f, nil, func(ctx context.Context, s *session) string {
		a := s.requestNamed(ctx, "tools/call", t.name, params, r.o.Timeout, nil)
		id := a.result().Get("task").Get("taskId").Str()
		if id == "" {
			return ""
		}
		ended := ""
		for range 40 {
			state := s.request(ctx, "tasks/get", `{"taskId":`+string(jsontree.AppendText(nil, id))+`}`, w.probing()).result().Get("status").Str()
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

// together sends calls at once, and returns their answers.
func (w protocolChecks) together(ctx context.Context, s *session, t *tool, args []string, most time.Duration) []*answer {
	answers := make([]*answer, len(args))
	var wg sync.WaitGroup
	ids := make([]string, len(args))
	waits := make([]chan *answer, len(args))
	for i, one := range args {
		s.record(t, one)
		ids[i] = s.id()
		waits[i] = s.expect(ids[i])
	}
	method, name := "tools/call", t.name
	for i, one := range args {
		params := callParams(t.name, one) + "}"
		if t.method != nil {
			method, name, params = t.name, "", t.params(one)
		}
		sctx, cancel := context.WithTimeout(ctx, most)
		_ = s.send(sctx, s.text(ids[i], method, params), s.headers(method, name)) // a missing answer shows it
		cancel()
	}
	for i := range args {
		wg.Go(func() { answers[i] = s.wait(ctx, ids[i], waits[i], most) })
	}
	wg.Wait()
	return answers
}

// mixed calls a tool with different arguments at once.
func (w protocolChecks) mixed() {
	r := w.run
	if !r.runs("MixedUp") {
		return
	}
	began := time.Now()
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || time.Since(began) > r.o.Time/10 || !r.left(95) {
			continue
		}
		args := w.variants(t, 8)
		if len(args) < 2 {
			continue
		}
		what := ""
		see := func(ctx context.Context, s *session) string {
			alone := make([]string, len(args))
			for round := range 2 {
				for i, one := range args {
					a := r.invoke(ctx, s, t, one, r.o.Timeout)
					if got := result(a); round == 0 {
						alone[i] = got
					} else if got != alone[i] {
						return "" // its answers do not repeat
					}
				}
			}
			for range 4 {
				for i, a := range w.together(ctx, s, t, args, r.o.Timeout) {
					got := result(a)
					if got == "" || got == alone[i] {
						continue
					}
					for j := range args {
						if got == alone[j] {
							return fmt.Sprintf("%s answers %s with the answer to %s when %d calls run at once", t.name, clip(args[i], 80), clip(args[j], 80), len(args))
						}
					}
				}
			}
			return ""
		}
		s, err := r.fresh()
		if err != nil {
			return
		}
		what = see(r.ctx, s)
		s.kill()
		if what == "" {
			continue
		}
		one := r.suspect(t, args[0], values.Break{}, fault{check: "MixedUp", severity: Error, proof: ByProtocol, message: what, advice: "Keep what belongs to a call in the call: variables that all calls share get mixed up."})
		if one != nil {
			one.calls = nil
			for _, a := range args {
				one.calls = append(one.calls, call{t, a})
			}
			one.again = func(ctx context.Context) bool {
				s, err := r.fresh()
				if err != nil {
					return false
				}
				defer s.kill()
				return see(ctx, s) != ""
			}
		}
	}
}

// result is what was answered, without the id; "" if nothing was.
func result(a *answer) string {
	if a == nil || a.outcome != answered {
		return ""
	}
	if v := a.result(); v != nil {
		return v.JSON()
	}
	if e := a.whole.Get("error"); e != nil {
		return e.JSON()
	}
	return ""
}

// variants are arguments of a tool that succeed with different answers, the control first.
func (w protocolChecks) variants(t *tool, most int) []string {
	r := w.run
	args, seen := []string{}, map[string]bool{}
	s := r.session()
	if s == nil {
		return nil
	}
	candidates := []string{t.control}
	for i := range 3 * most {
		if json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "variant", fmt.Sprint(i))); ok {
			candidates = append(candidates, r.with(t, string(json)))
		}
	}
	for _, one := range t.input.Bounds([]byte(t.control)) {
		if len(candidates) < 8*most {
			candidates = append(candidates, r.with(t, one.JSON))
		}
	}
	for _, one := range candidates {
		if len(args) == most {
			break
		}
		a := r.invoke(r.ctx, s, t, one, r.o.Timeout)
		if a.outcome != answered {
			break
		}
		if at := r.judged(t, one, values.Break{}, a); at.ending == succeeded && !seen[result(a)] && a.took < time.Second {
			seen[result(a)] = true
			args = append(args, one)
		}
	}
	return args
}

// flood sends 200 calls at once.
func (w protocolChecks) flood() {
	r := w.run
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || t.pace() > 50*time.Millisecond {
			continue
		}
		const calls = 200
		w.probe(fault{check: "Flood", severity: Warning, proof: ByProtocol, advice: "Answer every request, with an error if there are too many at once."}, nil, func(ctx context.Context, s *session) string {
			args := slices.Repeat([]string{t.control}, calls)
			missing := 0
			for _, a := range w.together(ctx, s, t, args, r.o.Timeout) {
				if a.outcome != answered {
					missing++
				}
			}
			switch {
			case s.over():
				return fmt.Sprintf("%d calls of %s at once end the server: %s", calls, t.name, s.end())
			case missing > 0:
				return fmt.Sprintf("of %d calls of %s at once %d are not answered", calls, t.name, missing)
			}
			return ""
		})
		return
	}
}

// eraCalls makes the same calls in both eras.
func (w protocolChecks) eraCalls() {
	r := w.run
	other := r.other()
	if other == 0 || !r.runs("ErasDiffer") {
		return
	}
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || !r.left(95) {
			continue
		}
		cases := []string{t.control}
		for i, one := range t.input.Breaks([]byte(t.control)) {
			if i%5 == 0 && len(cases) < 6 {
				cases = append(cases, one.JSON)
			}
		}
		differs := func(ctx context.Context) string {
			var got [2][]string
			for i, e := range []protocol.Era{r.era, other} {
				s, err := r.handshake(ctx, e, revisionOf(e))
				if err != nil {
					return ""
				}
				for _, one := range cases {
					at := r.judged(t, one, values.Break{}, r.invoke(ctx, s, t, one, r.o.Timeout))
					shown := "refused"
					if at.ending == succeeded {
						shown = "accepted " + at.answer.result().Get("structuredContent").Shown()
					}
					got[i] = append(got[i], shown)
				}
				s.kill()
			}
			for i := range cases {
				if got[0][i] != got[1][i] {
					return fmt.Sprintf("%s with %s is %s in the %s era and %s in the %s era", t.name, clip(cases[i], 80), clip(got[0][i], 60), r.era, clip(got[1][i], 60), other)
				}
			}
			return ""
		}
		stable := w.repeats(t)
		if what := ""; stable {
			if what = differs(r.ctx); what != "" {
				if one := r.suspect(t, t.control, values.Break{}, fault{check: "ErasDiffer", keyword: "call", severity: Warning, proof: ByContract, message: what, advice: "Serve both eras by the same code."}); one != nil {
					one.calls = nil
					one.again = func(ctx context.Context) bool { return differs(ctx) != "" }
				}
			}
		}
	}
}

// repeats reports whether equal calls in two new instances have equal answers.
func (w protocolChecks) repeats(t *tool) bool {
	r := w.run
	first := ""
	for i := range 2 {
		s, err := r.fresh()
		if err != nil {
			return false
		}
		got := r.invoke(r.ctx, s, t, t.control, r.o.Timeout).result().Get("structuredContent").Shown()
		s.kill()
		if i == 1 {
			return got == first
		}
		first = got
	}
	return false
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

// malformed sends what is not a message.
func (w protocolChecks) malformed() {
	r := w.run
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
			if s.alive(ctx, w.probing()) {
				return ""
			}
		}
		return s.gone()
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
		r.twice(fault{check: "Malformed", keyword: one.keyword, severity: Error, proof: ByProtocol,
			message: fmt.Sprintf("the server answers nothing more after a malformed message (%s): %s", one.keyword, what),
			advice:  "Answer -32700 or -32600 with the id null, and read on (JSON-RPC 2.0 section 5.1)."}, sent, func(ctx context.Context, s *session) bool { return survives(ctx, s, line) != "" })
	}
}
