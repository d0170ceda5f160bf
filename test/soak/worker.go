package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// worker is one client after the other.
type worker struct {
	t *tally
	r *rand.Rand // of one goroutine
}

// visitor is one client.
type visitor struct {
	t      *tally
	way    way
	client *toolbox.Client
	mute   bool // its user does not answer questions
	ghost  bool // it vanishes in the midst of its calls, which may fail then
}

// visit is the life of one client.
func (w *worker) visit(ctx context.Context, way way) {
	const longest = time.Minute // nobody waits longer for anything
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longest)
	defer cancel()
	v := &visitor{t: w.t, way: way, mute: w.r.IntN(8) == 0, ghost: w.r.IntN(6) == 0}
	dial, done := way.open()
	defer done()
	began := time.Now()
	client, err := mcpclient.Connect(ctx, dial, mcpclient.Options{Era: way.era, Logger: quiet, OnElicit: v.answer})
	if err != nil {
		if time.Since(began) < short || !strings.Contains(err.Error(), "Session not found") { // else the session was idle for too long before the client went on
			v.judge("connect", err, nil)
		}
		return
	}
	w.t.visits.Add(1)
	v.client = toolbox.NewClient(client)
	var all sync.WaitGroup
	for range 4 + w.r.IntN(28) {
		call := w.call(ctx, v)
		all.Go(call)
	}
	if v.ghost {
		time.Sleep(time.Duration(w.r.IntN(5)) * time.Millisecond)
		client.Close()
		w.t.vanished.Add(1)
	}
	all.Wait()
	client.Close()
}

// answer is what the user answers to a question.
func (v *visitor) answer(ctx context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	if v.mute {
		<-ctx.Done()
		return mcp.ElicitResult{}, ctx.Err()
	}
	form := confirmed(p.Message)
	return mcpclient.AcceptForm(&form)
}

// confirmed is the form that the user fills in for a question.
func confirmed(message string) toolbox.PlaceOrderConfirmForm {
	return toolbox.PlaceOrderConfirmForm{Ok: len(message)%2 == 0, Note: fmt.Sprint("n", len(message))}
}

// call returns a call that checks its answer.
func (w *worker) call(ctx context.Context, v *visitor) func() {
	switch n := w.r.IntN(10); {
	case n < 5:
		query := strings.Repeat("x", 1+w.r.IntN(80))
		return func() { v.search(ctx, query) }
	case n < 7:
		count := int32(1 + w.r.IntN(9))
		return func() { v.order(ctx, count) }
	case n < 9:
		sku := toolbox.Sku(fmt.Sprintf("ABC-%04d", w.r.IntN(10_000)))
		return func() { v.read(ctx, sku) }
	}
	after := time.Duration(w.r.IntN(20)) * time.Millisecond
	return func() { v.giveUp(ctx, after) }
}

func (v *visitor) search(ctx context.Context, query string) {
	out, err := v.client.SearchItems(ctx, toolbox.SearchItemsInput{Query: query, Limit: 1})
	var wrong error
	if err == nil && (len(out.Items) != 1 || out.Items[0].Name != query) {
		wrong = fmt.Errorf("%d items for %d characters", len(out.Items), len(query))
	}
	v.judge("search", err, wrong)
}

func (v *visitor) read(ctx context.Context, sku toolbox.Sku) {
	item, err := v.client.ReadItem(ctx, toolbox.ItemParams{Sku: sku})
	var wrong error
	if err == nil && (item.Sku != sku || item.Name != "item "+string(sku)) {
		wrong = fmt.Errorf("%s is %+v", sku, item)
	}
	v.judge("read", err, wrong)
}

// order asks for a confirmation. A mute user of a session has the question fail at its deadline; one of a stateless client, the call.
func (v *visitor) order(ctx context.Context, count int32) {
	if v.mute && v.way.era == mcp.Stateless {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	in := toolbox.PlaceOrderInput{Sku: "ABC-0001", Count: count}
	out, err := v.client.PlaceOrder(ctx, in)
	want := orderID(in, confirmed(fmt.Sprintf("Order %d x %s?", in.Count, in.Sku)))
	switch {
	case v.mute && err != nil:
		v.t.unasked.Add(1)
	case v.mute:
		v.judge("order", nil, errors.New("ordered without an answer"))
	case err == nil && out.OrderID != want:
		v.judge("order", nil, fmt.Errorf("order %s, expected %s", out.OrderID, want))
	default:
		v.judge("order", err, nil)
	}
}

// giveUp makes a call that takes for ever, and cancels it.
func (v *visitor) giveUp(ctx context.Context, after time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, after)
	defer cancel()
	if err := v.client.CancelAll(ctx); err == nil {
		v.judge("a call that takes for ever", nil, errors.New("it was answered"))
		return
	}
	v.t.given.Add(1)
}

// judge counts an answer. Refusals of what is too much are right ones, when they say so; and the calls of who vanishes may fail.
func (v *visitor) judge(what string, err, wrong error) {
	refused, ok := errors.AsType[*runtime.Error](err)
	switch {
	case wrong != nil:
		v.t.mistake("%s: %s: %v", v.way.name, what, wrong)
	case err == nil:
		v.t.right.Add(1)
	case v.ghost:
	case ok && (refused.Code == mcp.CodeOverloaded || refused.Code == mcp.CodeRateLimited):
		v.t.refused.Add(1)
	default:
		v.t.mistake("%s: %s: %v", v.way.name, what, err)
	}
}
