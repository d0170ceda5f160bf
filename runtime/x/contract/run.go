package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// rig is what checks work with: the finder and, by it, the instance and the plan. None of these three knows a check.
type rig struct{ *finder }

// newRig fills in what options leave out.
func newRig(ctx context.Context, conn Conn, o Options) rig {
	o.Seed = cmp.Or(o.Seed, 1)
	o.Time, o.Timeout, o.Patience = cmp.Or(o.Time, time.Minute), cmp.Or(o.Timeout, 10*time.Second), cmp.Or(o.Patience, time.Minute)
	o.Calls = cmp.Or(o.Calls, 200)
	p := &plan{o: o, plain: o.Methods != nil || o.Discover, ctx: ctx, began: time.Now(), budget: time.Now()}
	p.report = &Report{Version: 1, Seed: o.Seed, Findings: []Finding{}, Tools: []Tool{}, Skipped: []Skipped{}, Server: Server{Protocol: "mcp"}}
	return rig{&finder{instance: &instance{plan: p, conn: conn, pool: pool{}, files: whatIsThere(o, conn)}, suspects: map[string]*suspect{},
		shrunk: map[string]int{}}}
}

// run is [Run].
func run(ctx context.Context, conn Conn, o Options) (*Report, error) {
	r := newRig(ctx, conn, o)
	if err := r.start(); err != nil {
		return nil, err
	}
	r.budget = time.Now()
	defer func() {
		if r.main != nil {
			r.main.kill()
		}
	}()
	for i, phase := range []func(rig){ends, static, examples, replayKnown, tryFixed, tryDrawn, state, wire} {
		phase(r)
		confirming := time.Now()
		confirm(r)
		r.confirming += time.Since(confirming)
		r.extend(time.Since(confirming))
		if i == 1 { // what is listed was read, by several instances of a server that may start slowly: calls come now
			r.budget = r.budget.Add(min(time.Since(r.budget), r.o.Time/2))
		}
		if ctx.Err() != nil || r.found && o.Finding != "" {
			break
		}
	}
	r.work.Wait()
	confirm(r)
	finish(r)
	return r.report, nil
}

// confirm sees to the suspects that are new, those of the background and of what the server has said unasked too.
func confirm(r rig) {
	r.handed.call()
	if r.main != nil {
		r.listen(r.main)
	}
	r.finder.confirm()
}

// errNotAnswered says that a plain server does not answer.
var errNotAnswered = errors.New("the server does not answer")

func (t *tool) order() int {
	switch {
	case t.readOnly:
		return 0
	case !t.destructive:
		return 1
	}
	return 2
}

// try calls a tool with arguments that were not tried before, judges the answer and keeps what is suspect. It returns nil if nothing was called.
// Arguments that were drawn are tried again when it is known in which place they differ from a control.
func (r rig) try(t *tool, args string, hint values.Break) *attempt {
	args = r.with(t, args)
	known, done := t.tried[args]
	if done && (known || hint.Keyword == "") || t.stats.Calls >= r.o.Calls || t.hangs >= 2 {
		return nil
	}
	t.tried[args] = hint.Keyword != ""
	return r.call(t, args, hint)
}

// call is try for arguments that may have been tried before.
func (r rig) call(t *tool, args string, hint values.Break) *attempt {
	if r.main != nil && r.main.over() {
		r.suspectCrash(r.main)
	}
	s := r.session()
	if s == nil || r.ctx.Err() != nil {
		return nil
	}
	a := r.invoke(r.ctx, s, t, args, r.o.Timeout)
	t.spent += a.took
	if s.asks() && t.asking == "" {
		t.asking = args
	}
	at := judgeAnswer(t, args, hint, a)
	if missing := at.missing(); missing != "" {
		t.stats.Skipped = "its scopes are missing: " + missing
		return nil
	}
	count(r, t, at)
	switch {
	case a.outcome == broken:
		r.suspectCrash(s)
	case a.outcome == silent && r.ctx.Err() == nil:
		r.extend(r.o.Timeout)
		r.hangs(s, t, args)
	default:
		learn(r, at)
		for _, f := range at.faults() {
			r.suspect(t, args, hint, f)
		}
	}
	return at
}

// count keeps the numbers of the report.
func count(r rig, t *tool, at *attempt) {
	r.report.Calls++
	t.stats.Calls++
	switch at.ending {
	case succeeded:
		t.stats.Succeeded++
		t.stats.Reached = true
	case refused:
		t.stats.Refused++
	default:
		t.stats.Failed++
	}
	if at.ending != succeeded && len(at.breaks) == 0 {
		t.refusals[clip(at.text, 80)]++
	}
	if r.o.OnCall != nil && time.Since(r.began) > time.Duration(r.announced)*200*time.Millisecond {
		r.announced = int(time.Since(r.began)/(200*time.Millisecond)) + 1
		r.o.OnCall(r.report.Calls, t.name)
	}
}

// learn keeps what a success returned, and what a refusal says about arguments.
func learn(r rig, at *attempt) {
	t := at.tool
	if at.ending == succeeded {
		t.took = append(t.took, at.answer.took)
		if took := at.answer.took; took > 200*time.Millisecond && (t.slow == "" || (took-time.Second).Abs() < (t.slowness-time.Second).Abs()) {
			t.slow, t.slowness = at.json, took
		}
		result := at.answer.result()
		if structured := result.In("structuredContent"); structured != nil {
			r.pool.add(structured)
		} else if v, err := jsontree.Parse([]byte(strings.TrimSpace(contentText(result)))); err == nil && at.mcp {
			r.pool.add(v)
		} else if !at.mcp && result != nil {
			r.pool.add(result)
		}
		if len(at.breaks) == 0 && len(t.worked) < 24 {
			t.worked = append(t.worked, at.json)
		}
		if len(at.breaks) == 0 && (t.control == "" || at.answer.bytes > t.size) {
			t.control, t.size, t.pace = at.json, at.answer.bytes, at.answer.took
		}
		return
	}
	if len(at.breaks) > 0 || len(at.text) > 1000 {
		return
	}
	for _, name := range at.args.Names() {
		if arg := at.args.In(name); pathRefused().MatchString(at.text) && arg.Is(jsontree.Text) &&
			(strings.Contains(at.text, name) || len(arg.Text) > 1 && strings.Contains(at.text, arg.Text)) {
			t.pathlike[name] = true
		}
		if !strings.Contains(at.text, name) || len(t.learned[name]) > 10 {
			continue
		}
		for _, word := range quotedWords().FindAllStringSubmatch(at.text, 12) {
			if word[1] != name && !strings.Contains(at.json, `"`+word[1]+`"`) {
				t.learned[name] = append(t.learned[name], strconv.Quote(word[1]))
			}
		}
	}
}

// finish completes the report.
func finish(r rig) {
	reach(r)
	for _, t := range r.tools {
		r.report.Tools = append(r.report.Tools, t.stats)
	}
	summaries(r)
	group(r)
	for _, name := range Names() {
		if r.runs(name) {
			r.report.Checks++
		}
	}
	r.report.Elapsed = time.Since(r.began)
}

// mostFrequent is the key of the largest count.
func mostFrequent(counts map[string]int) (most string) {
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		if most == "" || counts[text] > counts[most] {
			most = text
		}
	}
	return most
}

// summaries are sentences about the server that are not findings.
func summaries(r rig) {
	open := 0
	for _, t := range r.tools {
		if t.schema().In("additionalProperties") == nil && t.entry != nil {
			open++
		}
	}
	if open > 0 {
		r.report.Summary = append(r.report.Summary, fmt.Sprintf("tools with an open input, where unknown arguments are not refused: %d", open))
	}
}
