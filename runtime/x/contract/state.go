package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// state checks whether the server keeps its word from one call to the next.
func state(r rig) {
	r.grant(50)
	refresh(r)
	// The check that calls most comes late, and each leaves time for the next ones.
	for _, check := range []func(rig){idempotentLies, families, toolPages, tryPoison, readOnlyLies, questions, repeats} {
		check(r)
	}
	r.renew()
}

// refresh gives each read-only tool a control that succeeds in a new session, where nothing that was made before is there: the one with the largest
// result of the first calls that succeeded.
func refresh(r rig) {
	s, err := r.fresh()
	if err != nil {
		return
	}
	defer func() { s.kill() }()
	known := r.pool
	r.pool = pool{} // what is there in a new session
	defer func() { r.pool = known }()
	began := time.Now()
	for _, t := range r.active() {
		switch {
		case t.readOnly && t.control != "":
			refreshControl(r, s, t)
		case t.readOnly && time.Since(began) < r.o.Time/30:
			firstControl(r, t)
		}
	}
}

// firstControl looks for a control of a tool that has never succeeded with calls that are the first ones of their sessions: a call that failed
// may have broken all that came after it.
func firstControl(r rig, t *tool) {
	for i := range 6 {
		json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "first", fmt.Sprint(i)))
		if !ok || !r.left(55) {
			return
		}
		args := r.with(t, string(json))
		if r.inFresh(func(s *session) bool {
			_, t.pace, ok = r.timeCall(s, t, args)
			return ok
		}) {
			t.control = args
			t.stats.Reached = true
			return
		}
	}
}

func refreshControl(r rig, s *session, t *tool) {
	tries := append([]string{t.control}, t.worked...)
	best, size := "", 0
	for i := range len(tries) + 12 {
		if best != "" && (i > 8 || t.pace > 150*time.Millisecond) || s.over() || !r.left(75) {
			break
		}
		args := ""
		if i < len(tries) {
			args = tries[i]
		} else if json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "refresh", fmt.Sprint(i))); ok {
			args = r.with(t, string(json))
		}
		for range 2 { // one failure may be that of the call before
			v, took, ok := r.timeCall(s, t, args)
			if !ok {
				continue
			}
			if r.pool.add(v); best == "" || len(v.Shown()) > size {
				best, size, t.pace = args, len(v.Shown()), took
			}
			break
		}
	}
	if best != "" {
		t.control = best
	}
}

// ok calls a tool in a session, and returns the result if it succeeds.
func (r rig) ok(s *session, t *tool, args string) (*jsontree.Value, bool) {
	v, _, ok := r.timeCall(s, t, args)
	return v, ok
}

// timeCall is ok, and what the call took.
func (r rig) timeCall(s *session, t *tool, args string) (v *jsontree.Value, took time.Duration, ok bool) {
	a := r.invoke(r.ctx, s, t, args, r.o.Timeout)
	if a.outcome != answered {
		return nil, a.took, false
	}
	at := judgeAnswer(t, args, values.Break{}, a)
	return at.comparedPart(), a.took, at.ending == succeeded
}

// comparedPart is the part of a result that is compared: what is structured, or else the content.
func (at *attempt) comparedPart() *jsontree.Value {
	result := at.answer.result()
	if !at.mcp {
		return result
	}
	if s := result.In("structuredContent"); s != nil {
		return s
	}
	if v, err := jsontree.Parse([]byte(strings.TrimSpace(contentText(result)))); err == nil {
		return v
	}
	return result.In("content")
}

// tryPoison calls a tool the right way, the wrong way, and the right way again.
func tryPoison(r rig) {
	if !r.runs("Poisoned") {
		return
	}
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || t.pace > 150*time.Millisecond || r.late(74, "Poisoned", t) {
			continue
		}
		r.renew()
		controls := []call{{t, t.control}}
		for _, o := range r.active() {
			if o != t && o.readOnly && o.control != "" && o.pace < 50*time.Millisecond && len(controls) < 4 {
				controls = append(controls, call{o, o.control})
			}
		}
		for _, bad := range wrong(r, t) {
			victim, rounds := controls[0], 1
			breaks := func(s *session) bool {
				before := picture(r, s, controls)
				for range 2 {
					if _, ok := r.ok(s, t, t.control); !ok {
						return false
					}
				}
				for range rounds {
					if _, ok := r.ok(s, t, bad); ok {
						return false
					}
					for i, c := range controls {
						if _, ok := r.ok(s, c.tool, c.args); !ok && before[i] != nil {
							victim = c
							return !s.over()
						}
					}
				}
				return false
			}
			if !r.left(74) || !r.shared(breaks) {
				continue
			}
			rounds = 5 // it may have been the last one of several
			r.suspect(t, bad, values.Break{}, fault{check: "Poisoned",
				message: fmt.Sprintf("%s fails with %s, with which it succeeded before, after a call of %s that failed", victim.tool.name, clip(victim.args, 80), t.name)}).shownBy([]call{victim, {t, bad}, victim}, func(context.Context) bool { return r.inFresh(breaks) })
			break
		}
	}
}

// wrong returns arguments with which calls of a tool should fail.
func wrong(r rig, t *tool) (all []string) {
	for _, one := range t.input.Breaks([]byte(t.control)) {
		if (one.Keyword == "required" || one.Keyword == "type") && strings.HasPrefix(one.JSON, "{") {
			all = append(all, one.JSON)
		}
		if len(all) == 2 {
			break
		}
	}
	if failing := failingArguments(r, t); failing != "" {
		all = append(all, failing)
	}
	return all
}

// failingArguments finds valid arguments with which a tool fails, such as an id that does not exist; "" if there are none.
func failingArguments(r rig, t *tool) string {
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
		} else if judgeAnswer(t, args, values.Break{}, a).ending != succeeded {
			return args
		}
	}
	return ""
}

// mostObservers limits how many calls make a picture of the state.
const mostObservers = 10

// observers are calls of read-only tools that succeed, which show the state: one of each tool comes before a second one of any.
func observers(r rig, except string) []call {
	var all, second []call
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || t.pace >= 150*time.Millisecond {
			continue
		}
		if t.name+t.control != except {
			all = append(all, call{t, t.control})
		}
		if minimal, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal")); ok && string(minimal) != t.control && t.name+string(minimal) != except {
			second = append(second, call{t, r.with(t, string(minimal))})
		}
	}
	// Those that choose least show most: there are more tools than calls.
	slices.SortStableFunc(all, func(a, b call) int { return a.tool.choices() - b.tool.choices() })
	all = append(all, second...)
	return all[:min(len(all), mostObservers)]
}

// choices is the number of arguments of a tool.
func (t *tool) choices() int { return len(t.schema().In("properties").Names()) }

// readers are calls of read-only tools that read what arguments name.
func readers(r rig, args string) (all []call) {
	v, err := jsontree.Parse([]byte(args))
	for _, t := range r.active() {
		if key := t.key(""); err == nil && t.readOnly && t.control != "" && key != "" && v.In(key) != nil {
			all = append(all, call{t, argsOf(r, t, key, v.In(key))})
		}
	}
	return all
}

// picture is what the observers say. What does not succeed is nil.
func picture(r rig, s *session, observers []call) []*jsontree.Value {
	all := make([]*jsontree.Value, len(observers))
	for i, o := range observers {
		if v, ok := r.ok(s, o.tool, o.args); ok {
			all[i] = v
		}
	}
	return all
}

// changedObserver is the observer that says something else after a call than before, in pictures of which the first two were made without it. What varies by
// itself is not evidence: the observer has to go on saying it.
func changedObserver(r rig, s *session, observers []call, before, again []*jsontree.Value) (i int, where, was, is string) {
	after := picture(r, s, observers)
	for i := range before {
		if before[i] == nil || !before[i].Equal(again[i]) || after[i] == nil || again[i].Equal(after[i]) || !steady(r, s, observers[i], after[i]) {
			continue
		}
		where, was, is = difference(again[i], after[i], "")
		return i, where, was, is
	}
	return -1, "", "", ""
}

// steady reports whether further equal calls have the same answer.
func steady(r rig, s *session, c call, answer *jsontree.Value) bool {
	const more = 4
	return !slices.ContainsFunc(picture(r, s, slices.Repeat([]call{c}, more)), func(v *jsontree.Value) bool { return v == nil || !v.Equal(answer) })
}

// readOnlyLies looks at what other tools say before and after calls of read-only tools.
func readOnlyLies(r rig) {
	if !r.runs("ReadOnlyLie") {
		return
	}
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || t.pace > 300*time.Millisecond || r.late(82, "ReadOnlyLie", t) {
			continue
		}
		liesOfItself(r, t)
		r.renew() // what a tool changes shows once only
		for _, args := range lyingArgs(r, t) {
			observers := observers(r, t.name+args)
			what := ""
			lies := func(s *session) bool {
				// A tool that lies changes what the others say when it is asked itself, too.
				var others, own []call
				for _, c := range observers {
					if c.tool == t {
						own = append(own, c)
					} else {
						others = append(others, c)
					}
				}
				before, again := picture(r, s, others), picture(r, s, others)
				ownBefore, ownAgain := picture(r, s, own), picture(r, s, own)
				if _, ok := r.ok(s, t, args); !ok {
					return false
				}
				i, where, was, is := changedObserver(r, s, own, ownBefore, ownAgain)
				name := t.name
				if i < 0 {
					if i, where, was, is = changedObserver(r, s, others, before, again); i >= 0 {
						name = others[i].tool.name
					}
				}
				if i >= 0 {
					what = fmt.Sprintf("%s says that it only reads, and %s answers otherwise after it: %s is %s, and was %s", t.name, name, cmp.Or(where, "the whole answer"), is, was)
				}
				return i >= 0
			}
			if len(observers) == 0 || !r.left(82) || !r.shared(lies) {
				continue
			}
			r.suspect(t, args, values.Break{}, fault{check: "ReadOnlyLie", message: what}).shownBy(slices.Concat(observers, []call{{t, args}}, observers), func(context.Context) bool { return r.inFresh(lies) })
			break
		}
	}
}

// lyingArgs are the arguments with which a read-only tool is watched: the control, and what has every optional argument.
func lyingArgs(r rig, t *tool) []string {
	all := []string{t.control}
	var more []string
	places := map[string]int{}
	for _, one := range t.input.Bounds([]byte(t.control)) {
		if one.Keyword != "enum" && one.Keyword != "minItems" && one.Keyword != "maxItems" {
			continue
		}
		if places[one.Pointer]++; places[one.Pointer] < 3 { // two of each place come first
			all = append(all, r.with(t, one.JSON))
		} else {
			more = append(more, r.with(t, one.JSON))
		}
	}
	all = append(all, more...)
	return all[:min(len(all), 8)]
}

// liesOfItself looks for a number, a text or a list in the answers of a read-only tool that grows by the same with each call, however much time passes.
func liesOfItself(r rig, t *tool) {
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
	if !r.inFresh(lies) {
		return
	}
	r.suspect(t, t.control, values.Break{}, fault{check: "ReadOnlyLie", keyword: "itself", message: what}).shownBy([]call{{t, t.control}, {t, t.control}, {t, t.control}}, func(context.Context) bool { return r.inFresh(lies) })
}

// measures are the numbers and the lengths of texts and lists of a value, by pointer.
func measures(v *jsontree.Value) map[string]float64 {
	all := map[string]float64{}
	v.Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		if f, ok := part.Float(); ok {
			all[cmp.Or(jsontree.Pointer(path), "the answer")] = f
		}
		if part.Kind == jsontree.Text {
			all["the length of "+cmp.Or(jsontree.Pointer(path), "the answer")] = float64(len(part.Text))
		}
		if part.Kind == jsontree.Array {
			all["the length of "+cmp.Or(jsontree.Pointer(path), "the answer")] = float64(len(part.Items))
		}
		return len(all) < 500
	})
	return all
}

// idempotentLies calls idempotent tools twice.
func idempotentLies(r rig) {
	if !r.runs("IdempotentLie") {
		return
	}
	for _, t := range r.active() {
		if !t.idempotent || t.readOnly || t.input == nil || r.late(62, "IdempotentLie", t) {
			continue
		}
		observers := observers(r, "")
		args, what, known := "", "", true
		lies := func(s *session) bool {
			if args == "" {
				if args = workingArguments(r, s, t, known); args == "" {
					return false
				}
			} else if _, ok := r.ok(s, t, args); !ok {
				return false
			}
			observers := slices.Concat(observers, readers(r, args))
			before := picture(r, s, observers)
			again := picture(r, s, observers)
			if _, ok := r.ok(s, t, args); !ok && !s.over() {
				what = fmt.Sprintf("%s says that it is idempotent, and the second equal call fails: %s", t.name, clip(args, 100))
				return true
			}
			if i, where, was, is := changedObserver(r, s, observers, before, again); i >= 0 {
				what = fmt.Sprintf("%s says that it is idempotent, and the second equal call changes what %s answers: %s is %s, and was %s", t.name, observers[i].tool.name, where, is, was)
				return true
			}
			return false
		}
		if !r.inFresh(lies) {
			args, known = "", false
			if !r.inFresh(lies) {
				continue
			}
		}
		r.suspect(t, args, values.Break{}, fault{check: "IdempotentLie", message: what}).shownBy([]call{{t, args}, {t, args}}, func(context.Context) bool { return r.inFresh(lies) })
	}
}

// questions declines and cancels what tools ask the user.
func questions(r rig) {
	for _, t := range r.active() {
		if t.asking == "" || r.late(82, "Hang", t) {
			continue
		}
		for _, action := range []string{"decline", "cancel"} {
			see := func(s *session) *fault {
				s.action = action
				a := r.invoke(r.ctx, s, t, t.asking, r.o.Timeout)
				if r.ctx.Err() != nil || !s.asks() {
					return nil
				}
				f := &fault{check: "Hang", keyword: action, message: fmt.Sprintf("%s does not answer in %v after the user has answered its question with %s", t.name, r.o.Timeout, action)}
				switch a.outcome {
				case silent:
					return f
				case broken:
					f.check, f.message = "Crash", fmt.Sprintf("%s ends the server after the user has answered its question with %s: %s", t.name, action, a.reason)
					return f
				}
				for _, one := range judgeAnswer(t, t.asking, values.Break{}, a).faults() {
					if one.severity != Note && one.check != "RefusesValid" {
						one.message += ", after the user has answered its question with " + action
						one.keyword = action + " " + one.keyword
						return &one
					}
				}
				return nil
			}
			var f *fault
			if !r.inFresh(func(s *session) bool { f = see(s); return f != nil }) {
				continue
			}
			r.suspect(t, t.asking, values.Break{}, *f).shownBy([]call{{t, t.asking}}, func(context.Context) bool {
				return r.inFresh(func(s *session) bool { again := see(s); return again != nil && again.check == f.check })
			})
			break
		}
	}
}

// repeats compares the answers to equal calls.
func repeats(r rig) {
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || !r.runs("Nondeterministic") || r.late(82, "Nondeterministic", t) {
			continue
		}
		what := ""
		differs := func(s *session) bool {
			first, ok := r.ok(s, t, t.control)
			second, again := r.ok(s, t, t.control)
			if !ok || !again || first.Equal(second) {
				return false
			}
			where, was, is := difference(first, second, "")
			what = fmt.Sprintf("%s answers equal calls differently at %s: %s and %s", t.name, cmp.Or(where, "the root"), is, was)
			return true
		}
		if !r.inFresh(differs) {
			continue
		}
		r.suspect(t, t.control, values.Break{}, fault{check: "Nondeterministic", message: what}).shownBy([]call{{t, t.control}, {t, t.control}}, func(context.Context) bool { return r.inFresh(differs) })
	}
}

// workingArguments finds arguments with which a tool succeeds in a session; "" if there are none. It tries what has worked, and what the session shows; or
// only what has values that the session shows, where there are some.
func workingArguments(r rig, s *session, t *tool, known bool) string {
	before := r.pool
	r.pool, r.knownOnly = pool{}, known
	defer func() { r.pool, r.knownOnly = before, false }()
	for i := range 24 {
		args := t.control
		switch {
		case i == 0 && args == "", i == 1 && len(t.worked) == 0, i < 2 && known:
			continue
		case i == 1:
			args = t.worked[0]
		case i == 2:
			for _, v := range picture(r, s, observers(r, "")) {
				r.pool.add(v)
			}
			fallthrough
		case i > 2:
			json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "working", fmt.Sprint(i)))
			if !ok {
				return ""
			}
			args = r.with(t, string(json))
		}
		if _, ok := r.ok(s, t, args); ok {
			return args
		}
	}
	return ""
}
