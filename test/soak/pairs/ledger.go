package pairs

import (
	"context"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	ledger "github.com/rpcgen-go/rpcgen/test/ledger/rpc"
)

// books is the server of the schema.
type books struct {
	ledger.UnimplementedServer
	run *run
}

// LedgerEcho says who has asked for what.
func (b books) LedgerEcho(ctx context.Context, p ledger.Asked) (ledger.Answer, error) {
	b.run.once(p.Who, p.What)
	b.run.sees(ctx, "who", p.Who)
	return ledger.Answer{Who: p.Who, What: p.What, By: principal.From(ctx)}, nil
}

// LedgerLimited is LedgerEcho with a rate.
func (b books) LedgerLimited(ctx context.Context, p ledger.Asked) (ledger.Answer, error) {
	return b.LedgerEcho(ctx, p)
}

// LedgerBalance returns an account.
func (b books) LedgerBalance(ctx context.Context, p ledger.Account) (ledger.Holding, error) {
	b.run.sees(ctx, "account", p.Account)
	return ledger.Holding{Account: p.Account, By: principal.From(ctx)}, nil
}

// LedgerStatement returns an account for one principal.
func (b books) LedgerStatement(ctx context.Context, p ledger.Account) (ledger.Holding, error) {
	return b.LedgerBalance(ctx, p)
}

// LedgerPage returns an account.
func (b books) LedgerPage(ctx context.Context, p ledger.Account) (ledger.Holding, error) {
	return b.LedgerBalance(ctx, p)
}

// LedgerQuote answers with what the client says, which belongs to no other call.
func (b books) LedgerQuote(ctx context.Context, p ledger.Account) (ledger.Answer, error) {
	said, err := ledger.NewCallbackClient(runtime.PeerFrom(ctx)).ClientConfirm(ctx, ledger.ClientConfirmParams{Text: p.Account})
	return ledger.Answer{Who: said.Who, What: said.Text, By: principal.From(ctx)}, err
}

// LedgerWork tells the client some news, and answers with what the client says.
func (b books) LedgerWork(ctx context.Context, p ledger.Asked) (ledger.Answer, error) {
	b.run.once(p.Who, p.What)
	client := ledger.NewCallbackClient(runtime.PeerFrom(ctx))
	if err := client.ClientNews(ctx, p); err != nil {
		return ledger.Answer{}, err
	}
	said, err := client.ClientConfirm(ctx, ledger.ClientConfirmParams{Text: p.What})
	return ledger.Answer{Who: said.Who, What: said.Text, By: principal.From(ctx)}, err
}

// LedgerWait returns after its timeout, with an answer that comes too late.
func (b books) LedgerWait(ctx context.Context, p ledger.Asked) (ledger.Answer, error) {
	<-ctx.Done()
	time.Sleep(time.Millisecond)
	return ledger.Answer{Who: p.Who, What: p.What}, nil
}

// LedgerSleep returns with the end of the call.
func (b books) LedgerSleep(ctx context.Context, _ ledger.Asked) (ledger.Answer, error) {
	return ledger.Answer{}, b.run.sleep(ctx)
}

// LedgerNote is part of batches.
func (b books) LedgerNote(context.Context, ledger.LedgerNoteParams) error { return nil }

// member is the key of a context for what a middleware has read.
type member string

// looks is a middleware that reads params as it has to: before the handler.
func looks(next runtime.HandlerFunc) runtime.HandlerFunc {
	return func(ctx context.Context, call *runtime.Call) {
		next(looked(ctx, call.PeekParams()), call)
	}
}

// looked returns a context with the members of an object that handlers compare.
func looked(ctx context.Context, params wire.Peek) context.Context {
	for _, name := range []string{"who", "account", "amount"} {
		if value := params.In(name); value.Kind() != wire.Invalid {
			ctx = context.WithValue(ctx, member(name), string(value.JSON()))
		}
	}
	return ctx
}

// sees compares what a middleware has read with what the handler reads.
func (r *run) sees(ctx context.Context, name, text string) {
	r.seesJSON(ctx, name, string(wire.AppendString(nil, text)))
}

func (r *run) seesJSON(ctx context.Context, name, got string) {
	if expected, ok := ctx.Value(member(name)).(string); ok && expected != got {
		r.wrong("the handler", "the member "+name, "what the middleware reads: "+expected, got)
	}
}

// customer is the client of the schema: it answers for its caller, and calls back meanwhile.
type customer struct {
	caller *caller
	news   sync.Map // what the server has told, by what was asked: a channel that is closed
}

// ClientConfirm says who the client is. A mute one says so when all others are done.
func (c *customer) ClientConfirm(ctx context.Context, p ledger.ClientConfirmParams) (ledger.ClientConfirmResult, error) {
	if c.caller.mute {
		<-c.caller.over
	}
	c.callBack(ctx)
	return ledger.ClientConfirmResult{Who: c.caller.name, Text: p.Text}, nil
}

// ClientNews takes news, which have to be those of a call of its own.
func (c *customer) ClientNews(ctx context.Context, p ledger.Asked) error {
	if p.Who != c.caller.name {
		c.caller.wrong(c.caller.name, "news", "its own", "those of "+p.Who)
	}
	c.callBack(ctx)
	close(c.told(p.What))
	return nil
}

// told returns the channel of a call that is closed when its news have been handled.
func (c *customer) told(what string) chan struct{} {
	news, _ := c.news.LoadOrStore(what, make(chan struct{}))
	return news.(chan struct{})
}

// callBack calls the server out of a handler.
func (c *customer) callBack(ctx context.Context) {
	server := ledger.NewClient(runtime.PeerFrom(ctx))
	what := c.caller.unique()
	c.caller.expect(ctx, "echo out of a callback", c.caller.answer(what), func(ctx context.Context) (string, error) {
		return said(server.LedgerEcho(ctx, ledger.Asked{Who: c.caller.name, What: what}))
	})
}
