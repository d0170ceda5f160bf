package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// promises are checks of what the server does from one call to the next.
type promises struct{ run *runner }

// state checks whether the server keeps its word from one call to the next.
func (p promises) state() {
	r := p.run
	r.refresh()
	for _, check := range []func(){p.poisoned, p.readOnlyLies, p.idempotentLies, p.families, p.toolPages} {
		if r.left(85) {
			check()
		}
	}
}

// refresh gives each read-only tool a control that succeeds in a new session, where nothing that was made before is there: the one with the largest
// result of the first calls that succeeded.
func (r *runner) refresh() {
	s, err := r.fresh()
	if err != nil {
		return
	}
	defer func() { s.kill() }()
	known := r.pool
	r.pool = pool{} // what is there in a new session
	defer func() { r.pool = known }()
	for _, t := range r.active() {
		if t.readOnly && t.control != "" {
			r.refreshControl(s, t)
		}
	}
}

func (r *runner) refreshControl(s *session, t *tool) {
	tries := append([]string{t.control}, t.worked...)
	best, size := "", 0
	for i := range len(tries) + 12 {
		if i > 8 && best != "" || s.over() || !r.left(75) {
			break
		}
		args := ""
		if i < len(tries) {
			args = tries[i]
		} else if json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "refresh", fmt.Sprint(i))); ok {
			args = r.with(t, string(json))
		}
		for range 2 { // one failure may be that of the call before
			v, ok := r.ok(s, t, args)
			if !ok {
				continue
			}
			if r.pool.add(v); best == "" || len(v.Shown()) > size {
				best, size = args, len(v.Shown())
			}
			break
		}
	}
	if best != "" {
		t.control = best
	}
}

// ok calls a tool in a session, and returns the result if it succeeds.
func (r *runner) ok(s *session, t *tool, args string) (*jsontree.Value, bool) {
	a := r.invoke(r.ctx, s, t, args, r.o.Timeout)
	if a.outcome != answered {
		return nil, false
	}
	at := r.judged(t, args, values.Break{}, a)
	return at.shown(), at.ending == succeeded
}

// shown is the part of a result that is compared: what is structured, or else the content.
func (at *attempt) shown() *jsontree.Value {
	result := at.answer.result()
	if !at.mcp {
		return result
	}
	if s := result.Get("structuredContent"); s != nil {
		return s
	}
	if v, err := jsontree.Parse([]byte(strings.TrimSpace(contentText(result)))); err == nil {
		return v
	}
	return result.Get("content")
}

// inFresh runs a function in a new session. It is false if there is none.
func (p promises) inFresh(do func(s *session) bool) bool {
	r := p.run
	s, err := r.fresh()
	if err != nil {
		return false
	}
	defer s.kill()
	return do(s)
}

// poisoned calls a tool the right way, the wrong way, and the right way again.
func (p promises) poisoned() {
	r := p.run
	if !r.runs("Poisoned") {
		return
	}
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || !r.left(75) || t.pace() > 150*time.Millisecond {
			continue
		}
		var wrong []string
		for _, one := range t.input.Breaks([]byte(t.control)) {
			if (one.Keyword == "required" || one.Keyword == "type") && strings.HasPrefix(one.JSON, "{") {
				wrong = append(wrong, one.JSON)
			}
			if len(wrong) == 2 {
				break
			}
		}
		if failing := p.failing(t); failing != "" {
			wrong = append(wrong, failing)
		}
		for _, bad := range wrong {
			breaks := func(s *session) bool {
				for range 2 {
					if _, ok := r.ok(s, t, t.control); !ok {
						return false
					}
				}
				if _, ok := r.ok(s, t, bad); ok {
					return false
				}
				_, ok := r.ok(s, t, t.control)
				return !ok && !s.over()
			}
			if !p.inFresh(breaks) {
				continue
			}
			one := r.suspect(t, bad, values.Break{}, fault{check: "Poisoned", severity: Error, proof: ByContract,
				message: fmt.Sprintf("%s fails with %s, with which it succeeded before, after a call that failed", t.name, clip(t.control, 80)),
				advice:  "Leave nothing half done when a call fails: close, roll back, unlock."})
			if one != nil {
				one.calls = []call{{t, t.control}, {t, bad}, {t, t.control}}
				one.again = func(context.Context) bool { return p.inFresh(breaks) }
			}
			break
		}
	}
}

// failing finds valid arguments with which a tool fails, such as an id that does not exist; "" if there are none.
func (p promises) failing(t *tool) string {
	r := p.run
	s := r.session()
	if s == nil {
		return ""
	}
	for i := range 6 {
		supply := t.input.Supply
		t.input.Supply = nil
		json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "failing", fmt.Sprint(i)))
		t.input.Supply = supply
		if !ok {
			return ""
		}
		args := r.with(t, string(json))
		if a := r.invoke(r.ctx, s, t, args, r.o.Timeout); a.outcome != answered {
			return ""
		} else if r.judged(t, args, values.Break{}, a).ending != succeeded {
			return args
		}
	}
	return ""
}

// mostObservers limits how many tools are asked for a picture of the state.
const mostObservers = 8

// observers are calls of read-only tools that succeed, which show the state.
func (p promises) observers(except string) []call {
	r := p.run
	var all []call
	for _, t := range r.active() {
		if t.readOnly && t.control != "" && len(all) < mostObservers && t.pace() < 150*time.Millisecond {
			if t.name+t.control != except {
				all = append(all, call{t, t.control})
			}
			if minimal, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal")); ok && string(minimal) != t.control && t.name+string(minimal) != except {
				all = append(all, call{t, r.with(t, string(minimal))})
			}
		}
	}
	return all
}

// picture is what the observers say. What does not succeed is nil.
func (p promises) picture(s *session, observers []call) []*jsontree.Value {
	r := p.run
	all := make([]*jsontree.Value, len(observers))
	for i, o := range observers {
		if v, ok := r.ok(s, o.tool, o.args); ok {
			all[i] = v
		}
	}
	return all
}

// changed is the observer that says something else after a call than before, in pictures of which the first two were made without it.
func changed(before, again, after []*jsontree.Value) (i int, where, was, is string) {
	for i := range before {
		if before[i] == nil || !before[i].Equal(again[i]) || after[i] == nil || again[i].Equal(after[i]) {
			continue
		}
		where, was, is = difference(again[i], after[i], "")
		return i, where, was, is
	}
	return -1, "", "", ""
}

// readOnlyLies looks at what other tools say before and after calls of read-only tools.
func (p promises) readOnlyLies() {
	r := p.run
	if !r.runs("ReadOnlyLie") {
		return
	}
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || !r.left(80) || t.pace() > 300*time.Millisecond {
			continue
		}
		p.liesOfItself(t)
		for _, args := range p.lyingArgs(t) {
			observers := p.observers(t.name + args)
			what := ""
			lies := func(s *session) bool {
				before := p.picture(s, observers)
				again := p.picture(s, observers)
				if _, ok := r.ok(s, t, args); !ok {
					return false
				}
				i, where, was, is := changed(before, again, p.picture(s, observers))
				if i >= 0 {
					what = fmt.Sprintf("%s says that it only reads, and %s answers otherwise after it: %s is %s, and was %s", t.name, observers[i].tool.name, cmp.Or(where, "the whole answer"), is, was)
				}
				return i >= 0
			}
			if len(observers) == 0 || !p.inFresh(lies) {
				continue
			}
			one := r.suspect(t, args, values.Break{}, fault{check: "ReadOnlyLie", severity: Error, proof: ByContract, message: what,
				advice: "Take readOnlyHint away, or change nothing: hosts call read-only tools without asking."})
			if one != nil {
				one.calls = append(slices.Clone(observers), call{t, args})
				one.calls = append(one.calls, observers...)
				one.again = func(context.Context) bool { return p.inFresh(lies) }
			}
			break
		}
	}
}

// lyingArgs are the arguments with which a read-only tool is watched: the control, and what has every optional argument.
func (p promises) lyingArgs(t *tool) []string {
	r := p.run
	all := []string{t.control}
	for _, one := range t.input.Bounds([]byte(t.control)) {
		if (one.Keyword == "enum" || one.Keyword == "minItems" || one.Keyword == "maxItems") && len(all) < 4 {
			all = append(all, r.with(t, one.JSON))
		}
	}
	return all
}

// liesOfItself looks for a number or a list in the answers of a read-only tool that grows by the same with each call, however much time passes.
func (p promises) liesOfItself(t *tool) {
	r := p.run
	what := ""
	lies := func(s *session) bool {
		var answers []*jsontree.Value
		for _, wait := range []time.Duration{0, 0, 120 * time.Millisecond, 10 * time.Millisecond} {
			time.Sleep(wait)
			v, ok := r.ok(s, t, t.control)
			if !ok {
				return false
			}
			answers = append(answers, v)
		}
		for pointer, first := range measures(answers[0]) {
			second, third, fourth := measures(answers[1])[pointer], measures(answers[2])[pointer], measures(answers[3])[pointer]
			if step := second - first; step != 0 && step == float64(int(step)) && third-second == step && fourth-third == step {
				what = fmt.Sprintf("%s says that it only reads, and %s changes by %g with every call of it", t.name, pointer, step)
				return true
			}
		}
		return false
	}
	if !p.inFresh(lies) {
		return
	}
	one := r.suspect(t, t.control, values.Break{}, fault{check: "ReadOnlyLie", keyword: "itself", severity: Error, proof: ByContract, message: what,
		advice: "Take readOnlyHint away, or change nothing: hosts call read-only tools without asking."})
	if one != nil {
		one.calls = []call{{t, t.control}, {t, t.control}, {t, t.control}}
		one.again = func(context.Context) bool { return p.inFresh(lies) }
	}
}

// measures are the numbers and the lengths of lists of a value, by pointer.
func measures(v *jsontree.Value) map[string]float64 {
	all := map[string]float64{}
	v.Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		if f, ok := part.Float(); ok {
			all[cmp.Or(jsontree.Pointer(path), "the answer")] = f
		}
		if part.Kind == jsontree.List {
			all["the length of "+cmp.Or(jsontree.Pointer(path), "the answer")] = float64(len(part.Items))
		}
		return len(all) < 500
	})
	return all
}

// idempotentLies calls idempotent tools twice.
func (p promises) idempotentLies() {
	r := p.run
	if !r.runs("IdempotentLie") {
		return
	}
	for _, t := range r.active() {
		if !t.idempotent || t.readOnly || t.input == nil || !r.left(82) {
			continue
		}
		observers := p.observers("")
		args, what := "", ""
		lies := func(s *session) bool {
			if args == "" {
				if args = p.working(s, t); args == "" {
					return false
				}
			} else if _, ok := r.ok(s, t, args); !ok {
				return false
			}
			before := p.picture(s, observers)
			again := p.picture(s, observers)
			if _, ok := r.ok(s, t, args); !ok && !s.over() {
				what = fmt.Sprintf("%s says that it is idempotent, and the second equal call fails: %s", t.name, clip(args, 100))
				return true
			}
			if i, where, was, is := changed(before, again, p.picture(s, observers)); i >= 0 {
				what = fmt.Sprintf("%s says that it is idempotent, and the second equal call changes what %s answers: %s is %s, and was %s", t.name, observers[i].tool.name, where, is, was)
				return true
			}
			return false
		}
		if !p.inFresh(lies) {
			continue
		}
		one := r.suspect(t, args, values.Break{}, fault{check: "IdempotentLie", severity: Warning, proof: ByContract, message: what,
			advice: "Take idempotentHint away, or let a second equal call change nothing: hosts repeat idempotent calls after a timeout."})
		if one != nil {
			one.calls = []call{{t, args}, {t, args}}
			one.again = func(context.Context) bool { return p.inFresh(lies) }
		}
	}
}

// working finds arguments with which a tool succeeds in a session; "" if there are none.
func (p promises) working(s *session, t *tool) string {
	r := p.run
	if t.control != "" {
		if _, ok := r.ok(s, t, t.control); ok {
			return t.control
		}
	}
	for i := range 10 {
		json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "working", fmt.Sprint(i)))
		if !ok {
			return ""
		}
		args := r.with(t, string(json))
		if _, ok := r.ok(s, t, args); ok {
			return args
		}
	}
	return ""
}
