package contract

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

var quotedWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[\"'`]([A-Za-z0-9_./-]{1,40})[\"'`]")
})

// suspect is a fault that was seen once, until it is confirmed or not.
type suspect struct {
	fault
	tool *tool
	args string
	hint values.Break

	calls []call   // that show it together in a new instance; nil if args does by itself
	sent  []string // messages that show it, if it is not calls that do

	// again reports whether it shows again, in an instance of its own. Nil for faults of single answers, which are confirmed together.
	again func(ctx context.Context) bool

	listed bool // it stands in what the server lists
	done   bool
	seen   int
}

// shownBy says of a suspect, which may be nil, which calls show it, and how it is looked for.
func (s *suspect) shownBy(calls []call, again func(context.Context) bool) {
	if s != nil {
		s.calls, s.again = calls, again
	}
}

// suspect keeps a fault, unless one like it is known.
func (r *runner) suspect(t *tool, args string, hint values.Break, f fault) *suspect {
	if !r.runs(f.check) {
		return nil
	}
	f = f.complete()
	name := ""
	if t != nil {
		name = t.name
	}
	key := strings.Join([]string{f.check, f.keyword, name, f.pointer}, "\x00")
	if r.o.Finding != "" && r.o.Finding != idOf(key) {
		return nil
	}
	old := r.suspects[key]
	switch {
	case old == nil:
	case !old.done && old.again == nil && len(args) < len(old.args) && f.severity.Rank() >= old.severity.Rank():
		old.fault, old.args, old.hint = f, args, hint
		return nil
	case old.severity.Rank() >= f.severity.Rank() && (old.seen > 0 || !old.done):
		return nil
	}
	s := &suspect{fault: f, tool: t, args: args, hint: hint}
	if r.main != nil && old == nil && t != nil {
		s.calls = r.main.history()
	}
	r.suspects[key] = s
	r.order = slices.DeleteFunc(r.order, func(o *suspect) bool { return o == old })
	r.order = append(r.order, s)
	return s
}

// confirm sees to the suspects that are new: each has to show twice more, in new instances.
func (r *runner) confirm() {
	r.handed.call()
	if r.main != nil {
		r.listen(r.main)
	}
	var alone, together []*suspect
	for _, s := range r.order {
		switch {
		case s.done:
		case s.again != nil:
			alone = append(alone, s)
		default:
			together = append(together, s)
		}
	}
	r.confirmTogether(together)
	for _, s := range alone {
		for range 2 {
			if s.again(r.ctx) {
				s.seen++
			}
		}
		r.settle(s)
	}
}

// handed is what the background has called where the checks run, since nothing else of the runner may be written from there.
type handed struct {
	mu  sync.Mutex
	all []func()
}

func (h *handed) add(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, f)
}

// call calls what was handed over.
func (h *handed) call() {
	h.mu.Lock()
	all := h.all
	h.all = nil
	h.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// settle ends the suspicion.
func (r *runner) settle(s *suspect) {
	s.done = true
	r.found = r.found || s.seen == 2
	if s.seen == 2 && r.o.OnFinding != nil {
		r.o.OnFinding(r.finding(s))
	}
}

// confirmTogether confirms faults of single answers: all of them in one instance, and again in a second one. One that does not show so may
// need the calls before it.
func (r *runner) confirmTogether(all []*suspect) {
	if len(all) == 0 {
		return
	}
	for round := range 2 {
		s, err := r.fresh()
		if err != nil {
			break
		}
		for _, one := range all {
			if s.over() {
				if s, err = r.fresh(); err != nil {
					return
				}
			}
			if one.seen == round && r.shows(s, one, one.args) {
				one.seen++
			}
		}
		s.kill()
	}
	for _, one := range all {
		if one.seen == 2 {
			one.calls = nil
			r.shrink(one)
		} else {
			r.confirmHistory(one)
		}
		r.settle(one)
	}
}

// shows reports whether a call shows the fault, after the control of its tool.
func (r *runner) shows(s *session, one *suspect, args string) bool {
	if one.tool.control != "" && one.tool.control != args && !one.tool.destructive {
		r.invoke(r.ctx, s, one.tool, one.tool.control, r.o.Timeout)
	}
	return r.showsAlone(s, one, args)
}

func (r *runner) showsAlone(s *session, one *suspect, args string) bool {
	a := r.invoke(r.ctx, s, one.tool, args, 2*r.o.Timeout) // the answer may have needed nearly all of the time when the fault was seen
	at := r.judged(one.tool, args, one.hint, a)
	return slices.ContainsFunc(at.faults(), func(f fault) bool {
		return f.check == one.check && f.keyword == one.keyword && f.pointer == one.pointer && f.severity.Rank() >= one.severity.Rank()
	})
}

// confirmHistory plays what came before the call, and cuts that down.
func (r *runner) confirmHistory(one *suspect) {
	history := one.calls
	one.calls, one.seen = nil, 0
	if one.tool.control != "" && one.tool.destructive { // what it destroys has to be there
		history = slices.DeleteFunc(history, func(c call) bool { return c.tool == one.tool && c.args == one.args })
	}
	try := func(calls []call) bool {
		s, err := r.fresh()
		if err != nil {
			return false
		}
		defer s.kill()
		for _, c := range calls {
			if r.invoke(r.ctx, s, c.tool, c.args, r.o.Timeout).outcome != answered {
				return false
			}
		}
		return r.showsAlone(s, one, one.args)
	}
	if len(history) == 0 || !r.left(95) {
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

// reduce returns fewer calls that show a fault still; nil if not even all do. It tries a few times only.
func reduce(all []call, shows func([]call) bool) []call {
	budget := 24
	deadline := time.Now().Add(10 * time.Second)
	for _, n := range []int{1, 5, 20, 100, len(all)} {
		n = min(n, len(all))
		if budget--; shows(all[len(all)-n:]) {
			all = all[len(all)-n:]
			break
		}
		if n == len(all) {
			return nil
		}
	}
	for size := len(all) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(all) && budget > 0 && time.Now().Before(deadline); {
			less := slices.Concat(all[:at], all[at+size:])
			if budget--; len(less) > 0 && shows(less) {
				all = less
			} else {
				at += size
			}
		}
	}
	return all
}

// shrink makes the arguments smaller, as long as they show the fault.
func (r *runner) shrink(one *suspect) {
	cause := one.check + one.keyword
	if r.shrunk[cause]++; r.shrunk[cause] > 3 { // a row shows one case
		return
	}
	v, err := jsontree.Parse([]byte(one.args))
	s, fault := r.fresh()
	if err != nil || fault != nil {
		return
	}
	defer func() { s.kill() }()
	budget, began := 200, time.Now()
	deadline := began.Add(min(3*time.Second, max(r.o.Time/3-r.shrinking, 300*time.Millisecond)))
	defer func() { r.shrinking += time.Since(began) }()
	if one.severity == Note {
		budget = 12
	}
	fits := len(one.tool.input.Judge([]byte(one.args)))
	holds := func(less *jsontree.Value) bool {
		json := r.with(one.tool, less.JSON())
		if budget <= 0 || len(one.tool.input.Judge([]byte(json))) != fits {
			return false
		}
		if budget--; time.Now().After(deadline) {
			budget = 0
			return false
		}
		if s.over() {
			if s, fault = r.fresh(); fault != nil {
				budget = 0
				return false
			}
		}
		return r.showsAlone(s, one, json)
	}
	v = smallest(v, holds)
	one.args = v.JSON()
	at := r.judged(one.tool, one.args, one.hint, r.invoke(r.ctx, s, one.tool, one.args, r.o.Timeout))
	for _, f := range at.faults() { // the words are those of the smaller case
		if f.check == one.check && f.keyword == one.keyword && f.pointer == one.pointer {
			one.message = f.message
		}
	}
}

// smallest makes a value smaller as long as it holds.
func smallest(v *jsontree.Value, holds func(less *jsontree.Value) bool) *jsontree.Value {
	for from, rounds := 0, 0; rounds < 1000; rounds++ { // what did not hold before is tried last
		all := smaller(v)
		n := len(all)
		i := 0
		for i < n && !holds(all[(from+i)%n]) {
			i++
		}
		if i == n {
			break
		}
		from = (from + i) % n
		v = all[from]
	}
	return v
}

// smaller are values that are a step smaller, the largest steps first.
func smaller(v *jsontree.Value) (all []*jsontree.Value) {
	v.Walk(nil, func(path []jsontree.Step, _ *jsontree.Value) bool {
		if len(path) > 0 {
			all = append(all, v.Put(path, nil))
		}
		return true
	})
	v.Walk(nil, func(path []jsontree.Step, part *jsontree.Value) bool {
		put := func(less *jsontree.Value) {
			if !less.Equal(part) {
				all = append(all, v.Put(path, less))
			}
		}
		switch part.Kind {
		case jsontree.Text:
			letters := []rune(part.Text)
			if strings.HasPrefix(part.Text, "/") { // a part of a path may lie outside a sandbox
				letters = nil
			}
			for _, n := range []int{0, 1, len(letters) / 2, len(letters) - 1} {
				if n >= 0 && n < len(letters) {
					put(jsontree.NewText(string(letters[:n])))
				}
			}
		case jsontree.Integer, jsontree.Number:
			for _, less := range []string{"0", "1"} {
				if len(less) < len(part.Text) {
					put(jsontree.NewNumber(less))
				}
			}
		case jsontree.Array:
			if n := len(part.Items); n > 2 {
				put(&jsontree.Value{Kind: jsontree.Array, Items: part.Items[:n/2]})
			}
		}
		return true
	})
	return all
}

// idOf is the id of a finding, given its check, keyword, tool and pointer.
func idOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:3])
}

// finding is what is reported of a suspect.
func (r *runner) finding(s *suspect) Finding {
	f := Finding{Check: s.check, Keyword: s.keyword, Severity: s.severity, Proof: s.proof, Pointer: s.pointer, Message: s.message, Advice: s.advice, Seen: s.seen}
	name := ""
	if s.tool != nil {
		name = s.tool.name
		f.Tools, f.Arguments = []string{name}, s.args
	}
	if own := r.o.Severities[s.check]; own != "" {
		f.Severity = own
	}
	f.ID = idOf(strings.Join([]string{s.check, s.keyword, name, s.pointer}, "\x00"))
	f.Transcript = s.sent
	for _, c := range s.calls {
		f.Transcript = append(f.Transcript, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s,"params":%s}`, len(f.Transcript)+1, c.methodText(), c.paramsText()))
	}
	switch {
	case s.listed:
		f.Reproduce = strings.TrimSpace("rpcgen tools --json " + r.o.Shell)
	case s.calls == nil && s.sent == nil && s.tool != nil && s.args != "" && s.tool.method == nil:
		call := ShellWord(s.tool.name) + " --args " + strings.ReplaceAll(ShellWord(s.args), ownFolder, `'"`+ownFolder+`"'`)
		f.Reproduce = strings.TrimSpace("rpcgen call " + call + " " + r.o.Shell)
		if !strings.HasPrefix(r.o.Shell, "--") {
			f.Reproduce = strings.TrimSpace("rpcgen call " + r.o.Shell + " " + call)
		}
	default:
		f.Reproduce = strings.TrimSpace(cmp.Or(r.o.Replay, "rpcgen verify") + " --replay " + f.ID + " " + r.o.Shell)
	}
	return f
}

func (c call) methodText() string {
	if c.tool.method == nil {
		return `"tools/call"`
	}
	return string(jsontree.AppendText(nil, c.tool.name))
}

func (c call) paramsText() string {
	if c.tool.method == nil {
		return callParams(c.tool.name, c.args) + "}"
	}
	return c.tool.params(c.args)
}

// plainWord is what a shell takes as it is.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// ShellWord quotes a word for a shell.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// group makes rows of the findings: at three tools with one fault they become one.
func (r *runner) group() {
	rows, seen := map[string][]Finding{}, map[string]bool{}
	var keys []string
	for _, s := range r.order {
		if !s.done {
			continue
		}
		f := r.finding(s)
		if s.seen < 2 {
			r.report.Unseen = append(r.report.Unseen, f)
			continue
		}
		same := f.ID // two calls may have been suspected of what a third one does
		if f.Check == "RefusesValid" && f.Severity != Note {
			same = strings.Join(f.Tools, " ") + f.Arguments // one call, which is at the bounds of several rules
		}
		if seen[same] {
			continue
		}
		seen[same] = true
		key := strings.Join([]string{f.Check, f.Keyword, string(f.Severity)}, "\x00")
		if f.onceAServer() {
			key = f.Check + string(f.Severity)
			if f.Check == "ErrorCode" || f.Check == "ListLimit" || f.Check == "AcceptsInvalid" {
				key += f.Keyword
			}
		}
		if f.Check == "Malformed" {
			key = f.Check + string(f.Severity)
		}
		if rows[key] == nil {
			keys = append(keys, key)
		}
		rows[key] = append(rows[key], f)
	}
	for _, key := range keys {
		r.report.Findings = append(r.report.Findings, merged(rows[key])...)
	}
	slices.SortStableFunc(r.report.Findings, func(a, b Finding) int {
		return cmp.Or(b.Severity.Rank()-a.Severity.Rank(), strings.Compare(a.Check, b.Check), strings.Compare(a.Keyword, b.Keyword), strings.Compare(strings.Join(a.Tools, " "), strings.Join(b.Tools, " ")), strings.Compare(a.Pointer, b.Pointer))
	})
}

// merged makes one finding of those of one tool, and of those of three tools or more.
func merged(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(len(a.Arguments), len(b.Arguments)) })
	tools := map[string]int{}
	for _, f := range all {
		for _, t := range f.Tools {
			tools[t]++
		}
	}
	f := all[0]
	if f.Check == "Malformed" && len(all) > 2 {
		var others []string
		for _, other := range all[1:] {
			others = append(others, other.Keyword)
		}
		f.Message += "; the same after " + strings.Join(others, ", ")
		return []Finding{f}
	}
	if len(all) < 3 && !f.onceAServer() || len(tools) == 0 {
		return all
	}
	if len(tools) == 1 && len(all) > 1 {
		var places []string
		for _, other := range all[1:] {
			places = append(places, cmp.Or(other.Pointer, "the root"))
		}
		f.Message += "; the same at " + strings.Join(slices.Compact(places), ", ")
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(tools)), func(t string) bool { return t == f.Tools[0] })
	f.Tools = append(f.Tools, others...)
	return []Finding{f}
}

// onceAServer reports whether the finding is one row of a server, whatever the number of tools: it is one setting or habit of its author.
func (f *Finding) onceAServer() bool {
	switch f.Check {
	case "DropsUnknown", "Garbage", "Unhelpful", "ErrorCode":
		return true
	}
	return f.Severity == Note && f.Check != "Schema" && len(f.Tools) > 0
}
