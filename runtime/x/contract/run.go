package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// runner checks one server.
type runner struct {
	o       Options
	conn    Conn
	plain   bool // JSON-RPC without MCP
	ctx     context.Context
	began   time.Time
	started time.Duration // what the first start took

	era       protocol.Era
	revision  string
	eras      []protocol.Era
	main      *session
	tools     []*tool
	pool      pool
	report    *Report
	suspects  map[string]*suspect
	order     []*suspect
	work      sync.WaitGroup // what waits in the background
	handed    handed         // over by what waits
	lastCall  time.Time
	announced int
}

// newRunner fills in what options leave out.
func newRunner(ctx context.Context, conn Conn, o Options) *runner {
	o.Seed = cmp.Or(o.Seed, 1)
	o.Time, o.Timeout, o.Patience = cmp.Or(o.Time, time.Minute), cmp.Or(o.Timeout, 10*time.Second), cmp.Or(o.Patience, time.Minute)
	o.Calls = cmp.Or(o.Calls, 200)
	return &runner{o: o, conn: conn, plain: o.Methods != nil || o.Discover, ctx: ctx, began: time.Now(), pool: pool{}, suspects: map[string]*suspect{},
		report: &Report{Version: 1, Seed: o.Seed, Findings: []Finding{}, Tools: []Tool{}, Skipped: []Skipped{}, Server: Server{Protocol: "mcp"}}}
}

// run is [Run].
func run(ctx context.Context, conn Conn, o Options) (*Report, error) {
	r := newRunner(ctx, conn, o)
	if err := r.start(); err != nil {
		return nil, err
	}
	defer func() {
		if r.main != nil {
			r.main.kill()
		}
	}()
	for _, phase := range []func(){r.ends, catalogue{r}.static, r.examples, r.fixed, r.drawn, promises{r}.state, protocolChecks{r}.wire} {
		phase()
		r.confirm()
		if ctx.Err() != nil {
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
	info := s.info.Get("serverInfo")
	if info == nil {
		info = s.info.Get("_meta").Get("io.modelcontextprotocol/serverInfo")
	}
	r.report.Server.Name, r.report.Server.Version, r.report.Server.Revision = info.Get("name").Str(), info.Get("version").Str(), r.revision
	for _, e := range r.eras {
		revision := s.revision
		if e == protocol.Stateless {
			revision = protocol.Revision20260728
		}
		r.report.Server.Revisions = append(r.report.Server.Revisions, revision)
	}
	if s.info.Get("capabilities").Get("tools") == nil {
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
	r.add(entries)
	return nil
}

// add takes the entries of a list, each name once.
func (r *runner) add(entries []*jsontree.Value) {
	seen := map[string]bool{}
	for _, e := range entries {
		if name := e.Get("name").Str(); name != "" && !seen[name] {
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
		reason := s.end
		s.kill()
		return fmt.Errorf("%w: %s", errNotAnswered, reason())
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

// runs reports whether a check is on.
func (r *runner) runs(check string) bool {
	return (r.o.Checks == nil || slices.Contains(r.o.Checks, check)) && !slices.Contains(r.o.Skip, check)
}

// left reports whether a part of the budget, in percent, is left.
func (r *runner) left(percent int) bool {
	return r.ctx.Err() == nil && time.Since(r.began) < r.o.Time*time.Duration(percent)/100
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

// pause keeps the rate.
func (r *runner) pause() {
	if r.o.Rate > 0 {
		wait := time.Duration(float64(time.Second)/r.o.Rate) - time.Since(r.lastCall)
		select {
		case <-time.After(wait):
		case <-r.ctx.Done():
		}
	}
	r.lastCall = time.Now()
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
	for _, name := range slices.Sorted(mapsKeys(always)) {
		if one, err := jsontree.Parse([]byte(always[name])); err == nil {
			v = v.With(name, one)
		}
	}
	return v.JSON()
}

// try calls a tool with arguments that were not tried before, judges the answer and keeps what is suspect. It returns nil if nothing was called.
func (r *runner) try(t *tool, args string, hint values.Break) *attempt {
	args = r.with(t, args)
	if t.tried[args] || t.stats.Calls >= r.o.Calls || t.hangs >= 2 {
		return nil
	}
	t.tried[args] = true
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
	r.pause()
	before := time.Now()
	a := r.invoke(r.ctx, s, t, args, r.o.Timeout)
	t.spent += time.Since(before)
	at := r.judged(t, args, hint, a)
	r.count(t, at)
	switch {
	case a.outcome == broken:
		r.crashed(s)
	case a.outcome == silent && r.ctx.Err() == nil:
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
		result := at.answer.result()
		if structured := result.Get("structuredContent"); structured != nil {
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
			t.control, t.size = at.json, at.answer.bytes
		}
		return
	}
	if len(at.breaks) > 0 || len(at.text) > 1000 {
		return
	}
	for _, name := range names(at.args) {
		if !strings.Contains(at.text, name) || len(t.learned[name]) > 10 {
			continue
		}
		for _, word := range quotedWords.FindAllStringSubmatch(at.text, 12) {
			if word[1] != name && !strings.Contains(at.json, `"`+word[1]+`"`) {
				t.learned[name] = append(t.learned[name], strconv.Quote(word[1]))
			}
		}
	}
}

// examples finds a control for each tool: the call with the largest result.
func (r *runner) examples() {
	for round := range 3 {
		for _, t := range r.active() {
			if t.control != "" && round > 0 && t.size > 400 || !r.left(40) {
				continue
			}
			r.exemplify(t, round)
		}
	}
}

// exemplify tries a few valid calls of a tool.
func (r *runner) exemplify(t *tool, round int) {
	if round == 0 {
		if json, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal")); ok {
			r.try(t, string(json), values.Break{})
		}
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

// fixed tries the bounds of each argument and each rule broken once, the tools in turn.
func (r *runner) fixed() {
	r.refresh()
	for _, group := range r.groups() {
		queues := make([][]values.Case, len(group))
		for i, t := range group {
			r.prove(t)
			queues[i] = r.cases(t)
		}
		for busy := true; busy && r.left(65); {
			busy = false
			for i, t := range group {
				if len(queues[i]) == 0 || t.spent > r.o.Time/5 || !r.left(65) {
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
func (r *runner) groups() [][]*tool {
	groups := make([][]*tool, 3)
	for _, t := range r.active() {
		groups[t.order()] = append(groups[t.order()], t)
	}
	return groups
}

// prove finds a control that succeeds now, if the one of the tool no longer does.
func (r *runner) prove(t *tool) {
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
func (r *runner) cases(t *tool) []values.Case {
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
	for _, kind := range [][]values.Case{t.input.Breaks([]byte(base)), t.input.Bounds([]byte(base))} {
		for _, one := range kind {
			if t.method == nil && !strings.HasPrefix(one.JSON, "{") && !strings.HasPrefix(one.JSON, "[]") {
				continue // one is enough to see whether the server survives it
			}
			key := one.Pointer + " " + one.Keyword
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

// drawn tries values at random until the budget of calls ends.
func (r *runner) drawn() {
	for i := 0; r.left(70); i++ {
		busy := false
		for _, t := range r.active() {
			if len(names(t.schema().Get("properties"))) == 0 || t.stats.Calls >= r.o.Calls || t.spent > r.o.Time/5 || i > 4*r.o.Calls || !r.left(70) {
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
		return t.entry.Get("inputSchema")
	}
	v, _ := jsontree.Parse(t.method.Params)
	return v
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
	for _, text := range slices.Sorted(mapsKeys(counts)) {
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
		if t.schema().Get("additionalProperties") == nil && t.entry != nil {
			open++
		}
	}
	if open > 0 {
		r.report.Summary = append(r.report.Summary, fmt.Sprintf("tools with an open input, where unknown arguments are not refused: %d", open))
	}
}
