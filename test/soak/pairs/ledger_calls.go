package pairs

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	ledger "github.com/rpcgen-go/rpcgen/test/ledger/rpc"
)

// reply is a result of any method.
type reply struct{ Who, What, Account, By string }

func (r reply) String() string {
	if r.Account != "" {
		return fmt.Sprintf("the account %s by %q", r.Account, r.By)
	}
	return fmt.Sprintf("%s for %s by %q", r.What, r.Who, r.By)
}

// said is an answer as text.
func said(a ledger.Answer, err error) (string, error) {
	return reply{Who: a.Who, What: a.What, By: a.By}.String(), err
}

// answer is what a call of this caller is answered with.
func (c *caller) answer(what string) string { return reply{Who: c.name, What: what, By: c.by}.String() }

// bookkeeper makes the calls of one caller of the ledger.
type bookkeeper struct {
	*caller
	me     *customer
	conn   runtime.Conn
	client *ledger.Client
}

// spend gives a caller the calls of the ledger.
func (r *run) spend(c *caller, me *customer, conn runtime.Conn, cut, leave func()) {
	b := &bookkeeper{c, me, conn, ledger.NewClient(conn)}
	c.cut, c.leave, c.call = cut, leave, b.next
	if c.mute {
		c.call = b.stay
	}
	if c.name == "mallory" {
		c.call = b.doubles
	}
}

// next makes a random call.
func (b *bookkeeper) next(ctx context.Context, draws *rand.Rand) {
	b.any(ctx, draws, []randomCall{b.echo, b.balance, b.balance, b.limited},
		maybe{b.callbacks, b.work}, maybe{b.callbacks, b.quote}, maybe{b.batches, b.batch}, maybe{b.cancels, b.sleep}, maybe{b.timeouts, b.wait})
}

func (b *bookkeeper) echo(ctx context.Context, draws *rand.Rand) {
	what := b.unique()
	if b.positional && draws.IntN(2) == 0 {
		b.expect(ctx, "echo by position", b.answer(what), func(ctx context.Context) (string, error) {
			got, err := b.byPosition(ctx, ledger.MethodLedgerEcho, b.name, what)
			return got.String(), err
		})
		return
	}
	b.expect(ctx, "echo", b.answer(what), func(ctx context.Context) (string, error) {
		return said(b.client.LedgerEcho(ctx, ledger.Asked{Who: b.name, What: what}))
	})
}

// balance asks for an account by one of the methods whose results may be kept. Only private ones, and all without a cache, are made for
// the principal of the caller.
func (b *bookkeeper) balance(ctx context.Context, draws *rand.Rand) {
	account := ledger.Account{Account: pick(draws, accountNames)}
	if draws.IntN(2) == 0 {
		account.Note = runtime.Some(strconv.Itoa(draws.IntN(3)))
	}
	one := pick(draws, []struct {
		method string
		call   func(context.Context, ledger.Account) (ledger.Holding, error)
	}{
		{ledger.MethodLedgerBalance, b.client.LedgerBalance},
		{ledger.MethodLedgerStatement, b.client.LedgerStatement},
		{ledger.MethodLedgerPage, b.client.LedgerPage},
	})
	own := b.cache == nothing || one.method == ledger.MethodLedgerStatement
	expected := reply{Account: account.Account, By: b.by}
	name := one.method
	call := func(ctx context.Context) (reply, error) {
		h, err := one.call(ctx, account)
		return reply{Account: h.Account, By: h.By}, err
	}
	if b.positional && draws.IntN(2) == 0 {
		name += " by position"
		call = func(ctx context.Context) (reply, error) { return b.byPosition(ctx, one.method, account.Account) }
	}
	b.expect(ctx, name, expected.String(), func(ctx context.Context) (string, error) {
		got, err := call(ctx)
		if !own {
			got.By = b.by // it may have been made for any caller
		}
		return got.String(), err
	})
}

// limited calls a method with a rate of the schema.
func (b *bookkeeper) limited(ctx context.Context, _ *rand.Rand) {
	what := b.unique()
	b.expect(ctx, "a method with a rate", b.answer(what), func(ctx context.Context) (string, error) {
		a, err := b.client.LedgerLimited(ctx, ledger.Asked{Who: b.name, What: what})
		if code(err) == when.CodeOverloaded {
			return b.answer(what), nil
		}
		return said(a, err)
	})
}

// work waits for the news of its call as well.
func (b *bookkeeper) work(ctx context.Context, _ *rand.Rand) {
	what := b.unique()
	b.expect(ctx, "work with callbacks", b.answer(what), func(ctx context.Context) (string, error) {
		a, err := b.client.LedgerWork(ctx, ledger.Asked{Who: b.name, What: what})
		if err != nil || b.cuts {
			return said(a, err)
		}
		select {
		case <-b.me.told(what):
			return said(a, nil)
		case <-ctx.Done():
			return "an answer, and no news", nil
		}
	})
}

func (b *bookkeeper) quote(ctx context.Context, draws *rand.Rand) {
	account := pick(draws, accountNames)
	b.expect(ctx, "quote, for which the client is called", b.answer(account), func(ctx context.Context) (string, error) {
		return said(b.client.LedgerQuote(ctx, ledger.Account{Account: account}))
	})
}

// batch sends some calls at once.
func (b *bookkeeper) batch(ctx context.Context, draws *rand.Rand) {
	batch := b.client.Batch()
	var expected []string
	var got []func() (string, error)
	for range 1 + draws.IntN(4) {
		what := b.unique()
		var a ledger.Answer
		call := batch.LedgerEcho(ledger.Asked{Who: b.name, What: what}, &a)
		expected = append(expected, b.answer(what))
		got = append(got, func() (string, error) { return said(a, call.Err()) })
		batch.LedgerNote(ledger.LedgerNoteParams{Text: what})
	}
	account := pick(draws, accountNames)
	var h ledger.Holding
	call := batch.LedgerBalance(ledger.Account{Account: account}, &h)
	expected = append(expected, account)
	got = append(got, func() (string, error) { return h.Account, call.Err() })
	b.expect(ctx, "batch", strings.Join(expected, ", "), func(ctx context.Context) (string, error) {
		if err := batch.Send(ctx); err != nil {
			return "", err
		}
		var all []string
		for _, one := range got {
			text, err := one()
			if err != nil {
				return "", err
			}
			all = append(all, text)
		}
		return strings.Join(all, ", "), nil
	})
}

func (b *bookkeeper) sleep(ctx context.Context, draws *rand.Rand) {
	asked := ledger.Asked{Who: b.name, What: b.unique()}
	b.giveUp(ctx, "a call that is cancelled", time.Duration(draws.IntN(5000))*time.Microsecond, func(ctx context.Context) (string, error) {
		return said(b.client.LedgerSleep(ctx, asked))
	})
}

func (b *bookkeeper) wait(ctx context.Context, _ *rand.Rand) {
	asked := ledger.Asked{Who: b.name, What: b.unique()}
	b.expect(ctx, "a call with a timeout", "the error of timeouts", func(ctx context.Context) (string, error) {
		a, err := b.client.LedgerWait(ctx, asked)
		if code(err) == when.CodeTimeout {
			return "the error of timeouts", nil
		}
		return said(a, err)
	})
}

// stay makes a call that waits for the mute caller itself.
func (b *bookkeeper) stay(ctx context.Context, draws *rand.Rand) {
	b.outlast(ctx, "quote of a mute client", func(ctx context.Context) (string, error) {
		_, err := b.client.LedgerQuote(ctx, ledger.Account{Account: pick(draws, accountNames)})
		return "", err
	})
}

// doubles sends a member twice, which has to be refused, so that it is not read in two ways.
func (b *bookkeeper) doubles(ctx context.Context, draws *rand.Rand) {
	method := pick(draws, []string{ledger.MethodLedgerBalance, ledger.MethodLedgerStatement, ledger.MethodLedgerPage})
	params := fmt.Sprintf(`{"account":%q,"account":%q}`, pick(draws, accountNames), pick(draws, accountNames))
	b.expect(ctx, "a member twice", "invalid params", func(ctx context.Context) (string, error) {
		got, err := b.raw(ctx, method, params)
		if code(err) == runtime.CodeInvalidParams {
			return "invalid params", nil
		}
		return got.String(), err
	})
}

// byPosition makes a call whose params are an array.
func (b *bookkeeper) byPosition(ctx context.Context, method string, params ...string) (reply, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return reply{}, err
	}
	return b.raw(ctx, method, string(text))
}

// raw makes a call with params as they are.
func (b *bookkeeper) raw(ctx context.Context, method, params string) (reply, error) {
	return exchange[reply](ctx, b.conn, func(id int64) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	})
}

// code returns the code of an error that the other side has answered, or 0.
func code(err error) int64 {
	if e, answered := asAnswer(err); answered {
		return e.Code
	}
	return 0
}
