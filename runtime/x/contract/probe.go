package contract

import (
	"context"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

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
		return []Finding{p.finding(args, fault{check: "Crash", message: "the server cannot be started again"})}
	}
	a := p.r.invoke(p.r.ctx, s, p.t, args, p.r.o.Timeout)
	switch at := judged(p.t, args, values.Break{}, a); {
	case p.r.ctx.Err() != nil:
		return nil
	case a.outcome == broken:
		return []Finding{p.finding(args, fault{check: "Crash", message: p.t.name + " ends the server: " + a.reason})}
	case a.outcome == silent:
		s.kill()
		return []Finding{p.finding(args, fault{check: "Hang", message: fmt.Sprintf("%s does not answer within %v", p.t.name, p.r.o.Timeout)})}
	default:
		if at.ending == succeeded && len(at.breaks) == 0 && p.t.control == "" {
			p.t.control = args
		}
		var all []Finding
		for _, f := range at.faults() {
			if f.severity != Note {
				all = append(all, p.finding(args, f))
			}
		}
		return all
	}
}

func (p *Probe) finding(args string, f fault) Finding {
	f = f.complete()
	return Finding{Check: f.check, Keyword: f.keyword, Severity: f.severity, Proof: f.proof, Tools: []string{p.t.name}, Pointer: f.pointer,
		Message: f.message, Advice: f.advice, Arguments: args, Seen: 1}
}

// Fixed returns arguments to begin with, as JSON: the smallest and the largest ones that fit, those at the bounds of rules, and those that
// break one rule each.
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
