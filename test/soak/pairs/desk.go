package pairs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// desk is an MCP server: the tools of test/toolbox that run as tasks, and added ones for everything else.
type desk struct {
	toolbox.UnimplementedServer
	*run
	name string
}

// The tools that are added.
const (
	toolEcho      = "echo"
	toolBalance   = "balance"   // public, by the account
	toolStatement = "statement" // private
	toolPage      = "page"      // public, by all arguments
	toolBuy       = "buy"       // public, by the account, although the user is asked
	toolTransfer  = "transfer"  // asks for consent
	toolRoots     = "roots"
	toolSlow      = "slow"     // reports progress
	toolStubborn  = "stubborn" // logs and asks when its call was cancelled
	toolSleep     = "sleep"
)

// request is what the added tools take. Like encoding/json it reads the last one of members that are there twice, and a middleware the first.
type request struct {
	Who, What, Account, Note string
	Amount                   json.Number
}

const requestSchema = `{"type":"object","additionalProperties":false,"properties":{"who":{"type":"string"},"what":{"type":"string"},` +
	`"account":{"type":"string"},"note":{"type":"string"},"amount":{"type":"integer"}}}`

// tools returns the added tools, each with the name in front of which the prefix stands.
func (d *desk) tools(prefix string) (all []mcpdynamic.Tool) {
	for name, handle := range map[string]func(context.Context, request) (string, error){
		toolEcho: d.echo, toolBalance: d.account, toolStatement: d.account, toolPage: d.account, toolBuy: d.buy, toolTransfer: d.transfer,
		toolRoots: d.roots, toolSlow: d.slow, toolStubborn: d.stubborn, toolSleep: d.sleep,
	} {
		all = append(all, mcpdynamic.Tool{
			Name: prefix + name, InputSchema: mcpdynamic.JSON(requestSchema),
			Call: func(ctx context.Context, arguments runtime.Raw) (wire.Appender, error) {
				var q request
				if err := json.Unmarshal([]byte(arguments.String()), &q); err != nil {
					return nil, err
				}
				d.compare(ctx, q)
				text, err := handle(ctx, q)
				return mcpdynamic.Text(text), err
			},
		})
	}
	return all
}

// compare compares what a middleware has read with what the handler reads.
func (d *desk) compare(ctx context.Context, q request) {
	d.sees(ctx, "who", q.Who)
	d.sees(ctx, "account", q.Account)
	d.seesJSON(ctx, "amount", q.Amount.String())
}

// said is a result, which names the server and the principal.
func (d *desk) said(ctx context.Context, what string) string {
	return saidBy(d.name, what, mcp.PrincipalFrom(ctx))
}

func saidBy(server, what, by string) string { return fmt.Sprintf("%s: %s by %q", server, what, by) }

func (d *desk) echo(ctx context.Context, q request) (string, error) {
	d.once(q.Who, q.What)
	return d.said(ctx, q.What+" for "+q.Who), nil
}

func (d *desk) account(ctx context.Context, q request) (string, error) {
	return d.said(ctx, "the account "+q.Account), nil
}

// ask asks the user, and returns the card in the answer.
func (d *desk) ask(ctx context.Context, who, what string) (string, error) {
	answer, err := mcp.Elicit(ctx, "sure", mcp.ElicitRequestFormParams{Message: who + ": " + what})
	if err != nil {
		return "", err
	}
	return fmt.Sprint(answer.Content["card"]), nil
}

func (d *desk) buy(ctx context.Context, q request) (string, error) {
	card, err := d.ask(ctx, "", "buy with "+q.Account)
	return d.said(ctx, q.Account+" bought with "+card), err
}

func (d *desk) transfer(ctx context.Context, q request) (string, error) {
	card, err := d.ask(ctx, q.Who, "transfer "+q.Amount.String())
	return d.said(ctx, "transferred "+q.Amount.String()+" with "+card), err
}

func (d *desk) roots(ctx context.Context, q request) (string, error) {
	found, err := mcp.Roots(ctx, "roots")
	if err != nil || len(found.Roots) == 0 {
		return "no roots", err
	}
	return d.said(ctx, found.Roots[0].URI+" for "+q.Who), nil
}

// slow takes some time, and reports who has asked.
func (d *desk) slow(ctx context.Context, q request) (string, error) {
	mcp.Progress(ctx, 1, 2, q.Who)
	mcp.Log(ctx, "info", "", wire.RawOf(wire.AppendString(nil, q.Who+": slow")))
	time.Sleep(20 * time.Millisecond)
	return d.said(ctx, q.What+" for "+q.Who), nil
}

// stubborn does not return when its call is cancelled.
func (d *desk) stubborn(ctx context.Context, q request) (string, error) {
	err := d.run.sleep(ctx)
	time.Sleep(5 * time.Millisecond)
	going := context.WithoutCancel(ctx)
	mcp.Log(going, "error", "", wire.RawOf(wire.AppendString(nil, q.Who+": the balance is 1234.56")))
	d.ask(going, q.Who, "transfer 1000")
	return "", err
}

func (d *desk) sleep(ctx context.Context, _ request) (string, error) {
	return "", d.run.sleep(ctx)
}

// Introduce runs as a task. The name of the caller is in the item.
func (d *desk) Introduce(ctx context.Context, in toolbox.Choice) ([]mcp.ContentBlock, error) {
	mcp.Progress(ctx, 1, 2, string(in.Sku))
	card := "no card"
	if d.questions {
		var err error
		if card, err = d.ask(ctx, strings.ToLower(string(in.Sku[:3])), "introduce "+string(in.Sku)); err != nil {
			return nil, err
		}
	}
	return []mcp.ContentBlock{&mcp.TextContent{Text: d.said(ctx, string(in.Sku)+" with "+card)}}, nil
}

// looksAtTools is a middleware that reads arguments before the handler.
func looksAtTools(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		return next(looked(ctx, wire.PeekAt(q.Arguments())), q)
	}
}
