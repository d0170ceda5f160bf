package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// afterwards is how long after its answer a call may end the server.
const afterwards = 700 * time.Millisecond

// crashed keeps the suspicion that calls have ended the server.
func (r *runner) crashed(s *session) {
	r.main = nil
	r.listen(s)
	s.kill()
	history, reason := s.history(), s.end()
	if len(history) == 0 {
		return
	}
	last := history[len(history)-1]
	f := fault{check: "Crash", severity: Error, proof: ByContract, advice: "Catch what fails in a call, also in work that goes on after the answer, and answer an error."}
	one := r.suspect(last.tool, last.args, values.Break{}, f)
	if one == nil {
		return
	}
	one.calls = nil
	ends := func(calls []call) bool {
		s, err := r.fresh()
		if err != nil {
			return false
		}
		defer s.kill()
		for _, c := range calls {
			if a := r.invoke(r.ctx, s, c.tool, c.args, r.o.Timeout); a.outcome == broken {
				reason = "while a call runs: " + s.end()
				return true
			}
		}
		select {
		case <-s.ended():
			reason = "after its answer: " + s.end()
			return true
		case <-time.After(afterwards):
			return false
		}
	}
	var calls []call
	one.again = func(context.Context) bool {
		if calls == nil {
			if calls = r.reduce(history, ends); calls == nil {
				calls = history
			}
		}
		shown := ends(calls)
		one.message = fmt.Sprintf("%s ends the server, %s", calls[len(calls)-1].tool.name, reason)
		one.tool, one.args = calls[len(calls)-1].tool, calls[len(calls)-1].args
		if len(calls) > 1 {
			one.calls = calls
			one.message = fmt.Sprintf("%d calls end the server, %s", len(calls), reason)
		}
		return shown
	}
}

// hangs keeps the suspicion that the server never answers a call, and waits longer for a second one in the background.
func (r *runner) hangs(s *session, t *tool, args string) {
	t.hangs++
	r.main = nil
	whole := !s.alive(r.ctx, 2*time.Second)
	r.listen(s)
	history := s.history()
	s.kill()
	r.work.Go(func() {
		for _, calls := range [][]call{nil, history[:len(history)-1]} {
			s, err := r.fresh()
			if err != nil {
				return
			}
			for _, c := range calls {
				r.invoke(r.ctx, s, c.tool, c.args, r.o.Timeout)
			}
			a := r.invoke(r.ctx, s, t, args, r.o.Patience)
			s.kill()
			if a.outcome != silent || r.ctx.Err() != nil {
				continue
			}
			what := "the server answers other requests meanwhile"
			if whole {
				what = "the server answers nothing else either"
			}
			r.handed.add(func() {
				one := r.suspect(t, args, values.Break{}, fault{check: "Hang", severity: Error, proof: ByContract,
					message: fmt.Sprintf("%s does not answer in %v, and not in %v in a second instance; %s", t.name, r.o.Timeout, r.o.Patience, what),
					advice:  "Answer every request: limit how long a call may take, and answer an error then."})
				if one == nil {
					return
				}
				one.calls = nil
				if calls != nil {
					one.calls = append(slices.Clone(calls), call{t, args})
				}
				one.again = func(context.Context) bool { return true } // it was seen twice
			})
			return
		}
	})
}

// ends starts instances that are only ended, in the background.
func (r *runner) ends() {
	process, _ := r.main.isProcess()
	if !process || !r.runs("NoExit") {
		return
	}
	seen := 0
	stays := func() bool {
		s, err := r.fresh()
		if err != nil {
			return false
		}
		defer s.kill()
		r.handed.add(func() { r.listen(s) })
		s.alive(r.ctx, r.o.Timeout)
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
			one := r.suspect(nil, "", values.Break{}, fault{check: "NoExit", severity: Warning, proof: ByProtocol,
				message: "the server still runs 10 s after its input has ended",
				advice:  "End the program when its standard input ends (basic/lifecycle, Shutdown): hosts do not end such processes."})
			if one != nil {
				one.again = func(context.Context) bool { return seen == 2 }
			}
		})
	})
}

// listen keeps the suspicion that the server writes what is not a message.
func (r *runner) listen(s *session) {
	s.mu.Lock()
	lines := slices.Clone(s.noise)
	s.noise = nil
	s.mu.Unlock()
	if process, http := s.isProcess(); len(lines) == 0 || http || !process && r.plain {
		return
	}
	history := s.history()
	first := lines[0]
	f := fault{check: "StdoutNoise", severity: Warning, proof: ByProtocol,
		message: fmt.Sprintf("the server writes to its standard output what is not a message, such as %q", clip(first.line, 80)),
		advice:  "Write to the standard error: the standard output is for messages only (basic/transports, stdio)."}
	if len(lines) > 1 {
		f.message += fmt.Sprintf(" (%d lines)", len(lines))
	}
	if strings.HasPrefix(first.line, "npm ") {
		f.severity = Note
	}
	one := r.suspect(nil, "", values.Break{}, f)
	if one == nil {
		return
	}
	noisy := func(calls []call) bool {
		s, err := r.fresh()
		if err != nil {
			return false
		}
		defer s.kill()
		for _, c := range calls {
			r.invoke(r.ctx, s, c.tool, c.args, r.o.Timeout)
		}
		time.Sleep(100 * time.Millisecond)
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.noise) > 0
	}
	calls := history[:min(first.after, len(history))]
	reduced := false
	one.again = func(context.Context) bool {
		if !reduced {
			reduced = true
			if noisy(nil) {
				calls = nil
			} else if less := r.reduce(calls, noisy); less != nil {
				calls = less
			}
			one.calls = calls
		}
		return noisy(calls)
	}
}

// growth looks for calls that take longer and longer.
func (w protocolChecks) growth() {
	r := w.run
	if !r.runs("Slow") {
		return
	}
	const calls, runs = 50, 3
	grows := func(t *tool) (first, last time.Duration, slower bool) {
		s, err := r.fresh()
		if err != nil {
			return 0, 0, false
		}
		defer s.kill()
		var took []time.Duration
		for range calls {
			a := r.invoke(r.ctx, s, t, t.control, r.o.Timeout)
			if a.outcome != answered || !r.left(92) {
				return 0, 0, false
			}
			took = append(took, a.took)
		}
		slices.Sort(took[:calls/5])
		slices.Sort(took[calls-calls/5:])
		first, last = took[calls/10], took[calls-calls/10]
		return first, last, last > 3*first && last-first > 20*time.Millisecond
	}
	began := time.Now()
	for _, t := range r.active() {
		if t.control == "" || !t.readOnly || time.Since(began) > r.o.Time/10 || !r.left(85) || t.pace() > 60*time.Millisecond {
			continue
		}
		first, last, slower := grows(t)
		for i := 1; slower && i < runs; i++ {
			first, last, slower = grows(t)
		}
		if !slower {
			continue
		}
		one := r.suspect(t, t.control, values.Break{}, fault{check: "Slow", keyword: "growth", severity: Warning, proof: ByContract,
			message: fmt.Sprintf("%s takes longer with every call: %v at first, %v after %d equal calls", t.name, first.Round(time.Millisecond), last.Round(time.Millisecond), calls),
			advice:  "Look for what grows with each call: a list that is searched, a listener that is added, a log that is read."})
		if one != nil {
			for range calls {
				one.calls = append(one.calls[:len(one.calls):len(one.calls)], call{t, t.control})
			}
			one.calls = one.calls[len(one.calls)-calls:]
			one.again = func(context.Context) bool { return true } // three runs have shown it
		}
	}
}

// slow compares a call with the limit that was asked for.
func (at *attempt) slow() []fault {
	if most := at.tool.longest; most > 0 && at.answer.took > most {
		return []fault{{check: "Slow", keyword: "max", severity: Warning, proof: ByContract,
			message: fmt.Sprintf("%s takes longer than %v", at.tool.name, most), advice: "Answer sooner, or run as a task."}}
	}
	return nil
}

// other is the era that the server speaks as well, and is not checked first; 0 if there is none.
func (r *runner) other() protocol.Era {
	for _, e := range r.eras {
		if e != r.era {
			return e
		}
	}
	return 0
}
