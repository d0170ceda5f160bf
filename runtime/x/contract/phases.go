package contract

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// examples finds a control for each tool: the call with the largest result.
func examples(r rig) {
	for _, t := range r.active() { // each tool once, before one that is slow takes the time of the others
		if json, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal")); ok && r.left(60) {
			r.try(t, string(json), values.Break{})
		}
	}
	for round := range 3 {
		for _, t := range r.active() {
			if t.control != "" && round > 0 && t.size > 400 || !r.left(40) {
				continue
			}
			exemplify(r, t, round)
		}
	}
}

// replayKnown makes the calls of findings that are looked for again.
func replayKnown(r rig) {
	for _, f := range r.o.Known {
		try := func(name, args string) {
			if i := slices.IndexFunc(r.active(), func(t *tool) bool { return t.name == name }); i >= 0 {
				r.call(r.active()[i], cmp.Or(args, "{}"), values.Break{Keyword: f.Keyword, Pointer: f.Pointer})
			}
		}
		for _, m := range f.Transcript {
			v, _ := jsontree.Parse([]byte(m))
			name, args := v.In("method").Str(), v.In("params")
			if name == "tools/call" {
				name, args = args.In("name").Str(), args.In("arguments")
			}
			try(name, args.Shown())
		}
		if len(f.Transcript) == 0 && len(f.Tools) > 0 && f.Arguments != "" {
			try(f.Tools[0], f.Arguments)
		}
	}
}

// exemplify tries a few valid calls of a tool.
func exemplify(r rig, t *tool, round int) {
	if round == 0 {
		if json, ok := t.input.Full(values.For(r.o.Seed, t.name, "full")); ok {
			r.try(t, string(json), values.Break{})
		}
	}
	successes, most := t.stats.Succeeded, 4+6*round
	for i := range most {
		json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "example", strconv.Itoa(round), strconv.Itoa(i)))
		if !ok {
			r.skip("", t.name, "no value was found that fits its input schema")
			return
		}
		if !r.left(40) || t.stats.Succeeded > successes+4 || t.spent > r.o.Time/8 {
			return
		}
		r.try(t, string(json), values.Break{})
	}
}

// tryFixed tries the bounds of each argument and each rule broken once, the tools in turn.
func tryFixed(r rig) {
	if r.main != nil && !r.main.over() { // calls of the examples may have deleted what others need
		r.main.kill()
		r.main = nil
	}
	refresh(r)
	for _, group := range groups(r) {
		queues := make([][]values.Case, len(group))
		for i, t := range group {
			prove(r, t)
			queues[i] = cases(r, t)
		}
		for busy := true; busy && r.left(60); {
			busy = false
			for i, t := range group {
				if len(queues[i]) == 0 || t.spent > r.o.Time/5 || !r.left(60) {
					continue
				}
				one := queues[i][0]
				queues[i], busy = queues[i][1:], true
				r.try(t, one.JSON, one.Break)
			}
		}
		for i, t := range group {
			if len(queues[i]) > 0 && t.stats.Calls < r.o.Calls && t.hangs < 2 {
				r.skip("", t.name, fmt.Sprintf("%d cases at bounds and of broken rules were left out: raise --time", len(queues[i])))
			}
		}
	}
}

// groups are the active tools by what they do: those that destroy come last, when the others need nothing more.
func groups(r rig) [][]*tool {
	groups := make([][]*tool, 3)
	for _, t := range r.active() {
		groups[t.order()] = append(groups[t.order()], t)
	}
	return groups
}

// prove finds a control that succeeds now, if the one of the tool no longer does.
func prove(r rig, t *tool) {
	if t.control == "" || !t.writes() {
		return
	}
	if at := r.call(t, t.control, values.Break{}); at != nil && at.ending == succeeded {
		return
	}
	t.size = 0
	for i := range 12 {
		json, ok := t.input.Draw(values.For(r.o.Seed, t.name, "prove", strconv.Itoa(i)))
		if !ok || !r.left(60) {
			return
		}
		if at := r.try(t, string(json), values.Break{}); at != nil && at.ending == succeeded {
			t.control = at.json
			return
		}
	}
}

// cases are those of a tool at its control, each rule of each place once before any comes a second time.
func cases(r rig, t *tool) []values.Case {
	base := t.control
	if base == "" {
		json, ok := t.input.Full(values.For(r.o.Seed, t.name, "base"))
		if !ok {
			return nil
		}
		base = string(json)
	}
	turns := map[string]int{}
	type turned struct {
		values.Case
		turn int
	}
	var all []turned
	for i, kind := range [][]values.Case{t.input.Breaks([]byte(base)), t.input.Bounds([]byte(base))} {
		for _, one := range kind {
			if t.method == nil && !strings.HasPrefix(one.JSON, "{") && !strings.HasPrefix(one.JSON, "[]") {
				continue // one is enough to see whether the server survives it
			}
			key := fmt.Sprint(i, one.Pointer, " ", one.Keyword)
			if one.Keyword == "enum" || one.Keyword == "const" || strings.HasPrefix(one.How, "null") {
				key += " " + one.How
			}
			all = append(all, turned{one, turns[key]})
			turns[key]++
		}
	}
	slices.SortStableFunc(all, func(a, b turned) int { return a.turn - b.turn })
	out := make([]values.Case, len(all))
	for i, one := range all {
		out[i] = one.Case
	}
	return out
}

// tryDrawn tries values at random until the budget of calls ends.
func tryDrawn(r rig) {
	for i := 0; r.left(64); i++ {
		busy := false
		for _, t := range r.active() {
			if len(t.schema().In("properties").Names()) == 0 || t.stats.Calls >= r.o.Calls || t.spent > r.o.Time/5 || i > 4*r.o.Calls || !r.left(64) {
				continue
			}
			c := values.For(r.o.Seed, t.name, "random", strconv.Itoa(i))
			if i%3 == 2 {
				if json, b, ok := t.input.Break(c); ok {
					busy = r.try(t, string(json), b) != nil || busy
				}
			} else if json, ok := t.input.Draw(c); ok {
				busy = r.try(t, string(json), values.Break{}) != nil || busy
			}
		}
		if !busy && i > 50 {
			return
		}
	}
}

// schema is the input schema as it was published.
func (t *tool) schema() *jsontree.Value {
	if t.method == nil {
		return t.entry.In("inputSchema")
	}
	v, _ := jsontree.Parse(t.method.Params)
	return v
}

// plan is what a run is to do and in which time, and the report of it.
type plan struct {
	o          Options
	plain      bool // JSON-RPC without MCP
	ctx        context.Context
	report     *Report
	began      time.Time
	budget     time.Time     // when it began to count: the server had started
	added      time.Duration // to the budget, for what was not new cases
	started    time.Duration // what the first start took
	confirming time.Duration // spent on suspects, between the phases
	paced      sync.Mutex
	nextCall   time.Time // when the rate allows it
	announced  int
}

// runs reports whether a check is on. That of answers which differ has to be asked for: they are what clocks and searches are for.
func (p *plan) runs(check string) bool {
	return (p.o.Checks == nil && check != "Nondeterministic" || slices.Contains(p.o.Checks, check)) && !slices.Contains(p.o.Skip, check)
}

// skip says that a check, or a part of it, cannot run.
func (p *plan) skip(check, tool, reason string) {
	p.report.Skipped = append(p.report.Skipped, Skipped{check, tool, reason})
}

// left reports whether a part of the budget, in percent, is left.
func (p *plan) left(percent int) bool {
	return p.ctx.Err() == nil && time.Since(p.budget) < p.o.Time*time.Duration(percent)/100
}

// late reports whether a part of the budget, in percent, is used up, and if so notes that a check of a tool is left out.
func (p *plan) late(percent int, check string, t *tool) bool {
	if p.left(percent) || p.ctx.Err() != nil {
		return p.ctx.Err() != nil
	}
	p.skip(check, t.name, "the time was over: raise --time")
	return true
}

// outOfTime reports whether a check of the last phase has used its sixth of the budget since it began, or the budget is used up. If so, it notes that a
// tool is left out.
func (p *plan) outOfTime(began time.Time, check string, t *tool) bool {
	if p.late(95, check, t) {
		return true
	}
	if time.Since(began) <= p.o.Time/6 {
		return false
	}
	p.skip(check, t.name, "the check had its sixth of the time: raise --time")
	return true
}

// extend adds to the budget what was spent on other than new cases, up to half of it.
func (p *plan) extend(spent time.Duration) {
	spent = min(spent, p.o.Time/2-p.added)
	p.added += spent
	p.budget = p.budget.Add(spent)
}

// grant goes back to a part of the budget, in percent, if more was spent: what follows makes few calls, for which a slow server has to have time, too.
func (p *plan) grant(percent int) {
	if !p.left(percent) {
		p.budget = time.Now().Add(-p.o.Time * time.Duration(percent) / 100)
	}
}

// grantLast is grant for the last phase. It gets what is left of 1.2 times the budget, which all phases may take together, and three tenths of the
// budget at least.
func (p *plan) grantLast() {
	spent := int(100 * (time.Since(p.began) - p.confirming) / p.o.Time)
	p.grant(min(max(35, spent-20), 70))
}

// pause keeps the rate, for all calls of tools together.
func (p *plan) pause() {
	if p.o.Rate <= 0 {
		return
	}
	p.paced.Lock()
	wait := max(0, time.Until(p.nextCall))
	p.nextCall = time.Now().Add(wait + time.Duration(float64(time.Second)/p.o.Rate))
	p.paced.Unlock()
	select {
	case <-time.After(wait):
	case <-p.ctx.Done():
	}
}

// startTimeout is how long the first answer may take: a program may have to be fetched first.
func (p *plan) startTimeout(era protocol.Era) time.Duration {
	if era == protocol.Stateless && p.started > 0 {
		return min(30*time.Second, 5*time.Second+3*p.started)
	}
	return cmp.Or(p.o.Start, max(p.o.Timeout, 30*time.Second))
}

// probeTimeout is how long an answer to a probe of the protocol is waited for.
func (p *plan) probeTimeout() time.Duration { return min(p.o.Timeout, 5*time.Second) }

// with adds the arguments that are always sent.
func (p *plan) with(t *tool, args string) string {
	always := p.o.Arguments[t.name]
	if len(always) == 0 {
		return args
	}
	v, err := jsontree.Parse([]byte(args))
	if err != nil {
		return args
	}
	for _, name := range slices.Sorted(maps.Keys(always)) {
		if one, err := jsontree.Parse([]byte(always[name])); err == nil {
			v = v.With(name, one)
		}
	}
	return v.JSON()
}

// compile compiles a schema. It returns nil for one that is missing, or wrong, which the check Schema reports.
func (p *plan) compile(text []byte) *values.Schema {
	s, err := values.Compile(text)
	if err != nil {
		return nil
	}
	s.Profile, s.Formats = p.o.Profile, p.o.Formats
	return s
}
