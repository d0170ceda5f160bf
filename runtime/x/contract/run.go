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
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// runner checks one server.
type runner struct {
	o       Options
	conn    Conn
	plain   bool // JSON-RPC without MCP
	ctx     context.Context
	began   time.Time
	budget  time.Time     // when it began to count: the server had started
	added   time.Duration // to the budget, for what was not new cases
	started time.Duration // what the first start took

	era        protocol.Era
	revision   string
	eras       []protocol.Era
	main       *session
	scout      *session          // of first looks
	listed     []*jsontree.Value // the tools, as they were listed first
	tools      []*tool
	pool       pool
	pingless   atomic.Bool // the server does not answer ping
	files      []string    // that are there, as JSON
	knownOnly  bool        // arguments have values that the server has returned, where there are some
	report     *Report
	suspects   map[string]*suspect
	order      []*suspect
	shrunk     map[string]int // how many suspects of one cause were made smaller
	shrinking  time.Duration  // spent on that
	confirming time.Duration  // spent on suspects, between the phases
	ended      [][]call       // calls that have ended the server
	found      bool           // a suspect was confirmed
	work       sync.WaitGroup // what waits in the background
	handed     handed         // over by what waits
	paced      sync.Mutex
	nextCall   time.Time // when the rate allows it
	announced  int
}

// newRunner fills in what options leave out.
func newRunner(ctx context.Context, conn Conn, o Options) *runner {
	o.Seed = cmp.Or(o.Seed, 1)
	o.Time, o.Timeout, o.Patience = cmp.Or(o.Time, time.Minute), cmp.Or(o.Timeout, 10*time.Second), cmp.Or(o.Patience, time.Minute)
	o.Calls = cmp.Or(o.Calls, 200)
	r := &runner{o: o, conn: conn, plain: o.Methods != nil || o.Discover, ctx: ctx, began: time.Now(), budget: time.Now(), suspects: map[string]*suspect{}, shrunk: map[string]int{},
		report: &Report{Version: 1, Seed: o.Seed, Findings: []Finding{}, Tools: []Tool{}, Skipped: []Skipped{}, Server: Server{Protocol: "mcp"}}}
	r.pool, r.files = pool{}, whatIsThere(o, conn)
	return r
}

// run is [Run].
func run(ctx context.Context, conn Conn, o Options) (*Report, error) {
	r := newRunner(ctx, conn, o)
	if err := r.start(); err != nil {
		return nil, err
	}
	r.budget = time.Now()
	defer func() {
		if r.main != nil {
			r.main.kill()
		}
	}()
	for i, phase := range []func(*runner){(*runner).ends, static, (*runner).examples, known, (*runner).fixed, (*runner).drawn, state, wire} {
		phase(r)
		confirming := time.Now()
		r.confirm()
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
	r.confirm()
	r.finish()
	return r.report, nil
}

// start begins the first session, and finds out which eras the server speaks and what it lists.
func (r *runner) start() error {
	began := time.Now()
	if r.plain {
		return r.startPlain()
	}
	s, err := r.handshake(r.ctx, protocol.Handshake, protocol.Revision20251125)
	r.started = time.Since(began)
	if err == nil {
		r.eras, r.era, r.revision = append(r.eras, protocol.Handshake), protocol.Handshake, s.revision
	}
	modern, fault := r.handshake(r.ctx, protocol.Stateless, protocol.Revision20260728)
	if fault == nil {
		r.eras = append(r.eras, protocol.Stateless)
	}
	switch {
	case err != nil && fault != nil:
		return fmt.Errorf("the server cannot be reached: %w; %w", err, fault)
	case err != nil:
		s, r.era, r.revision = modern, protocol.Stateless, protocol.Revision20260728
	case fault == nil:
		modern.kill()
	}
	r.main = s
	info := s.info.In("serverInfo")
	if info == nil {
		info = s.info.In("_meta").In("io.modelcontextprotocol/serverInfo")
	}
	r.report.Server.Name, r.report.Server.Version, r.report.Server.Revision = info.In("name").Str(), info.In("version").Str(), r.revision
	for _, e := range r.eras {
		revision := s.revision
		if e == protocol.Stateless {
			revision = protocol.Revision20260728
		}
		r.report.Server.Revisions = append(r.report.Server.Revisions, revision)
	}
	if s.info.In("capabilities").In("tools") == nil {
		r.skip("", "", "the server has no tools")
		return nil
	}
	entries, err := r.list(r.ctx, s)
	if err != nil && len(entries) == 0 {
		if !s.over() {
			r.skip("", "", "the tools cannot be listed: "+err.Error())
			return nil
		}
		return fmt.Errorf("the tools cannot be listed: %w", err)
	}
	r.listed = entries
	r.add(entries)
	return nil
}

// add takes the entries of a list, each name once.
func (r *runner) add(entries []*jsontree.Value) {
	seen := map[string]bool{}
	for _, e := range entries {
		if name := e.In("name").Str(); name != "" && !seen[name] {
			seen[name] = true
			r.tools = append(r.tools, r.toolOf(e))
		}
	}
}

// errNotAnswered says that a plain server does not answer.
var errNotAnswered = errors.New("the server does not answer")

func (r *runner) startPlain() error {
	r.report.Server.Protocol = "jsonrpc"
	s, err := r.handshake(r.ctx, 0, "")
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	r.main = s
	if r.o.Discover {
		a := s.request(r.ctx, "rpc.discover", "", r.starting(0))
		methods, name, err := OpenRPC([]byte(a.result().Shown()))
		if err != nil {
			s.kill()
			return fmt.Errorf("rpc.discover: %s: %w", a.says(), err)
		}
		r.o.Methods, r.report.Server.Name = methods, name
	} else if !s.alive(r.ctx, r.starting(0)) {
		printed := s.printed()
		s.kill()
		return fmt.Errorf("%w: %s%s", errNotAnswered, s.end(), printed)
	}
	for i := range r.o.Methods {
		r.tools = append(r.tools, r.methodOf(&r.o.Methods[i]))
	}
	return nil
}

// skip says that a check, or a part of it, cannot run.
func (r *runner) skip(check, tool, reason string) {
	r.report.Skipped = append(r.report.Skipped, Skipped{check, tool, reason})
}

// runs reports whether a check is on. That of answers which differ has to be asked for: they are what clocks and searches are for.
func (r *runner) runs(check string) bool {
	return (r.o.Checks == nil && check != "Nondeterministic" || slices.Contains(r.o.Checks, check)) && !slices.Contains(r.o.Skip, check)
}

// left reports whether a part of the budget, in percent, is left.
func (r *runner) left(percent int) bool {
	return r.ctx.Err() == nil && time.Since(r.budget) < r.o.Time*time.Duration(percent)/100
}

// late reports whether a part of the budget, in percent, is used up, and if so notes that a check of a tool is left out.
func late(r *runner, percent int, check string, t *tool) bool {
	if r.left(percent) || r.ctx.Err() != nil {
		return r.ctx.Err() != nil
	}
	r.skip(check, t.name, "the time was over: raise --time")
	return true
}

// outOfTime reports whether a check of the last phase has used its sixth of the budget since it began, or the budget is used up. If so, it notes that a
// tool is left out.
func outOfTime(r *runner, began time.Time, check string, t *tool) bool {
	if late(r, 95, check, t) {
		return true
	}
	if time.Since(began) <= r.o.Time/6 {
		return false
	}
	r.skip(check, t.name, "the check had its sixth of the time: raise --time")
	return true
}

// extend adds to the budget what was spent on other than new cases, up to half of it.
func (r *runner) extend(spent time.Duration) {
	spent = min(spent, r.o.Time/2-r.added)
	r.added += spent
	r.budget = r.budget.Add(spent)
}

// grant goes back to a part of the budget, in percent, if more was spent: what follows makes few calls, for which a slow server has to have time, too.
func (r *runner) grant(percent int) {
	if !r.left(percent) {
		r.budget = time.Now().Add(-r.o.Time * time.Duration(percent) / 100)
	}
}

// grantLast is grant for the last phase. It gets what is left of 1.2 times the budget, which all phases may take together, and three tenths of the
// budget at least.
func grantLast(r *runner) {
	spent := int(100 * (time.Since(r.began) - r.confirming) / r.o.Time)
	r.grant(min(max(35, spent-20), 70))
}

// fresh begins another session of the era that is checked.
func (r *runner) fresh() (*session, error) {
	revision := r.revision
	if r.era == protocol.Handshake && revision == "" {
		revision = protocol.Revision20251125
	}
	return r.handshake(r.ctx, r.era, revision)
}

// session is the main session, a new one if the last one has ended.
func (r *runner) session() *session {
	if r.main != nil && !r.main.over() {
		return r.main
	}
	s, err := r.fresh()
	if err != nil {
		r.skip("", "", "the server cannot be started again: "+err.Error())
		return nil
	}
	r.main = s
	return s
}

// active are the tools that are called, those that only read first.
func (r *runner) active() []*tool {
	var all []*tool
	for _, t := range r.tools {
		if t.stats.Skipped == "" && t.hangs < 2 {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *tool) int { return a.order() - b.order() })
	return all
}

func (t *tool) order() int {
	switch {
	case t.readOnly:
		return 0
	case !t.destructive:
		return 1
	}
	return 2
}

// pause keeps the rate, for all calls of tools together.
func (r *runner) pause() {
	if r.o.Rate <= 0 {
		return
	}
	r.paced.Lock()
	wait := max(0, time.Until(r.nextCall))
	r.nextCall = time.Now().Add(wait + time.Duration(float64(time.Second)/r.o.Rate))
	r.paced.Unlock()
	select {
	case <-time.After(wait):
	case <-r.ctx.Done():
	}
}

// with adds the arguments that are always sent.
func (r *runner) with(t *tool, args string) string {
	always := r.o.Arguments[t.name]
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

// try calls a tool with arguments that were not tried before, judges the answer and keeps what is suspect. It returns nil if nothing was called.
// Arguments that were drawn are tried again when it is known in which place they differ from a control.
func (r *runner) try(t *tool, args string, hint values.Break) *attempt {
	args = r.with(t, args)
	known, done := t.tried[args]
	if done && (known || hint.Keyword == "") || t.stats.Calls >= r.o.Calls || t.hangs >= 2 {
		return nil
	}
	t.tried[args] = hint.Keyword != ""
	return r.call(t, args, hint)
}

// call is try for arguments that may have been tried before.
func (r *runner) call(t *tool, args string, hint values.Break) *attempt {
	if r.main != nil && r.main.over() {
		r.crashed(r.main)
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
	at := r.judged(t, args, hint, a)
	r.count(t, at)
	switch {
	case a.outcome == broken:
		r.crashed(s)
	case a.outcome == silent && r.ctx.Err() == nil:
		r.extend(r.o.Timeout)
		r.hangs(s, t, args)
	default:
		r.learn(at)
		for _, f := range at.faults() {
			r.suspect(t, args, hint, f)
		}
	}
	return at
}

// count keeps the numbers of the report.
func (r *runner) count(t *tool, at *attempt) {
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
func (r *runner) learn(at *attempt) {
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
		if arg := at.args.In(name); pathRefused().MatchString(at.text) && arg.Is(jsontree.Text) && (strings.Contains(at.text, name) || len(arg.Text) > 1 && strings.Contains(at.text, arg.Text)) {
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
func (r *runner) finish() {
	reach(r)
	for _, t := range r.tools {
		if t.stats.Calls > 0 && !t.stats.Reached {
			t.stats.Reason = mostFrequent(t.refusals)
		}
		r.report.Tools = append(r.report.Tools, t.stats)
	}
	summaries(r)
	r.group()
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
func summaries(r *runner) {
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
