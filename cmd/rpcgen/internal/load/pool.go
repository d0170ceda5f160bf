package load

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/remote"
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
}

// pool makes the calls. It says of each tool that is not called why that is.
func (c *choice) pool(tools []remote.Listed) (calls []*Call, skipped []string, err error) {
	chosen, skipped, err := c.chosen(tools)
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
		made, err := c.vary1(t, given, max(1, c.vary/len(chosen)))
		if err != nil {
			return nil, nil, err
		}
		calls = append(calls, made...)
	}
	return interleaved(calls, len(chosen)), skipped, nil
}

// chosen returns the tools that are called.
func (c *choice) chosen(tools []remote.Listed) (chosen []remote.Listed, skipped []string, err error) {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
		switch {
		case c.tool != "" && c.tool != t.Name:
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
			return nil, nil, &remote.UsageError{Err: fmt.Errorf("there is no tool %s; did you mean %s?", c.tool, near)}
		}
		return nil, nil, &remote.UsageError{Err: fmt.Errorf("there is no tool %s; those that are there: %s", c.tool, violation.OneOf(names))}
	case len(chosen) == 0 && len(skipped) > 0:
		return nil, nil, &remote.UsageError{Err: fmt.Errorf("no tool may be called: %s", skipped[0])}
	case len(chosen) == 0:
		return nil, nil, &remote.UsageError{Err: fmt.Errorf("the server has no tools")}
	}
	return chosen, skipped, nil
}

// vary1 returns different calls of one tool, at most n. What is given stays.
func (c *choice) vary1(t remote.Listed, given []byte, n int) ([]*Call, error) {
	check := newChecker(t.Output, t.ReadOnly)
	schema, err := values.Compile(t.Input)
	if err != nil {
		return nil, fmt.Errorf("the input schema of %s: %w", t.Name, err)
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
		args := merged(given, drawn)
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

// merged returns an object with the members of given, and those of more that given does not have.
func merged(given, more []byte) []byte {
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

// interleaved returns calls of several tools, one after the other, as one list in which they take turns.
func interleaved(calls []*Call, tools int) []*Call {
	if tools < 2 {
		return calls
	}
	by := make(map[string][]*Call)
	var names []string
	for _, c := range calls {
		if by[c.Name] == nil {
			names = append(names, c.Name)
		}
		by[c.Name] = append(by[c.Name], c)
	}
	var all []*Call
	for i := 0; len(all) < len(calls); i++ {
		for _, name := range names {
			if i < len(by[name]) {
				all = append(all, by[name][i])
			}
		}
	}
	return all
}

// proving is how long calls are made one after the other, before the load.
const proving = 2 * time.Second

// prove makes each call twice, one after the other, as long as there is time, and learns the answers. It returns the calls that succeed, and those
// that were not tried; if none succeeds, all.
func prove(ctx context.Context, peer Peer, calls []*Call, a *answers) (kept []*Call, failed int, reason string, err error) {
	began := time.Now()
	good := 0
	for i, c := range calls {
		if time.Since(began) > proving && good > 0 {
			kept = append(kept, calls[i:]...)
			break
		}
		first, fault := peer.Do(ctx, c)
		if ctx.Err() != nil {
			return nil, 0, "", context.Cause(ctx)
		}
		if fault != nil {
			if no := (*Refused)(nil); !asRefused(fault, &no) {
				return nil, 0, "", fmt.Errorf("%s %s: %w", c.Name, short(c.Args), fault)
			}
			failed++
			if reason == "" {
				reason = fault.Error()
			}
			continue
		}
		good++
		kept = append(kept, c)
		if c.target.readOnly {
			if second, fault := peer.Do(ctx, c); fault == nil {
				a.learn(c, first, second)
			}
		}
	}
	if good == 0 {
		return calls, failed, reason, nil
	}
	return kept, failed, reason, nil
}

// confirm makes the calls again whose answers differed under load. Those whose answer is the one before the load were answered wrongly meanwhile;
// the answers of the others change by themselves.
func confirm(ctx context.Context, peer Peer, t *tally, a *answers) (changing int) {
	for c, n := range t.differs {
		if answer, err := peer.Do(ctx, c); err == nil && a.hash(answer) == c.want.Load() {
			t.wrong[wrongDiffer] += n
		} else {
			changing++
		}
	}
	return changing
}
