package contract

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// finder keeps suspects, and makes findings of those that show again in new sessions. It replays calls, and knows no check.
type finder struct {
	*instance
	suspects  map[string]*suspect
	order     []*suspect
	shrunk    map[string]int // how many suspects of one cause were made smaller
	shrinking time.Duration  // spent on that
	ended     [][]call       // calls that have ended the server
	found     bool           // a suspect was confirmed
	work      sync.WaitGroup // what waits in the background
	handed    handover       // over by what waits
}

// suspect keeps a fault, unless one like it is known.
func (fr *finder) suspect(t *tool, args string, hint values.Break, f fault) *suspect {
	if !fr.runs(f.check) {
		return nil
	}
	f = f.complete()
	name := ""
	if t != nil {
		name = t.name
	}
	key := strings.Join([]string{f.check, f.keyword, name, f.pointer}, "\x00")
	if fr.o.Finding != "" && fr.o.Finding != idOf(key) {
		return nil
	}
	old := fr.suspects[key]
	switch {
	case old == nil:
	case !old.done && old.again == nil && len(args) < len(old.args) && f.severity.Rank() >= old.severity.Rank():
		old.fault, old.args, old.hint = f, args, hint
		return nil
	case old.severity.Rank() >= f.severity.Rank() && (old.seen > 0 || !old.done):
		return nil
	}
	s := &suspect{fault: f, tool: t, args: args, hint: hint}
	if fr.main != nil && old == nil && t != nil {
		s.calls = fr.main.history()
	}
	fr.suspects[key] = s
	fr.order = slices.DeleteFunc(fr.order, func(o *suspect) bool { return o == old })
	fr.order = append(fr.order, s)
	return s
}

// fact keeps a fault that needs no second look, since it stands in what the server lists.
func (fr *finder) fact(t *tool, f fault) {
	if one := fr.suspect(t, "", values.Break{}, f); one != nil {
		one.calls, one.listed = nil, t != nil && t.method == nil && f.check != "ReachNone"
		one.again = func(context.Context) bool { return true }
	}
}

// twice keeps a fault of a session that a function looks for in new ones.
func (fr *finder) twice(f fault, sent []string, again func(ctx context.Context, s *session) bool) {
	if one := fr.suspect(nil, "", values.Break{}, f); one != nil {
		one.sent = sent
		one.again = func(ctx context.Context) bool { return fr.inFresh(func(s *session) bool { return again(ctx, s) }) }
	}
}

// probe keeps a fault that a function sees in a session and in new ones. The function returns "" where all is well, and else what is wrong. Probes that
// see nothing share a session.
func (fr *finder) probe(f fault, sent []string, see func(ctx context.Context, s *session) string) {
	if fr.runs(f.check) {
		if s := fr.scoutSession(); s != nil && fr.probeIn(s, f, sent, see) {
			fr.renew()
		}
	}
}

// probeIn keeps a fault that a function sees in a session, which it reports, and in new ones.
func (fr *finder) probeIn(s *session, f fault, sent []string, see func(ctx context.Context, s *session) string) (seen bool) {
	if !fr.runs(f.check) {
		return false
	}
	if f.message = see(fr.ctx, s); f.message != "" {
		fr.twice(f, sent, func(ctx context.Context, s *session) bool { return see(ctx, s) != "" })
	}
	return f.message != ""
}

// controls is probe for what calls that succeed show; only few are made.
func (fr *finder) controls(f fault, see func(ctx context.Context, s *session, call func(*tool)) string) {
	if fr.plain {
		return
	}
	fr.probe(f, nil, func(ctx context.Context, s *session) string {
		made := 0
		return see(ctx, s, func(t *tool) {
			if t.control != "" && !t.destructive && t.pace < time.Second && made < 6 {
				made++
				fr.invoke(ctx, s, t, t.control, fr.o.Timeout)
			}
		})
	})
}

// overheard keeps a fault of a session that shows after calls; those that are not needed are left out.
func (fr *finder) overheard(f fault, calls []call, there func(*session) bool) {
	one := fr.suspect(nil, "", values.Break{}, f)
	if one == nil {
		return
	}
	shows := func(calls []call) bool {
		return fr.replay(calls, func(s *session, _ *answer) bool { return there(s) })
	}
	reduced := false
	one.again = func(context.Context) bool {
		if !reduced {
			reduced = true
			if shows(nil) {
				calls = nil
			} else if less := reduce(calls, shows); less != nil {
				calls = less
			}
			one.calls = calls
		}
		return shows(calls)
	}
}

// confirm sees to the suspects that are new: each has to show twice more, in new instances.
func (fr *finder) confirm() {
	var alone, together []*suspect
	for _, s := range fr.order {
		switch {
		case s.done:
		case s.again != nil:
			alone = append(alone, s)
		default:
			together = append(together, s)
		}
	}
	fr.confirmTogether(together)
	for _, s := range alone {
		for range 2 {
			if s.again(fr.ctx) {
				s.seen++
			}
		}
		fr.settle(s)
	}
}

// confirmTogether confirms faults of single answers: all of them in one instance, and again in a second one. One that does not show so may
// need the calls before it.
func (fr *finder) confirmTogether(all []*suspect) {
	if len(all) == 0 {
		return
	}
	for round := range 2 {
		s, err := fr.fresh()
		if err != nil {
			break
		}
		for _, one := range all {
			if s.over() {
				if s, err = fr.fresh(); err != nil {
					return
				}
			}
			if one.seen == round && fr.shows(s, one, one.args) {
				one.seen++
			}
		}
		s.kill()
	}
	for _, one := range all {
		if one.seen == 2 {
			one.calls = nil
			fr.shrink(one)
		} else {
			fr.confirmHistory(one)
		}
		fr.settle(one)
	}
}

// replay makes calls in a new session, and reports what a function says of it then. missed is the last answer that did not come.
func (fr *finder) replay(calls []call, then func(s *session, missed *answer) bool) bool {
	return fr.inFresh(func(s *session) bool {
		var missed *answer
		for _, c := range calls {
			if a := fr.invoke(fr.ctx, s, c.tool, c.args, fr.o.Timeout); a.outcome != answered {
				if missed = a; a.outcome == broken {
					break
				}
			}
		}
		return then(s, missed)
	})
}

// shows reports whether a call shows the fault, after the control of its tool.
func (fr *finder) shows(s *session, one *suspect, args string) bool {
	if one.tool.control != "" && one.tool.control != args && !one.tool.destructive {
		fr.invoke(fr.ctx, s, one.tool, one.tool.control, fr.o.Timeout)
	}
	return fr.showsAlone(s, one, args)
}

func (fr *finder) showsAlone(s *session, one *suspect, args string) bool {
	a := fr.invoke(fr.ctx, s, one.tool, args, 2*fr.o.Timeout) // the answer may have needed nearly all of the time when the fault was seen
	at := judgeAnswer(one.tool, args, one.hint, a)
	return slices.ContainsFunc(at.faults(), func(f fault) bool {
		return f.check == one.check && f.keyword == one.keyword && f.pointer == one.pointer && f.severity.Rank() >= one.severity.Rank()
	})
}

// confirmHistory plays what came before the call, and cuts that down.
func (fr *finder) confirmHistory(one *suspect) {
	history := one.calls
	one.calls, one.seen = nil, 0
	if one.tool.control != "" && one.tool.destructive { // what it destroys has to be there
		history = slices.DeleteFunc(history, func(c call) bool { return c.tool == one.tool && c.args == one.args })
	}
	try := func(calls []call) bool {
		return fr.replay(calls, func(s *session, missed *answer) bool { return missed == nil && fr.showsAlone(s, one, one.args) })
	}
	if len(history) == 0 || !fr.left(95) {
		return
	}
	if last := len(history) - 1; history[last].tool == one.tool && history[last].args == one.args {
		history = history[:last]
	}
	calls := reduce(history, try)
	if calls == nil {
		return
	}
	one.seen = 1
	if try(calls) {
		one.seen = 2
	}
	one.calls = append(slices.Clone(calls), call{one.tool, one.args})
}

// culprits returns the calls of a history that end the server; nil if not even all do. Those that have ended it before are tried first, and then what
// ends it most often: one call, or a second one of the same tool.
func (fr *finder) culprits(history []call, ends func([]call) bool) (found []call) {
	deadline := time.Now().Add(fr.o.Timeout / time.Duration(1+len(fr.ended))) // what ends often takes less each time
	soon := func(calls []call) bool { return time.Now().Before(deadline) && ends(calls) }
	for _, known := range fr.ended {
		if !slices.ContainsFunc(known, func(c call) bool { return !slices.Contains(history, c) }) && soon(known) {
			return known
		}
	}
	if !ends(history) {
		return nil
	}
	defer func() { fr.ended = append(fr.ended, found) }()
	n := 1 + sort.Search(len(history)-1, func(n int) bool { return soon(history[:n+1]) }) // the first calls that end it
	last := history[n-1]
	if soon([]call{last}) {
		return []call{last}
	}
	for _, c := range history[max(0, n-20) : n-1] {
		if c.tool == last.tool && soon([]call{c, last}) {
			return []call{c, last}
		}
	}
	if len(fr.ended) < 3 {
		found = reduce(history[:n], ends)
	}
	if found == nil {
		found = history[:n]
	}
	return found
}

// shrink makes the arguments smaller, as long as they show the fault.
func (fr *finder) shrink(one *suspect) {
	cause := one.check + one.keyword
	if fr.shrunk[cause]++; fr.shrunk[cause] > 3 { // a row shows one case
		return
	}
	v, err := jsontree.Parse([]byte(one.args))
	s, fault := fr.fresh()
	if err != nil || fault != nil {
		return
	}
	defer func() { s.kill() }()
	budget, began := 200, time.Now()
	deadline := began.Add(min(3*time.Second, max(fr.o.Time/3-fr.shrinking, 300*time.Millisecond)))
	defer func() { fr.shrinking += time.Since(began) }()
	if one.severity == Note {
		budget = 12
	}
	fits := len(one.tool.input.Judge([]byte(one.args)))
	holds := func(less *jsontree.Value) bool {
		json := fr.with(one.tool, less.JSON())
		if budget <= 0 || len(one.tool.input.Judge([]byte(json))) != fits {
			return false
		}
		if budget--; time.Now().After(deadline) {
			budget = 0
			return false
		}
		if s.over() {
			if s, fault = fr.fresh(); fault != nil {
				budget = 0
				return false
			}
		}
		return fr.showsAlone(s, one, json)
	}
	v = smallest(v, holds)
	one.args = v.JSON()
	at := judgeAnswer(one.tool, one.args, one.hint, fr.invoke(fr.ctx, s, one.tool, one.args, fr.o.Timeout))
	for _, f := range at.faults() { // the words are those of the smaller case
		if f.check == one.check && f.keyword == one.keyword && f.pointer == one.pointer {
			one.message = f.message
		}
	}
}

// settle ends the suspicion.
func (fr *finder) settle(s *suspect) {
	s.done = true
	fr.found = fr.found || s.seen == 2
	if s.seen == 2 && fr.o.OnFinding != nil {
		fr.o.OnFinding(fr.reportOf(s))
	}
}

// reportOf is what is reported of a suspect.
func (fr *finder) reportOf(s *suspect) Finding {
	f := Finding{Check: s.check, Keyword: s.keyword, Severity: s.severity, Proof: s.proof, Pointer: s.pointer, Message: s.message, Advice: s.advice, Seen: s.seen}
	name := ""
	if s.tool != nil {
		name = s.tool.name
		f.Tools, f.Arguments = []string{name}, s.args
	}
	if own := fr.o.Severities[s.check]; own != "" {
		f.Severity = own
	}
	f.ID = idOf(strings.Join([]string{s.check, s.keyword, name, s.pointer}, "\x00"))
	f.Transcript = s.sent
	for _, c := range s.calls {
		method, _, params := c.tool.request(c.args)
		f.Transcript = append(f.Transcript, string((&session{}).text(strconv.Itoa(len(f.Transcript)+1), method, params)))
	}
	switch {
	case s.listed:
		f.Reproduce = strings.TrimSpace("rpcgen tools --json " + fr.o.Shell)
	case s.calls == nil && s.sent == nil && s.tool != nil && s.args != "" && s.tool.method == nil:
		call := text.ShellWord(s.tool.name) + " --args " + strings.ReplaceAll(text.ShellWord(s.args), ownFolder, `'"`+ownFolder+`"'`)
		f.Reproduce = strings.TrimSpace("rpcgen call " + call + " " + fr.o.Shell)
		if !strings.HasPrefix(fr.o.Shell, "--") {
			f.Reproduce = strings.TrimSpace("rpcgen call " + fr.o.Shell + " " + call)
		}
	default:
		f.Reproduce = strings.TrimSpace(cmp.Or(fr.o.Replay, "rpcgen verify") + " --replay " + f.ID + " " + fr.o.Shell)
	}
	return f
}
