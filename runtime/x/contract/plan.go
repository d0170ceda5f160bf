package contract

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

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

// starting is how long the first answer may take: a program may have to be fetched first.
func (p *plan) starting(era protocol.Era) time.Duration {
	if era == protocol.Stateless && p.started > 0 {
		return min(30*time.Second, 5*time.Second+3*p.started)
	}
	return cmp.Or(p.o.Start, max(p.o.Timeout, 30*time.Second))
}

// probing is how long an answer to a probe of the protocol is waited for.
func (p *plan) probing() time.Duration { return min(p.o.Timeout, 5*time.Second) }

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
