package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// instance is the server that runs: how it is started, what it lists, and its sessions, each of which may be a new process.
type instance struct {
	*plan
	conn      Conn
	era       protocol.Era
	revision  string
	eras      []protocol.Era
	main      *session
	scout     *session          // of first looks
	listed    []*jsontree.Value // the tools, as they were listed first
	tools     []*tool
	pool      pool
	pingless  atomic.Bool // the server does not answer ping
	files     []string    // that are there, as JSON
	knownOnly bool        // arguments have values that the server has returned, where there are some
}

// start begins the first session, and finds out which eras the server speaks and what it lists.
func (i *instance) start() error {
	began := time.Now()
	if i.plain {
		return i.startPlain()
	}
	s, err := i.handshake(i.ctx, protocol.Handshake, "")
	i.started = time.Since(began)
	if err == nil {
		i.eras, i.era, i.revision = append(i.eras, protocol.Handshake), protocol.Handshake, s.revision
	}
	modern, fault := i.handshake(i.ctx, protocol.Stateless, "")
	if fault == nil {
		i.eras = append(i.eras, protocol.Stateless)
	}
	switch {
	case err != nil && fault != nil:
		return fmt.Errorf("the server cannot be reached: %w; %w", err, fault)
	case err != nil:
		s, i.era, i.revision = modern, protocol.Stateless, modern.revision
	case fault == nil:
		modern.kill()
	}
	i.main = s
	info := cmp.Or(s.info.In("serverInfo"), s.info.In("_meta").In("io.modelcontextprotocol/serverInfo"))
	i.report.Server.Name, i.report.Server.Version, i.report.Server.Revision = info.In("name").Str(), info.In("version").Str(), i.revision
	for _, e := range i.eras {
		revision := s.revision
		if e == protocol.Stateless {
			revision = modern.revision
		}
		i.report.Server.Revisions = append(i.report.Server.Revisions, revision)
	}
	if s.info.In("capabilities").In("tools") == nil {
		i.skip("", "", "the server has no tools")
		return nil
	}
	entries, err := i.list(i.ctx, s)
	if err != nil && len(entries) == 0 {
		if !s.over() {
			i.skip("", "", "the tools cannot be listed: "+err.Error())
			return nil
		}
		return fmt.Errorf("the tools cannot be listed: %w", err)
	}
	i.listed = entries
	i.add(entries)
	return nil
}

func (i *instance) startPlain() error {
	i.report.Server.Protocol = "jsonrpc"
	s, err := i.handshake(i.ctx, 0, "")
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	i.main = s
	if i.o.Discover {
		a := s.request(i.ctx, "rpc.discover", "", i.startTimeout(0))
		methods, name, err := OpenRPC([]byte(a.result().Shown()))
		if err != nil {
			s.kill()
			return fmt.Errorf("rpc.discover: %s: %w", a.says(), err)
		}
		i.o.Methods, i.report.Server.Name = methods, name
	} else if !s.alive(i.ctx, i.startTimeout(0)) {
		printed := s.lastOutput()
		s.kill()
		return fmt.Errorf("%w: %s%s", errNotAnswered, s.end(), printed)
	}
	for n := range i.o.Methods {
		i.tools = append(i.tools, i.methodOf(&i.o.Methods[n]))
	}
	return nil
}

// add takes the entries of a list, each name once.
func (i *instance) add(entries []*jsontree.Value) {
	seen := map[string]bool{}
	for _, e := range entries {
		if name := e.In("name").Str(); name != "" && !seen[name] {
			seen[name] = true
			i.tools = append(i.tools, i.toolOf(e))
		}
	}
}

// toolOf reads an entry of tools/list.
func (i *instance) toolOf(entry *jsontree.Value) *tool {
	t := &tool{name: entry.In("name").Str(), entry: entry, destructive: true}
	hints := entry.In("annotations")
	t.readOnly, t.idempotent = hints.In("readOnlyHint").True(), hints.In("idempotentHint").True()
	if h := hints.In("destructiveHint"); h != nil {
		t.destructive = h.True()
	}
	t.destructive = t.destructive && !t.readOnly
	t.scoped = entry.In("_meta").In("io.github.rpcgen-go/scopes") != nil
	t.asTask = entry.In("execution").In("taskSupport").Str() == "required"
	if in := entry.In("inputSchema"); in != nil {
		t.input = i.compile([]byte(in.JSON()))
		properties := in.In("properties")
		for _, name := range properties.Names() {
			if header := properties.In(name).In("x-mcp-header").Str(); header != "" {
				if t.mirrored == nil {
					t.mirrored = map[string]string{}
				}
				t.mirrored[name] = "Mcp-Param-" + header
			}
		}
	}
	if out := entry.In("outputSchema"); out != nil {
		t.output = i.compile([]byte(out.JSON()))
		if t.output != nil {
			t.output.Formats = false
		}
	}
	i.prepare(t)
	return t
}

// methodOf makes a method a tool.
func (i *instance) methodOf(m *Method) *tool {
	t := &tool{name: m.Name, method: m, readOnly: m.ReadOnly, idempotent: m.Idempotent, scoped: m.Scoped}
	t.input, t.output = i.compile(m.Params), i.compile(m.Result)
	if m.Params == nil {
		t.input, _ = values.Compile([]byte(`{"type":"object"}`))
	}
	i.prepare(t)
	return t
}

// prepare decides whether the tool is called.
func (i *instance) prepare(t *tool) {
	t.tried, t.refusals, t.learned = map[string]bool{}, map[string]int{}, map[string][]string{}
	t.stats.Name, t.hidden, t.longest = t.name, i.o.Secrets, i.o.MaxTime
	t.findPaths()
	if t.input != nil {
		t.input.Supply = func(c *values.Choices, name string) (string, bool) { return i.supply(t, c, name) }
	}
	named := i.o.Include != nil && Matches(i.o.Include, t.name)
	switch {
	case i.o.Include != nil && !named:
		t.stats.Skipped = "it is not included"
	case Matches(i.o.Exclude, t.name):
		t.stats.Skipped = "it is excluded"
	case t.input == nil:
		t.stats.Skipped = "its input schema cannot be read"
	case t.asTask:
		t.stats.Skipped = "it runs as a task only"
	case t.writes() && !i.o.Writes && !(named && t.method != nil):
		t.stats.Skipped = "it writes"
		if t.method != nil {
			t.stats.Skipped = "it may write, for it is not idempotent"
		}
	case t.destructive && !i.o.Destructive && i.o.Writes:
		t.stats.Skipped = "it destroys"
	}
}

// supply gives a value for an argument: one that was configured, one that a refusal has named, or one that the server has returned.
func (i *instance) supply(t *tool, c *values.Choices, name string) (string, bool) {
	configured := append(slices.Clone(i.o.Values[t.name+"."+name]), i.o.Values[name]...)
	if len(configured) > 0 && c.Below(4) > 0 {
		return configured[c.Below(len(configured))], true
	}
	if learned := t.learned[name]; len(learned) > 0 && c.Below(2) == 1 {
		return learned[c.Below(len(learned))], true
	}
	all := append(i.pool.candidates(name), t.paths(i.files, name)...)
	if len(all) == 0 || !i.knownOnly && c.Below(2) == 0 {
		return "", false
	}
	return all[c.Below(len(all))], true
}

// active are the tools that are called, those that only read first.
func (i *instance) active() []*tool {
	var all []*tool
	for _, t := range i.tools {
		if t.stats.Skipped == "" && t.hangs < 2 {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *tool) int { return a.order() - b.order() })
	return all
}

// fresh begins another session of the era that is checked.
func (i *instance) fresh() (*session, error) {
	return i.handshake(i.ctx, i.era, i.revision)
}

// session is the main session, a new one if the last one has ended.
func (i *instance) session() *session {
	if i.main != nil && !i.main.over() {
		return i.main
	}
	s, err := i.fresh()
	if err != nil {
		i.skip("", "", "the server cannot be started again: "+err.Error())
		return nil
	}
	i.main = s
	return s
}

// scoutSession is a session of first looks; nil if there is none.
func (i *instance) scoutSession() *session {
	if i.scout == nil || i.scout.over() {
		s, err := i.fresh()
		if err != nil {
			return nil
		}
		i.scout = s
	}
	return i.scout
}

// renew ends the session of first looks.
func (i *instance) renew() {
	if i.scout != nil {
		i.scout.kill()
		i.scout = nil
	}
}

// inFresh runs a function in a new session. It is false if there is none.
func (i *instance) inFresh(do func(s *session) bool) bool {
	s, err := i.fresh()
	if err != nil {
		return false
	}
	defer s.kill()
	return do(s)
}

// shared is inFresh in a session that lasts until something is seen in it, or it is renewed.
func (i *instance) shared(do func(s *session) bool) bool {
	if s := i.scoutSession(); s == nil || !do(s) {
		return false
	}
	i.renew()
	return true
}

func (i *instance) newSession(ctx context.Context) (*session, error) {
	s := &session{pingless: i.pingless.Load(), waiting: map[string]chan *answer{}, tokens: map[string]lastProgress{}, began: time.Now()}
	ready := make(chan struct{})
	l, err := i.conn.open(ctx, func(m []byte) {
		<-ready
		s.take(i.plain, m)
	})
	s.link = l
	close(ready)
	return s, err
}

// handshake begins a session of an era, in its newest revision if there is none.
func (i *instance) handshake(ctx context.Context, era protocol.Era, revision string) (*session, error) {
	return i.handshakeAs(ctx, era, revision, `{"elicitation":{},"sampling":{},"roots":{}}`)
}

// handshakeAs is handshake of a client with capabilities.
func (i *instance) handshakeAs(ctx context.Context, era protocol.Era, revision, capabilities string) (*session, error) {
	s, err := i.newSession(ctx)
	if err != nil {
		return nil, err
	}
	if i.plain {
		return s, nil
	}
	s.revision = cmp.Or(revision, newest(era))
	if era == protocol.Stateless {
		a := s.request(ctx, "server/discover", "", i.startTimeout(era))
		if a.result().In("supportedVersions") == nil {
			reason := a.says() + s.lastOutput()
			s.kill()
			return nil, fmt.Errorf("server/discover: %s", reason)
		}
		s.info = a.result()
		return s, nil
	}
	a := s.request(ctx, "initialize", `{"protocolVersion":"`+s.revision+`","capabilities":`+capabilities+`,"clientInfo":{"name":"rpcgen verify","version":"1"}}`, i.startTimeout(era))
	got := a.result().In("protocolVersion").Str()
	if got == "" {
		reason := a.says() + s.lastOutput()
		s.kill()
		return nil, fmt.Errorf("initialize: %s", reason)
	}
	s.info, s.revision = a.result(), got
	s.notify(ctx, "notifications/initialized", "")
	return s, nil
}

// invoke calls the tool in a session, and answers what the server asks.
func (i *instance) invoke(ctx context.Context, s *session, t *tool, args string, most time.Duration) (got *answer) {
	i.pause()
	s.record(t, args)
	if s.mute && !s.watched {
		most = min(most, time.Second)
	}
	defer func() { s.mute = s.mute || got.outcome == silent }()
	if t.method != nil {
		method, _, params := t.request(args)
		return s.request(ctx, method, params, most)
	}
	var headers map[string]string
	if t.mirrored != nil && stateless(s.revision) {
		headers = map[string]string{}
		if v, err := jsontree.Parse([]byte(args)); err == nil {
			for name, header := range t.mirrored {
				if arg := v.In(name); arg != nil && arg.Kind != jsontree.Null && arg.Kind != jsontree.Array && arg.Kind != jsontree.Object {
					headers[header] = arg.Text
				}
			}
		}
	}
	params := callParams(t.name, args)
	for round := 0; ; round++ {
		a := s.requestNamed(ctx, "tools/call", t.name, params+"}", most, headers)
		asked := a.result().In("inputRequests")
		if a.outcome != answered || asked == nil || round == 3 {
			return a
		}
		params = callParams(t.name, args) + `,"inputResponses":` + s.responses(asked).JSON()
		if state := a.result().In("requestState"); state != nil {
			params += `,"requestState":` + state.JSON()
		}
	}
}

// list reads the tools of a session, all pages.
func (i *instance) list(ctx context.Context, s *session) ([]*jsontree.Value, error) {
	entries, _, err := i.pages(ctx, s, "tools/list", "tools")
	return entries, err
}

// pages reads all pages of a list. The cursors are those that led to them.
func (i *instance) pages(ctx context.Context, s *session, method, member string) (entries []*jsontree.Value, cursors []string, err error) {
	cursor, more := "", false
	for {
		params := ""
		if more {
			params = `{"cursor":` + string(jsontree.AppendText(nil, cursor)) + `}`
		}
		a := s.request(ctx, method, params, i.o.Timeout)
		all := a.result().In(member)
		if !all.Is(jsontree.Array) {
			return entries, cursors, fmt.Errorf("%s: %s", method, a.says())
		}
		entries = append(entries, all.Parts()...)
		next := a.result().In("nextCursor")
		if next != nil && !next.Is(jsontree.Text) {
			return entries, cursors, fmt.Errorf("%s: the nextCursor is %s, and not a text", method, clip(next.JSON(), 40))
		}
		cursor = next.Str()
		if more = next != nil && (cursor != "" || stateless(s.revision)); !more { // sessions may end a list with an empty cursor
			return entries, cursors, nil
		}
		if slices.Contains(cursors, cursor) {
			return entries, cursors, fmt.Errorf("%s: the cursor %s comes again within one walk", method, clip(cursor, 60))
		}
		if cursors = append(cursors, cursor); len(cursors) > mostPages {
			return entries, cursors, fmt.Errorf("%s: there are more than %d pages", method, mostPages)
		}
	}
}
