package contract

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/procgroup"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// afterwards is how long after its answer a call may end the server.
const afterwards = 700 * time.Millisecond

// suspectCrash keeps the suspicion that calls have ended the server.
func (r rig) suspectCrash(s *session) {
	r.main = nil
	r.listen(s)
	s.kill()
	history, reason := s.history(), s.end()
	if len(history) == 0 {
		return
	}
	last := history[len(history)-1]
	f := fault{check: "Crash", proof: ByContract}
	one := r.suspect(last.tool, last.args, values.Break{}, f)
	if one == nil {
		return
	}
	one.calls = nil
	c := &crash{r, afterwards, reason}
	var calls []call
	one.again = func(context.Context) bool {
		if calls == nil {
			if calls = r.culprits(history, c.shows); calls == nil {
				calls = history
			}
			if len(calls) == 1 {
				calls = []call{c.smaller(calls[0])}
			}
		}
		shown := c.shows(calls)
		one.message = fmt.Sprintf("%s ends the server, %s", calls[len(calls)-1].tool.name, c.reason)
		one.tool, one.args = calls[len(calls)-1].tool, calls[len(calls)-1].args
		if strings.HasPrefix(c.reason, "after") { // a line that makes one call ends before the server does
			one.calls = calls
		}
		if len(calls) > 1 {
			one.calls = calls
			one.message = fmt.Sprintf("%d calls end the server, %s", len(calls), c.reason)
		}
		return shown
	}
}

// crash makes calls that end the server again, each time in a new instance.
type crash struct {
	run    rig
	wait   time.Duration // for the end, after the last answer
	reason string        // when and how the last instance has ended
}

// shows reports whether the calls end the server.
func (c *crash) shows(calls []call) bool {
	return c.run.replay(calls, func(s *session, missed *answer) bool {
		if missed != nil && missed.outcome == broken {
			c.reason = "while a call runs: " + s.end()
			return true
		}
		select {
		case <-s.ended():
			c.reason = "after its answer: " + s.end()
			return true
		case <-time.After(c.wait):
			return false
		}
	})
}

// smaller is the one call with smaller arguments.
func (c *crash) smaller(one call) call {
	v, err := jsontree.Parse([]byte(one.args))
	if err != nil || one.tool.input == nil || !c.shows([]call{one}) {
		return one
	}
	if strings.HasPrefix(c.reason, "while") {
		c.wait = 10 * time.Millisecond
	}
	broken, deadline := len(one.tool.input.Judge([]byte(one.args))), time.Now().Add(c.run.o.Timeout/2)
	v = smallest(v, func(less *jsontree.Value) bool {
		json := c.run.with(one.tool, less.JSON())
		return time.Now().Before(deadline) && len(one.tool.input.Judge([]byte(json))) == broken && c.shows([]call{{one.tool, json}})
	})
	c.wait = afterwards
	return call{one.tool, c.run.with(one.tool, v.JSON())}
}

// hangs keeps the suspicion that the server never answers a call, and waits longer for a second one in the background.
func (r rig) hangs(s *session, t *tool, args string) {
	t.hangs++
	r.main = nil
	whole := !s.alive(r.ctx, 2*time.Second)
	r.listen(s)
	history := s.history()
	s.kill()
	r.work.Go(func() {
		for _, calls := range [][]call{nil, history[:len(history)-1]} {
			severity, proof, what := Error, ByContract, "the server answers other requests meanwhile"
			if whole {
				what = "the server answers nothing else either"
			}
			if !r.replay(calls, func(s *session, _ *answer) bool {
				s.watched = true
				a := r.invoke(r.ctx, s, t, args, r.o.Patience)
				if s.moves(r.o.Patience / 3) {
					what, severity, proof = "it notifies of progress meanwhile", Note, Heuristic
				}
				return a.outcome == silent && r.ctx.Err() == nil
			}) {
				continue
			}
			r.handed.add(func() {
				if calls != nil {
					calls = append(slices.Clone(calls), call{t, args})
				}
				r.suspect(t, args, values.Break{}, fault{check: "Hang", severity: severity, proof: proof,
					message: fmt.Sprintf("%s does not answer in %v, and not in %v in a second instance; %s", t.name, r.o.Timeout, r.o.Patience, what)}).shownBy(calls, func(context.Context) bool { return true }) // it was seen twice
			})
			return
		}
	})
}

// ends starts instances that are only ended, in the background.
func ends(r rig) {
	process, _ := r.main.isProcess()
	if !process || !r.runs("NoExit") {
		return
	}
	seen := 0
	var first *call // what the server has started for a call may keep it
	for _, t := range r.active() {
		if args, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal")); ok && t.readOnly {
			first = &call{t, r.with(t, string(args))}
			break
		}
	}
	stays := func() bool {
		s, err := r.fresh()
		if err != nil {
			return false
		}
		defer s.kill()
		defer r.handed.add(func() { r.listen(s) })
		s.alive(r.ctx, r.o.Timeout)
		if first != nil {
			if r.invoke(r.ctx, s, first.tool, first.args, r.o.Timeout).outcome != answered {
				return false
			}
		}
		time.Sleep(300 * time.Millisecond) // it may have asked something, and wait for the answer
		s.hangUp()
		select {
		case <-s.ended():
			return false
		case <-r.ctx.Done():
			return false
		case <-time.After(10 * time.Second):
			return true
		}
	}
	r.work.Go(func() {
		if !stays() {
			return
		}
		if seen++; stays() {
			seen++
		}
		r.handed.add(func() {
			r.suspect(nil, "", values.Break{}, fault{check: "NoExit",
				message: "the server still runs 10 s after its input has ended"}).shownBy(nil, func(context.Context) bool { return seen == 2 })
		})
	})
}

// listen keeps the suspicion that the server writes what is not a message, or messages that no call asked for.
func (r rig) listen(s *session) {
	overhears(r, s)
	s.mu.Lock()
	lines := slices.Clone(s.noise)
	s.noise = nil
	s.mu.Unlock()
	if process, http := s.isProcess(); len(lines) == 0 || http || !process && r.plain {
		return
	}
	history := s.history()
	first := lines[0]
	f := fault{check: "StdoutNoise", message: fmt.Sprintf("the server writes to its standard output what is not a message, such as %q", clip(first.line, 80))}
	if len(lines) > 1 {
		f.message += fmt.Sprintf(" (%d lines)", len(lines))
	}
	if strings.HasPrefix(first.line, "npm ") {
		f.severity = Note
	}
	r.overheard(f, history[:min(first.after, len(history))], func(s *session) bool {
		if wait := 2*first.age + quiet - time.Since(s.began); s.made == 0 && first.age < 2*time.Second { // it may be written after a time
			time.Sleep(wait)
		}
		time.Sleep(quiet)
		if first.atEnd {
			s.hangUp()
			select {
			case <-s.ended():
			case <-time.After(2 * time.Second):
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.noise) > 0
	})
}

// growth looks for calls that take longer and longer: equal ones in new sessions and, where the whole process grows slower, those of this run.
func growth(r rig) {
	if !r.runs("Slow") {
		return
	}
	began := time.Now()
	for _, t := range r.active() {
		calls, runs, base := 50, 3, time.Hour
		early, _, slowed := rise(t.took, base)
		after := "%v after %d equal calls"
		if slowed {
			calls, runs, base, after = 20, 2, early, "%v after those of this run and %d equal ones"
		}
		if t.control == "" || !t.readOnly || r.outOfTime(began, "Slow", t) {
			continue
		}
		if t.pace > 60*time.Millisecond || slowed { // it may be slow because of what was called before
			switch now := equal(r, t, 1); {
			case len(now) == 0, now[0] > 60*time.Millisecond && !slowed:
				continue
			case now[0] > 60*time.Millisecond: // the whole process is
				calls = 8
			}
		}
		first, last, slower := rise(equal(r, t, calls), base)
		for i := 1; slower && i < runs; i++ {
			_, _, slower = rise(equal(r, t, min(calls, 25)), base)
		}
		if !slower {
			continue
		}
		r.suspect(t, t.control, values.Break{}, fault{check: "Slow", keyword: "growth",
			message: fmt.Sprintf("%s takes longer with every call: %v at first, "+after, t.name, min(first, base).Round(time.Millisecond), last.Round(time.Millisecond), calls)}).shownBy(slices.Repeat([]call{{t, t.control}}, calls), func(context.Context) bool { return true }) // what was measured has shown it
	}
}

// equal returns what each of some equal calls takes in a new session. It is nil if one is not answered.
func equal(r rig, t *tool, calls int) (took []time.Duration) {
	s, err := r.fresh()
	if err != nil {
		return nil
	}
	defer s.kill()
	for range calls {
		a := r.invoke(r.ctx, s, t, t.control, r.o.Timeout)
		if a.outcome != answered || r.late(95, "Slow", t) {
			return nil
		}
		took = append(took, a.took)
	}
	return took
}

// rise compares the first fifth of some calls with the last, and at least four with four. It is slower if each of the last calls takes longer than each of the first, and they
// take three times as long as the first or as the base.
func rise(took []time.Duration, base time.Duration) (first, last time.Duration, slower bool) {
	n := max(4, len(took)/5)
	if len(took) < 2*n {
		return 0, 0, false
	}
	before, after := slices.Sorted(slices.Values(took[:n])), slices.Sorted(slices.Values(took[len(took)-n:]))
	first, last = before[n/2], after[n/2]
	return first, last, after[0] > before[n-1] && last > 3*min(first, base) && last-min(first, base) > 20*time.Millisecond
}

// slow compares a call with the limit that was asked for.
func (at *attempt) slow() []fault {
	if most := at.tool.longest; most > 0 && at.answer.took > most {
		return []fault{{check: "Slow", keyword: "max", message: fmt.Sprintf("%s takes longer than %v", at.tool.name, most)}}
	}
	return nil
}

// otherEra is the era that the server speaks as well, and is not checked first; 0 if there is none.
func otherEra(r rig) protocol.Era {
	if i := slices.IndexFunc(r.eras, func(e protocol.Era) bool { return e != r.era }); i >= 0 {
		return r.eras[i]
	}
	return 0
}

// Group is a program and what it has started: a process group on Unix, a job object on Windows, and elsewhere the program alone. It is safe for concurrent use.
type Group = procgroup.Group

// StartGroup starts cmd with a group of its own, as [Process] does. Once the program was waited for, Group.End ends what is left of it.
func StartGroup(cmd *exec.Cmd) (*Group, error) { return procgroup.Start(cmd) }
