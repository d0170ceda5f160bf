package contract

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// callTogether sends calls at once, and returns their answers.
func callTogether(ctx context.Context, r rig, s *session, t *tool, args []string, most time.Duration) []*answer {
	answers := make([]*answer, len(args))
	var wg sync.WaitGroup
	ids := make([]string, len(args))
	waits := make([]chan *answer, len(args))
	for i, one := range args {
		s.record(t, one)
		ids[i] = s.id()
		waits[i] = s.expect(ids[i])
	}
	for i, one := range args {
		method, name, params := t.request(one)
		r.pause()
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

// tryMixed calls a tool with different arguments at once.
func tryMixed(r rig) {
	if !r.runs("MixedUp") {
		return
	}
	began := time.Now()
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || r.outOfTime(began, "MixedUp", t) {
			continue
		}
		most := 8
		if t.pace > 50*time.Millisecond { // each is called ten times
			most = 3
		}
		args := variants(r, t, most)
		if len(args) < 2 {
			continue
		}
		what := ""
		mixes := func(s *session) bool { what = mixes(r.ctx, r, s, t, args); return what != "" }
		if !r.inFresh(mixes) {
			continue
		}
		var calls []call
		for _, a := range args {
			calls = append(calls, call{t, a})
		}
		r.suspect(t, args[0], values.Break{}, fault{check: "MixedUp", message: what}).shownBy(calls, func(context.Context) bool { return r.inFresh(mixes) })
	}
}

// mixes makes calls of a tool at once, and returns what is wrong if one is answered with the answer to another, or with what it is never answered
// alone, such as a mixture of two answers. That is not evidence if equal calls at once have other answers, too: the tool may tell the time or the load.
func mixes(ctx context.Context, r rig, s *session, t *tool, args []string) string {
	alone := make([]string, len(args))
	repeats := func(times int) bool { // with the answers from before, if there are some
		for n := range times * len(args) {
			i, one := n%len(args), args[n%len(args)]
			got := result(r.invoke(ctx, s, t, one, r.o.Timeout))
			if got == "" || alone[i] != "" && got != alone[i] {
				return false
			}
			alone[i] = got
		}
		return true
	}
	if !repeats(2) {
		return ""
	}
	for range 4 {
		for i, a := range callTogether(ctx, r, s, t, args, r.o.Timeout) {
			got := result(a)
			if got == "" || got == alone[i] {
				continue
			}
			if j := slices.Index(alone, got); j >= 0 && repeats(3) { // what varies by itself is not evidence
				return fmt.Sprintf("%s answers %s with the answer to %s when %d calls run at once", t.name, clip(args[i], 80), clip(args[j], 80), len(args))
			}
			if judgeAnswer(t, args[i], values.Break{}, a).ending == succeeded && repeats(3) && equalTogether(ctx, r, s, t, args, alone) {
				first, _ := jsontree.Parse([]byte(alone[i]))
				where, is, was := difference(a.result(), first, "")
				return fmt.Sprintf("%s answers %s otherwise when %d calls with other arguments run at once: %s is %s, and %s whenever it runs alone", t.name,
					clip(args[i], 80), len(args), where, is, was)
			}
		}
	}
	return ""
}

// equalTogether reports whether equal calls at once have the answer that each of the arguments has alone, each time.
func equalTogether(ctx context.Context, r rig, s *session, t *tool, args, alone []string) bool {
	for range 2 {
		for i, one := range args {
			for _, a := range callTogether(ctx, r, s, t, slices.Repeat([]string{one}, len(args)), r.o.Timeout) {
				if result(a) != alone[i] {
					return false
				}
			}
		}
	}
	return true
}

// result is what was answered, without the id; "" if nothing was.
func result(a *answer) string {
	if a == nil || a.outcome != answered {
		return ""
	}
	if v := a.result(); v != nil {
		return v.JSON()
	}
	if e := a.whole.In("error"); e != nil {
		return e.JSON()
	}
	return ""
}

// variants are arguments of a tool that succeed with different answers, the control first.
func variants(r rig, t *tool, most int) []string {
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
	tried := map[string]bool{}
	began := time.Now()
	for _, one := range candidates {
		if len(args) == most || time.Since(began) > r.o.Time/30 {
			break
		}
		if tried[one] {
			continue
		}
		tried[one] = true
		a := r.invoke(r.ctx, s, t, one, r.o.Timeout)
		if a.outcome != answered {
			break
		}
		if at := judgeAnswer(t, one, values.Break{}, a); at.ending == succeeded && !seen[result(a)] && a.took < time.Second {
			seen[result(a)] = true
			args = append(args, one)
		}
	}
	return args
}

// flood sends 200 calls at once, unless their rate is limited.
func flood(r rig) {
	for _, t := range r.active() {
		if !t.readOnly || t.control == "" || t.pace > 50*time.Millisecond || r.o.Rate > 0 {
			continue
		}
		const calls = 200
		r.probe(fault{check: "Flood"}, nil, func(ctx context.Context, s *session) string {
			args := slices.Repeat([]string{t.control}, calls)
			missing := 0
			for _, a := range callTogether(ctx, r, s, t, args, r.o.Timeout) {
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
