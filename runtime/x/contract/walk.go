package contract

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// nextOf is the cursor of the next page in a result; "" if there is none.
func nextOf(v *jsontree.Value) (next string) {
	for _, name := range v.Names() {
		if slices.Contains([]string{"nextcursor", "nextpagetoken", "cursor", "endcursor"}, plainName(name)) && v.In(name).Is(jsontree.Text) {
			next = v.In(name).Text
		}
	}
	return next
}

// isCursor reports whether an argument with a name takes the cursor of a page.
func isCursor(name string) bool {
	return slices.Contains([]string{"cursor", "pagetoken", "aftercursor", "startcursor"}, plainName(name))
}

// toolPages follows the cursors of tools.
func toolPages(r rig) {
	if !r.runs("Pagination") {
		return
	}
	for _, t := range r.active() {
		w := walkOf(r, t)
		if w == nil || !r.inFresh(w.wrong) {
			if w != nil && w.none {
				r.skip("Pagination", t.name, "the first page was not answered: "+clip(w.first.JSON(), 120))
			}
			continue
		}
		severity := Error
		if w.keyword == "repeated" || w.keyword == "skipped" {
			severity = Warning
		}
		r.suspect(t, w.used, values.Break{}, fault{check: "Pagination", keyword: w.keyword, pointer: "/" + w.in, severity: severity, proof: ByContract,
			message: w.what}).shownBy([]call{{t, w.first.JSON()}, {t, w.used}}, func(context.Context) bool { return r.inFresh(w.wrong) })
	}
}

// walk follows the cursors of one tool.
type walk struct {
	r       rig
	t       *tool
	in      string          // the argument that is the cursor
	first   *jsontree.Value // the arguments of the first page, which has one entry if the tool has an argument for that
	largest *jsontree.Value // those of a page as large as the tool allows; nil if there is no such argument

	none                bool   // the first page was not answered
	what, keyword, used string // what is wrong, and the arguments that show it
}

// walkOf returns the walk of a tool; nil if it has no cursor, or may not be called that often.
func walkOf(r rig, t *tool) *walk {
	in, limit := "", ""
	properties := t.schema().In("properties")
	for _, name := range properties.Names() {
		if isCursor(name) {
			in = name
		}
		if slices.Contains([]string{"limit", "pagesize", "first", "maxresult", "perpage"}, plainName(name)) && properties.In(name).In("type").Str() == "integer" {
			limit = name
		}
	}
	if in == "" || !t.readOnly || t.input == nil || !r.left(84) {
		return nil
	}
	minimal, ok := t.input.Minimal(values.For(r.o.Seed, t.name, "minimal"))
	if !ok {
		return nil
	}
	first, _ := jsontree.Parse([]byte(r.with(t, string(minimal))))
	w := &walk{r: r, t: t, in: in, first: first}
	if limit != "" {
		least, low := jsontree.NewNumber("1"), properties.In(limit).In("minimum")
		if f, ok := low.Float(); ok && f > 1 {
			least = low
		}
		w.first, w.largest = first.With(limit, least), first
		if most := properties.In(limit).In("maximum"); most != nil {
			w.largest = first.With(limit, most)
		}
	}
	return w
}

// wrong walks through the pages, and reports whether something is wrong with them.
func (w *walk) wrong(s *session) bool {
	args, seen, entries, walked, whole := w.first, map[string]bool{}, map[string]bool{}, map[string]bool{}, w.whole(s)
	for range 60 {
		v, ok := w.r.ok(s, w.t, args.JSON())
		if w.none = !ok && args == w.first; !ok {
			return !w.none && w.shows("refused", args, "%s refuses the cursor that it has returned: %s", w.t.name, clip(args.JSON(), 120))
		}
		if twin := repeatedEntry(entries, v); twin != "" {
			return w.shows("repeated", args, "%s returns an entry on two pages of one walk: %s", w.t.name, clip(twin, 80))
		}
		maps.Copy(walked, idsOf(v))
		next := nextOf(v)
		if next == "" {
			maps.DeleteFunc(whole, func(one string, _ bool) bool { return walked[one] })
			return len(whole) > 0 && w.shows("skipped", w.first, "%s returns an entry on one large page, and not in a walk through small ones: %s", w.t.name,
				clip(slices.Min(slices.Collect(maps.Keys(whole))), 80))
		}
		if seen[next] {
			return w.shows("again", args, "%s returns the cursor %s a second time within one walk", w.t.name, clip(next, 60))
		}
		seen[next] = true
		args = w.first.With(w.in, jsontree.NewText(next))
	}
	return false
}

// whole returns the ids of the entries of the largest page, if no other page follows it.
func (w *walk) whole(s *session) map[string]bool {
	if w.largest == nil {
		return nil
	}
	v, ok := w.r.ok(s, w.t, w.largest.JSON())
	if !ok || nextOf(v) != "" {
		return nil
	}
	return idsOf(v)
}

// idsOf returns the ids of the entries of a page.
func idsOf(page *jsontree.Value) map[string]bool {
	ids := map[string]bool{}
	for _, entry := range entriesOf(page) {
		ids[entry.id] = true
	}
	return ids
}

// isID is the name of a member that is an id.
var isID = text.Pattern(`^(?i:id|uuid|guid)$|[_.-](?i:id)$|[a-z0-9]I[dD]$`)

// entry is an entry of a page.
type entry struct{ id, json string }

// entriesOf returns the entries of a page that have ids. There are none if several lists have such entries: one of them may be that of what the others refer
// to, which is on several pages.
func entriesOf(page *jsontree.Value) (all []entry) {
	for _, name := range page.Names() {
		list := page.In(name)
		if !list.Is(jsontree.Array) {
			continue
		}
		before := len(all)
		for _, one := range list.Items {
			if n := slices.IndexFunc(one.Names(), isID().MatchString); n >= 0 {
				all = append(all, entry{one.Fields[n].Name + " " + one.Fields[n].Value.JSON(), one.JSON()})
			}
		}
		if before > 0 && len(all) > before {
			return nil
		}
	}
	return all
}

// shows notes what is wrong, which args show. It reports true.
func (w *walk) shows(keyword string, args *jsontree.Value, format string, parts ...any) bool {
	w.what, w.keyword, w.used = fmt.Sprintf(format, parts...), keyword, args.JSON()
	return true
}

// repeatedEntry is an entry of a page that was on a page before, or "". It keeps those of the page.
func repeatedEntry(seen map[string]bool, page *jsontree.Value) (twin string) {
	here := entriesOf(page)
	for _, one := range here {
		if seen[one.json] {
			twin = one.json
		}
	}
	for _, one := range here {
		seen[one.json] = true
	}
	return twin
}

// Probe calls one tool, or one method, and judges each answer by itself: it is for fuzzing. It is not safe for concurrent use.
type Probe struct {
	r rig
	t *tool
}

// NewProbe starts an instance of the server that conn reaches. The error says why it cannot be reached, or that it does not list the tool.
// Close the probe in the end.
func NewProbe(ctx context.Context, conn Conn, tool string, opts ...Option) (*Probe, error) {
	var o Options
	for _, opt := range opts {
		opt(&o)
	}
	r := newRig(ctx, conn, o)
	if err := r.start(); err != nil {
		return nil, err
	}
	for _, t := range r.tools {
		if t.name == tool {
			r.prepare(t)
			return &Probe{r, t}, nil
		}
	}
	r.main.kill()
	return nil, fmt.Errorf("the server does not list the tool %s", tool)
}

// Close ends the instance.
func (p *Probe) Close() { p.r.main.kill() }

// Try calls the tool and returns what its answer contradicts, without what is advice only. Until a call with fitting arguments has succeeded,
// the answers to others are not judged: the tool may refuse everything. A tool whose server ends is called in a new instance next.
func (p *Probe) Try(arguments []byte) []Finding {
	args := string(arguments)
	s := p.r.session()
	if s == nil {
		return []Finding{p.findingOf(args, fault{check: "Crash", message: "the server cannot be started again"})}
	}
	a := p.r.invoke(p.r.ctx, s, p.t, args, p.r.o.Timeout)
	switch at := judgeAnswer(p.t, args, values.Break{}, a); {
	case p.r.ctx.Err() != nil:
		return nil
	case a.outcome == broken:
		return []Finding{p.findingOf(args, fault{check: "Crash", message: p.t.name + " ends the server: " + a.reason})}
	case a.outcome == silent:
		s.kill()
		return []Finding{p.findingOf(args, fault{check: "Hang", message: fmt.Sprintf("%s does not answer within %v", p.t.name, p.r.o.Timeout)})}
	default:
		if at.ending == succeeded && len(at.breaks) == 0 && p.t.control == "" {
			p.t.control = args
		}
		var all []Finding
		for _, f := range at.faults() {
			if f.severity != Note {
				all = append(all, p.findingOf(args, f))
			}
		}
		return all
	}
}

func (p *Probe) findingOf(args string, f fault) Finding {
	f = f.complete()
	return Finding{Check: f.check, Keyword: f.keyword, Severity: f.severity, Proof: f.proof, Tools: []string{p.t.name}, Pointer: f.pointer,
		Message: f.message, Advice: f.advice, Arguments: args, Seen: 1}
}

// Fixed returns arguments to begin with, as JSON: the smallest and the largest ones that fit, those at the bounds of rules, and those that break one rule each.
func (p *Probe) Fixed() []string {
	if p.t.input == nil {
		return nil
	}
	c := values.For(p.r.o.Seed, p.t.name, "probe")
	var all []string
	for _, draw := range []func(*values.Choices) ([]byte, bool){p.t.input.Minimal, p.t.input.Full} {
		base, ok := draw(c)
		if _, err := jsontree.Parse(base); !ok || err != nil {
			continue
		}
		all = append(all, string(base))
		for _, one := range append(p.t.input.Bounds(base), p.t.input.Breaks(base)...) {
			all = append(all, one.JSON)
		}
	}
	return all
}
