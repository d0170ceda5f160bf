package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/x/reconnect"
)

var quiet = slog.New(slog.DiscardHandler)

// The times of a call: it has to be answered within the deadline, and to return within the grace after it in any case.
const (
	deadline = 20 * time.Second
	grace    = 10 * time.Second
)

// run is one scenario with what belongs to it.
type run struct {
	*scenario
	all     *findings
	over    chan struct{} // closed when all callers but the mute one are done
	handled sync.Map      // what was handled, for calls that may be handled once
	asleep  atomic.Int64  // handlers that return only when their call is cancelled
}

// play runs a scenario.
func play(s *scenario, all *findings) {
	r := &run{scenario: s, all: all, over: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var enter func(ctx context.Context, name string, mute bool) (*caller, error)
	var leave func()
	var err error
	if s.kind == kindLedger {
		enter, leave, err = r.ledger(ctx)
	} else {
		enter, leave, err = r.desk(ctx)
	}
	if err != nil {
		r.wrong("nobody", "serve", "a server", err.Error())
		return
	}
	defer leave()
	var others, silent sync.WaitGroup
	if s.mute {
		r.visit(ctx, "mute", s.callers, enter, &silent)
	}
	for i := range s.callers {
		r.visit(ctx, callerNames[i], i, enter, &others)
	}
	if s.twice {
		r.visit(ctx, "mallory", s.callers+1, enter, &others)
	}
	others.Wait()
	close(r.over)
	silent.Wait()
	r.awake()
}

// sleep is what the handlers do whose calls are cancelled.
func (r *run) sleep(ctx context.Context) error {
	r.asleep.Add(1)
	defer r.asleep.Add(-1)
	<-ctx.Done()
	return ctx.Err()
}

// awake waits until the handlers of all calls that were cancelled have returned.
func (r *run) awake() {
	for began := time.Now(); r.asleep.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > deadline {
			r.wrong("the server", "calls that were cancelled", "that their handlers learn it", fmt.Sprintf("%d that do not return", r.asleep.Load()))
			return
		}
	}
}

// visit has one caller make all of its calls.
func (r *run) visit(ctx context.Context, name string, index int, enter func(ctx context.Context, name string, mute bool) (*caller, error),
	all *sync.WaitGroup) {
	all.Go(func() {
		limited, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		c, err := enter(limited, name, name == "mute")
		if err != nil {
			r.wrong(name, "connect", "a connection", err.Error())
			return
		}
		defer c.leave()
		var lanes sync.WaitGroup
		for lane := range r.lanes {
			draws := rand.New(rand.NewPCG(r.seed, uint64(r.number)<<16|uint64(index)<<8|uint64(lane)))
			lanes.Go(func() {
				for range r.calls {
					c.call(ctx, draws)
				}
			})
		}
		lanes.Wait()
	})
}

// wrong reports a finding.
func (r *run) wrong(caller, what, expected, got string) {
	r.all.add(r.scenario, caller, what, expected, shortened(got))
}

// shortened returns a text that is not too long for a line.
func shortened(text string) string {
	const longest = 300
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// once notes that a call is handled, and reports one that was handled before.
func (r *run) once(who, what string) {
	if _, before := r.handled.LoadOrStore(who+" "+what, true); before {
		r.wrong(who, what, "to be handled once", "it is handled again")
	}
}

// caller is one client.
type caller struct {
	*run
	name  string
	mute  bool
	by    string // the principal that servers know it by
	made  atomic.Int64
	call  randomCall
	cut   func() // has the connection lost
	leave func()
}

// randomCall makes a random call, and checks the answer.
type randomCall func(ctx context.Context, draws *rand.Rand)

// maybe is a call of some scenarios.
type maybe struct {
	is   bool
	call randomCall
}

// any makes one of some calls, or of those of this scenario.
func (c *caller) any(ctx context.Context, draws *rand.Rand, calls []randomCall, more ...maybe) {
	for _, one := range more {
		if one.is {
			calls = append(calls, one.call)
		}
	}
	if c.cuts && draws.IntN(8) == 0 {
		c.cut()
	}
	pick(draws, calls)(ctx, draws)
}

// exchange makes a call with a message of its own, which is written for an id.
func exchange[T any](ctx context.Context, conn runtime.Conn, message func(id int64) []byte) (T, error) {
	var response struct {
		Result T
		Error  *runtime.Error
	}
	id, err := conn.NextID(1)
	if err != nil {
		return response.Result, err
	}
	text, err := conn.Call(ctx, id, message(id))
	if err == nil {
		err = json.Unmarshal(text, &response)
	}
	if err == nil && response.Error != nil {
		err = response.Error
	}
	return response.Result, err
}

// unique returns a text that no other call has.
func (c *caller) unique() string { return fmt.Sprintf("%s-%d", c.name, c.made.Add(1)) }

// expect makes a call and checks its answer.
func (c *caller) expect(ctx context.Context, what, expected string, call func(ctx context.Context) (string, error)) {
	limited, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	got, err := c.end(limited, what, call)
	switch {
	case err == nil && got == expected:
		c.all.right.Add(1)
	case err == nil:
		c.wrong(c.name, what, expected, got)
	case c.refusal(err):
		c.all.refused.Add(1)
	case errors.Is(err, context.DeadlineExceeded):
		c.wrong(c.name, what, expected, fmt.Sprintf("no answer within %v", deadline))
	default:
		c.wrong(c.name, what, expected, "the error "+err.Error())
	}
}

// giveUp makes a call that takes long, and cancels it.
func (c *caller) giveUp(ctx context.Context, what string, after time.Duration, call func(ctx context.Context) (string, error)) {
	limited, cancel := context.WithTimeout(ctx, after)
	defer cancel()
	if got, err := c.end(limited, what, call); err == nil {
		c.wrong(c.name, what, "no answer to a call that was given up", got)
		return
	}
	c.all.givenUp.Add(1)
}

// errNoEnd is the error of a call that does not return.
var errNoEnd = errors.New("no end")

// end makes a call, and reports one that does not return although its context has ended.
func (c *caller) end(ctx context.Context, what string, call func(ctx context.Context) (string, error)) (string, error) {
	type outcome struct {
		got string
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		got, err := call(ctx)
		done <- outcome{got, err}
	}()
	select {
	case o := <-done:
		return o.got, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.got, o.err
	case <-time.After(grace):
		c.wrong(c.name, what, "an end of the call", fmt.Sprintf("none within %v after its deadline", grace))
		return "", errNoEnd
	}
}

// refusal reports whether a call may have failed with err in this scenario.
func (c *caller) refusal(err error) bool {
	if errors.Is(err, errNoEnd) {
		return true // was reported
	}
	if c.cuts && (errors.As(err, new(*reconnect.LostError)) || errors.Is(err, runtime.ErrClosed) || errors.Is(err, context.Canceled)) {
		return true
	}
	e, answered := asAnswer(err)
	return c.limited && answered && (e.Code == when.CodeOverloaded || e.Code == toolbox.CodeBusy || e.Code == mcp.CodeRateLimited)
}

// asAnswer returns the error that the other side has answered with.
func asAnswer(err error) (*runtime.Error, bool) { return errors.AsType[*runtime.Error](err) }

// outlast makes a call of a mute caller, which lasts until the others are done.
func (c *caller) outlast(ctx context.Context, what string, call func(ctx context.Context) (string, error)) {
	select {
	case <-c.over:
		return
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.over:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(deadline):
			cancel()
		case <-ctx.Done():
		}
	}()
	c.end(ctx, what, call)
}
