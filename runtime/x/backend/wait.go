package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// everyWait is the time between two requests for the state of some work.
const everyWait = 2 * time.Second

// wait returns when the work that an answer of 202 announces is done. Each request for its state is reported as progress. The errors say that the call was
// carried out: it must not be repeated.
func (c *Client) wait(ctx context.Context, q *request, a *answer, e *Event) error {
	w := q.call.Wait
	poll, err := c.pollOf(q, a)
	if err != nil {
		return odd(q, a, err.Error())
	}
	pause := max(a.wait, cmp.Or(w.Every, everyWait))
	for n := 1; ; n++ {
		if err := web.Sleep(ctx, pause); err != nil {
			return cutError(a)
		}
		_ = mcp.Progress(ctx, float64(n), 0, "waiting for "+c.api.Name)
		state, err := c.send(ctx, poll, &Event{Principal: e.Principal})
		switch {
		case ctx.Err() != nil:
			return cutError(a)
		case err != nil:
			return &Error{Kind: Unreachable, Status: a.status, Text: carriedOut(a) + ", and its state cannot be read: " + err.Error(), Cause: err}
		case state.status < 200 || state.status >= 300:
			return &Error{Kind: Refused, Status: state.status, Text: carriedOut(a) + ", and its state cannot be read: " + c.refusalError(poll, state).Error()}
		}
		pause = max(state.wait, cmp.Or(w.Every, everyWait))
		root := wire.Peek{}
		if len(state.body) > 0 && wire.Check(state.body, wire.MaxDepth) == nil {
			root = wire.PeekAt(state.body)
		}
		for _, f := range w.Fail {
			if is := c.path(f.Name).find(root); isOneOf(is, f.Value) {
				return &Error{Kind: Refused, Status: state.status, Text: carriedOut(a) + ", and the work failed: " + f.Name + " is " +
					clean(poll.secrets().Hide(plainText(is)), maxKept)}
			}
		}
		done := w.Path != "" || state.status != http.StatusAccepted
		for _, u := range w.Until {
			done = done && isOneOf(c.path(u.Name).find(root), u.Value)
		}
		if done {
			return nil
		}
	}
}

func carriedOut(a *answer) string {
	return "The call was carried out (HTTP " + strconv.Itoa(a.status) + ")"
}

func cutError(a *answer) error {
	return &Error{Kind: Busy, Status: a.status, Text: carriedOut(a) + ", and the work has not ended yet: do not repeat the call, and look for the result later"}
}

// pollOf is the request for the state of what an answer announces. It stays on the origin of the call.
func (c *Client) pollOf(q *request, a *answer) (*request, error) {
	poll := &request{call: q.plan.poll, plan: q.plan.poll.callPlan(), header: maps.Clone(c.headers), sent: slices.Clip(q.sent), asked: slices.Clip(q.asked)}
	if poll.header.Get("Accept") == "" {
		poll.header.Set("Accept", "application/json")
	}
	if q.call.Wait.Path == "" {
		at, err := q.url.Parse(a.header.Get("Location"))
		if err != nil || a.header.Get("Location") == "" || !sameOrigin(at, q.url) || at.User != nil {
			return nil, errors.New("its header Location does not say where the state is, on the same host")
		}
		poll.url = at
		return poll, nil
	}
	poll.paths, poll.lists = map[string]string{}, q.lists
	maps.Copy(poll.paths, q.paths)
	if path := q.call.Wait.ID; path != "" {
		root := wire.Peek{}
		if len(a.body) > 0 && wire.Check(a.body, wire.MaxDepth) == nil {
			root = wire.PeekAt(a.body)
		}
		id, ok := scalar(c.path(path).find(root))
		if !ok || id == "" || id == "." || id == ".." {
			return nil, fmt.Errorf("there is no id at %s", path)
		}
		poll.paths["id"] = id
	}
	path, err := poll.path()
	if err == nil {
		poll.url, err = url.Parse(c.server + path)
	}
	return poll, err
}

// isOneOf reports whether a value is the one that JSON says, or one of those in a list.
func isOneOf(p wire.Peek, want string) bool {
	w := wire.PeekAt([]byte(want))
	if w.Kind() == wire.Array {
		for one := range w.Elements() {
			if sameScalar(p, one) {
				return true
			}
		}
		return false
	}
	return sameScalar(p, w)
}

func sameScalar(a, b wire.Peek) bool {
	return a.Kind() == b.Kind() && a.Kind() != wire.Invalid && plainText(a) == plainText(b)
}
