package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify/settings"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// choice says which calls are made.
type choice struct {
	tool                          string   // empty for all that may be called
	words                         []string // name=value, of the tool
	seed                          uint64
	vary                          int // how many calls of all tools
	allowWrites, allowDestructive bool
	plan                          settings.Config // tools, values and weights
}

// pool makes the calls. It says of each tool that is not called why that is.
func (c *choice) pool(tools []remote.ToolListing) (calls []*Call, skipped []string, err error) {
	chosen, skipped, err := c.choose(tools)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range chosen {
		given := []byte("{}")
		if len(c.words) > 0 {
			if given, err = remote.Arguments(t.Input, c.words); err != nil {
				return nil, nil, err
			}
		}
		var always []byte
		args := c.plan.Arguments()[t.Name]
		for _, name := range slices.Sorted(maps.Keys(args)) {
			always = append(append(wire.AppendString(append(always, ','), name), ':'), args[name]...)
		}
		given = mergeObjects(given, wire.CloseObject(always, 0))
		made, err := c.varyCalls(t, given, max(1, c.vary/len(chosen)))
		if err != nil {
			return nil, nil, err
		}
		calls = append(calls, made...)
	}
	return interleave(calls), skipped, nil
}

// choose returns the tools that are called.
func (c *choice) choose(tools []remote.ToolListing) (chosen []remote.ToolListing, skipped []string, err error) {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
		switch {
		case c.tool != "" && c.tool != t.Name:
		case !c.plan.Takes(t.Name):
			skipped = append(skipped, "--plan leaves "+t.Name+" out")
		case t.ReadOnly, c.allowDestructive, c.allowWrites && !t.Destructive:
			chosen = append(chosen, t)
		case c.allowWrites:
			skipped = append(skipped, t.Name+" may destroy something: --allow-destructive calls it")
		default:
			skipped = append(skipped, t.Name+" does not say that it only reads: --allow-writes or --allow-destructive calls it")
		}
	}
	switch {
	case c.tool != "" && !slices.Contains(names, c.tool):
		if near := violation.Closest(c.tool, names); near != "" {
			return nil, nil, remote.Usage("there is no tool %s; did you mean %s?", c.tool, near)
		}
		return nil, nil, remote.Usage("there is no tool %s; those that are there: %s", c.tool, violation.OneOf(names))
	case unknownTool(c.plan.Weights, names) != "":
		return nil, nil, remote.Usage("--plan has a weight for %s, and there is no such tool; those that are there: %s", unknownTool(c.plan.Weights, names),
			violation.OneOf(names))
	case len(chosen) == 0 && len(skipped) > 0:
		return nil, nil, remote.Usage("no tool may be called: %s", skipped[0])
	case len(chosen) == 0:
		return nil, nil, remote.Usage("the server has no tools")
	}
	return chosen, skipped, nil
}

// varyCalls returns different calls of one tool, at most n. What is given stays.
func (c *choice) varyCalls(t remote.ToolListing, given []byte, n int) ([]*Call, error) {
	check := newChecker(t.Output, t.ReadOnly)
	check.tasks.Store(t.Tasks)
	schema, err := values.Compile(t.Input)
	if err != nil {
		return nil, fmt.Errorf("the input schema of %s: %w", t.Name, err)
	}
	seeds := c.plan.Values()
	schema.Supply = func(choices *values.Choices, name string) (string, bool) {
		all := append(slices.Clone(seeds[t.Name+"."+name]), seeds[name]...)
		if len(all) == 0 {
			return "", false
		}
		return all[choices.Below(len(all))], true
	}
	var calls []*Call
	seen := make(map[string]bool)
	for i := range 2 * n {
		drawn, ok := schema.Draw(values.For(c.seed, t.Name, strconv.Itoa(i)))
		if i == 0 {
			drawn, ok = schema.Minimal(values.For(c.seed, t.Name))
		}
		if !ok {
			continue
		}
		args := mergeObjects(given, drawn)
		if vs := schema.Judge(args); len(vs) > 0 && len(given) > len("{}") && i > 0 {
			continue // what is given does not fit with the rest
		}
		if !seen[string(args)] {
			seen[string(args)] = true
			calls = append(calls, &Call{Name: t.Name, Args: args, target: check})
		}
		if len(calls) == n {
			break
		}
	}
	if len(calls) == 0 {
		return nil, fmt.Errorf("no arguments were found that fit the input schema of %s: give some, as NAME=VALUE", t.Name)
	}
	return calls, nil
}

// mergeObjects returns an object with the members of given, and those of more that given does not have.
func mergeObjects(given, more []byte) []byte {
	var b []byte
	from := wire.PeekAt(given)
	for name, value := range from.Members() {
		b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
	}
	for name, value := range wire.PeekAt(more).Members() {
		if !from.Has(name) {
			b = append(append(wire.AppendString(append(b, ','), name), ':'), value.JSON()...)
		}
	}
	return wire.CloseObject(b, 0)
}

// byTool are calls by the name of their tool, and the names in order.
func byTool(calls []*Call) (by map[string][]*Call, names []string, most int) {
	by = make(map[string][]*Call)
	for _, c := range calls {
		if by[c.Name] == nil {
			names = append(names, c.Name)
		}
		by[c.Name] = append(by[c.Name], c)
		most = max(most, len(by[c.Name]))
	}
	return by, names, most
}

// interleave returns calls of several tools, one after the other, as one list in which they take turns.
func interleave(calls []*Call) (all []*Call) {
	by, names, most := byTool(calls)
	for i := range most {
		for _, name := range names {
			if i < len(by[name]) {
				all = append(all, by[name][i])
			}
		}
	}
	return all
}

// balance repeats the calls of tools that have few, such as those without arguments, so that each tool has as many as the others, times its weight.
func balance(calls []*Call, weights map[string]int) (all []*Call) {
	by, names, most := byTool(calls)
	for i := range most {
		for _, name := range names {
			n := max(1, weights[name])
			for j := range n {
				all = append(all, by[name][(i*n+j)%len(by[name])])
			}
		}
	}
	return all
}

// unknownTool is a tool that has a weight and is not there; "" if there is none.
func unknownTool(weights map[string]int, names []string) string {
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		if !slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// proving is how long calls are made one after the other, before the load.
const proving = 2 * time.Second

// prove makes each call twice, one after the other, as long as there is time, and learns the answers. It returns the calls that succeed, and those
// that were not tried; if none succeeds, all.
func prove(ctx context.Context, peer Peer, calls []*Call, a *answers, wait time.Duration) (kept []*Call, failed int, reason string, err error) {
	began := time.Now()
	good := 0
	for i, c := range calls {
		if time.Since(began) > proving && good > 0 {
			kept = append(kept, calls[i:]...)
			break
		}
		c.tried = true
		first, fault := within(ctx, peer, c, wait)
		if ctx.Err() != nil {
			return nil, 0, "", context.Cause(ctx)
		}
		if fault != nil {
			if _, ok := errors.AsType[*ServerError](fault); !ok {
				return nil, 0, "", fmt.Errorf("%s %s: %w", c.Name, short(c.Args), fault)
			}
			failed, reason = failed+1, cmp.Or(reason, fault.Error())
			continue
		}
		good++
		kept = append(kept, c)
		if c.target.readOnly {
			if second, fault := within(ctx, peer, c, wait); fault == nil {
				a.learn(c, first, second)
			}
		}
	}
	if good == 0 {
		return calls, failed, reason, nil
	}
	return kept, failed, reason, nil
}

// within makes a call that may take some time at most.
func within(ctx context.Context, peer Peer, c *Call, most time.Duration) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	return peer.Do(ctx, c)
}

// rounds is how often a call is repeated whose answer differed under load. An answer that is one of two by chance is then the one from before, each time,
// once in 256 times.
const rounds = 8

// confirm makes the calls again whose answers differed under load, for as long as the load took. Those whose answer is always the one from before the load
// were answered wrongly meanwhile. Another answer shows that those of the tool vary by themselves: they are not compared. Calls that it does not reach
// count as wrong in a class of their own.
func confirm(ctx context.Context, peer Peer, t *tally, a *answers, most time.Duration) {
	began := time.Now()
	again := make(map[*Call]string) // the class of what was answered wrongly; changed if it was not
	for d := range t.differs {
		again[d.call] = unrepeated
	}
	for round := range rounds {
		for c, class := range again {
			if c.target.varies != "" || class == changed || round > 0 && class != "" || time.Since(began) >= max(most, proving) {
				continue
			}
			if class = repeatCall(ctx, peer, c, a, 2*t.service.Quantile(1)); class != unrepeated || round == 0 {
				again[c] = class
			}
		}
	}
	for d, n := range t.differs {
		class := again[d.call]
		switch {
		case d.call.target.varies != "":
			continue
		case class == changed:
			d.call.changing = true
			continue
		case class == "":
			class = d.class
		}
		t.wrong[class] += n
		t.example(class, t.first[d.class])
	}
}

// repeatCall makes a call again. It returns "" for the answer from before the load, changed for an error, and unrepeated without an answer. Another answer is
// kept at the tool.
func repeatCall(ctx context.Context, peer Peer, c *Call, a *answers, most time.Duration) string {
	answer, err := within(ctx, peer, c, max(most, proving))
	switch {
	case err == nil && a.hash(answer) == c.want.Load():
		return ""
	case ctx.Err() != nil:
		return unrepeated
	case err == nil:
		c.target.varies = "repeated after the load, a call of this tool does not have the answer from before it"
	}
	return changed
}
