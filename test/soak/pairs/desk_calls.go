package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// visitor makes the calls of one caller of the desk, and answers questions.
type visitor struct {
	c      *caller
	client *mcpclient.Client
	dial   mcpclient.Dialer
}

// visitor connects a caller.
func (r *run) visitor(ctx context.Context, name string, mute bool, cut func(), dial mcpclient.Dialer) (*caller, error) {
	c := r.newCaller(name, mute)
	if r.topology == gateway {
		c.by = "" // does not pass principals on
	}
	v := &visitor{c: c, dial: dial}
	o := mcpclient.Options{Revisions: []string{r.revision}, Logger: quiet, LogLevel: "debug", OnLog: v.logged}
	if r.questions {
		o.OnElicit, o.OnRoots = v.asked, v.roots
	}
	client, err := mcpclient.Connect(ctx, dial, o)
	if err != nil {
		return nil, err
	}
	v.client = client
	c.cut, c.leave, c.call = cut, func() { client.Close() }, v.next
	if mute {
		c.call = v.stay
	}
	if name == "mallory" {
		c.call = v.doubles
	}
	return c, nil
}

// card is what the user of a caller answers.
func (v *visitor) card() string { return "the card of " + v.c.name }

// asked answers a question, which has to be for this user: it begins with the name, as far as the server knows it.
func (v *visitor) asked(ctx context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	if who, _, _ := strings.Cut(p.Message, ": "); !strings.HasPrefix(v.c.name, who) {
		v.c.wrong(v.c.name, "questions", "its own", p.Message)
	}
	if v.c.mute {
		select {
		case <-v.c.over:
		case <-ctx.Done():
		}
	}
	return mcpclient.AcceptForm(mcpdynamic.Raw(wire.RawOf(append(wire.AppendString([]byte(`{"card":`), v.card()), '}'))))
}

func (v *visitor) roots(context.Context) (mcp.ListRootsResult, error) {
	return mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///" + v.c.name}}}, nil
}

// logged checks that a log message is one of its own calls.
func (v *visitor) logged(_ context.Context, m mcpclient.LogMessage) {
	if text, _ := wire.PeekAt([]byte(m.Data.String())).Text(); !strings.HasPrefix(text, v.c.name+": ") {
		v.c.wrong(v.c.name, "log messages", "its own", text)
	}
}

// where returns a server, and the name of a tool there.
func (v *visitor) where(draws *rand.Rand, tool string) (server, name string) {
	if v.c.topology != gateway {
		return "desk", tool
	}
	server = pick(draws, []string{"git", "git_private"})
	return server, server + "_" + tool
}

// next makes a random call.
func (v *visitor) next(ctx context.Context, draws *rand.Rand) {
	v.c.any(ctx, draws, []randomCall{v.echo, v.account, v.account, v.slow},
		maybe{v.c.questions, v.buy}, maybe{v.c.questions, v.transfer}, maybe{v.c.questions, v.askRoots}, maybe{v.c.tasks, v.task},
		maybe{v.c.cancels, v.sleep}, maybe{v.c.cancels && v.c.questions, v.stubborn}, maybe{v.c.timeouts, v.late})
}

// failedTool is the error of a tool.
type failedTool struct{ text string }

func (e *failedTool) Error() string { return "the tool failed: " + e.text }

// tool calls a tool, and returns its text.
func (v *visitor) tool(ctx context.Context, name string, arguments map[string]any) (string, error) {
	text, err := json.Marshal(arguments)
	if err != nil {
		return "", err
	}
	return textOf(v.client.CallTool(ctx, name, wire.RawOf(text)))
}

// textOf returns the text of a result.
func textOf(result mcp.CallToolResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var text string
	for _, block := range result.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if failed, _ := result.IsError.Get(); failed {
		return "", &failedTool{text}
	}
	return text, nil
}

// ask calls a tool and checks its answer, which is of the server and for the principal, or for any caller if it may be kept for all.
func (v *visitor) ask(ctx context.Context, draws *rand.Rand, tool, expected string, arguments map[string]any) {
	server, name := v.where(draws, tool)
	v.c.expect(ctx, "tool "+tool, saidBy(server, expected, v.c.by), func(ctx context.Context) (string, error) {
		text, err := v.tool(ctx, name, arguments)
		if v.timedOut(err) {
			return saidBy(server, expected, v.c.by), nil
		}
		if err == nil && v.c.cache != nothing && (tool == toolBalance || tool == toolPage) {
			text, _, _ = strings.Cut(text, " by ")
			text = fmt.Sprintf("%s by %q", text, v.c.by)
		}
		return text, err
	})
}

// timedOut reports whether a call has failed because of the timeout of the gateway, in which it also waits for calls of others to end and
// for the connection that is made after one that was given up.
func (v *visitor) timedOut(err error) bool {
	failed, ok := errors.AsType[*failedTool](err)
	return v.c.timeouts && ok && (strings.Contains(failed.text, "did not answer within") || strings.Contains(failed.text, "cannot be reached at present"))
}

func (v *visitor) echo(ctx context.Context, draws *rand.Rand) {
	what := v.c.unique()
	v.ask(ctx, draws, toolEcho, what+" for "+v.c.name, map[string]any{"who": v.c.name, "what": what})
}

// account asks for an account by one of the tools whose results may be kept.
func (v *visitor) account(ctx context.Context, draws *rand.Rand) {
	account, tool := pick(draws, accountNames), pick(draws, []string{toolBalance, toolStatement, toolPage})
	arguments := map[string]any{"account": account}
	if draws.IntN(2) == 0 {
		arguments["note"] = fmt.Sprint(draws.IntN(3))
	}
	v.ask(ctx, draws, tool, "the account "+account, arguments)
}

// slow checks the progress as well.
func (v *visitor) slow(ctx context.Context, draws *rand.Rand) {
	ctx = mcpclient.WithProgress(ctx, func(p mcpclient.ProgressReport) {
		if p.Message != v.c.name {
			v.c.wrong(v.c.name, "progress", "that of "+v.c.name, p.Message)
		}
	})
	what := v.c.unique()
	v.ask(ctx, draws, toolSlow, what+" for "+v.c.name, map[string]any{"who": v.c.name, "what": what})
}

func (v *visitor) buy(ctx context.Context, draws *rand.Rand) {
	account := pick(draws, accountNames)
	v.ask(ctx, draws, toolBuy, account+" bought with "+v.card(), map[string]any{"account": account})
}

func (v *visitor) transfer(ctx context.Context, draws *rand.Rand) {
	amount := draws.IntN(1000)
	v.ask(ctx, draws, toolTransfer, fmt.Sprintf("transferred %d with %s", amount, v.card()), map[string]any{"who": v.c.name, "amount": amount})
}

func (v *visitor) askRoots(ctx context.Context, draws *rand.Rand) {
	v.ask(ctx, draws, toolRoots, "file:///"+v.c.name+" for "+v.c.name, map[string]any{"who": v.c.name})
}

// task runs a tool as a task.
func (v *visitor) task(ctx context.Context, _ *rand.Rand) {
	item := fmt.Sprintf("%s-%04d", strings.ToUpper(v.c.name[:3]), v.c.made.Add(1))
	card := "no card"
	if v.c.questions {
		card = v.card()
	}
	v.c.expect(ctx, "task", saidBy("desk", item+" with "+card, v.c.by), func(ctx context.Context) (string, error) {
		t, err := v.client.StartTool(ctx, "introduce", wire.RawOf(fmt.Appendf(nil, `{"sku":%q}`, item)))
		if err != nil {
			return "", err
		}
		return textOf(t.Run(ctx))
	})
}

func (v *visitor) sleep(ctx context.Context, draws *rand.Rand) {
	_, name := v.where(draws, toolSleep)
	v.c.giveUp(ctx, "tool sleep", time.Duration(draws.IntN(5000))*time.Microsecond, func(ctx context.Context) (string, error) {
		return v.tool(ctx, name, nil)
	})
}

func (v *visitor) stubborn(ctx context.Context, draws *rand.Rand) {
	_, name := v.where(draws, toolStubborn)
	v.c.giveUp(ctx, "tool stubborn", time.Duration(5+draws.IntN(10))*time.Millisecond, func(ctx context.Context) (string, error) {
		return v.tool(ctx, name, map[string]any{"who": v.c.name})
	})
}

// late calls a tool that does not return before the timeout of the gateway.
func (v *visitor) late(ctx context.Context, draws *rand.Rand) {
	if draws.IntN(4) > 0 {
		return // others wait for a server with a handshake meanwhile
	}
	_, name := v.where(draws, toolSleep)
	v.c.expect(ctx, "a call over the timeout of the gateway", "none", func(ctx context.Context) (string, error) {
		text, err := v.tool(ctx, name, nil)
		if v.timedOut(err) {
			return "none", nil
		}
		return text, err
	})
}

// stay makes a call that waits for the mute user itself.
func (v *visitor) stay(ctx context.Context, draws *rand.Rand) {
	_, name := v.where(draws, toolBuy)
	v.c.outlast(ctx, "tool buy of a mute client", func(ctx context.Context) (string, error) {
		return v.tool(ctx, name, map[string]any{"account": pick(draws, accountNames)})
	})
}

// doubles sends arguments with a member twice, which have to be refused.
func (v *visitor) doubles(ctx context.Context, draws *rand.Rand) {
	if v.c.era() == mcp.Stateless && v.c.questions && draws.IntN(2) == 0 {
		v.c.expect(ctx, "consent for 5", "nothing else is transferred", func(ctx context.Context) (string, error) { return v.forge(ctx, draws) })
		return
	}
	_, name := v.where(draws, pick(draws, []string{toolBalance, toolStatement, toolPage}))
	arguments := fmt.Appendf(nil, `{"account":%q,"account":%q}`, pick(draws, accountNames), pick(draws, accountNames))
	v.c.expect(ctx, "a member twice", "an error", func(ctx context.Context) (string, error) {
		text, err := textOf(v.client.CallTool(ctx, name, wire.RawOf(arguments)))
		if _, answered := asAnswer(err); answered || errors.As(err, new(*failedTool)) {
			return "an error", nil
		}
		return text, err
	})
}

// forge answers the question of one round in the next one, whose arguments are others.
func (v *visitor) forge(ctx context.Context, draws *rand.Rand) (string, error) {
	conn, err := v.dial(ctx, nil)
	if err != nil {
		return "", err
	}
	if c, ok := conn.(interface{ Close() error }); ok {
		defer c.Close()
	}
	_, name := v.where(draws, toolTransfer)
	first, err := v.round(ctx, conn, name, `{"who":"mallory","amount":5}`, "")
	if err != nil {
		return "", err
	}
	if first.State == "" && v.c.timeouts && first.IsError {
		return "nothing else is transferred", nil
	}
	answers := make(map[string]json.RawMessage)
	for key := range first.Requests {
		answers[key] = json.RawMessage(`{"action":"accept","content":{"card":"none"}}`)
	}
	text, err := json.Marshal(map[string]any{"inputResponses": answers, "requestState": first.State})
	if err != nil {
		return "", err
	}
	arguments := pick(draws, []string{`{"who":"mallory","amount":5,"amount":1000000}`, `{"who":"mallory","amount":1000000,"amount":5}`,
		`{"who":"mallory","amount":1000000}`})
	second, err := v.round(ctx, conn, name, arguments, ","+strings.Trim(string(text), "{}"))
	if _, answered := asAnswer(err); answered {
		return "nothing else is transferred", nil
	}
	for _, block := range second.Content {
		if strings.Contains(block.Text, "1000000") && !second.IsError {
			return block.Text, nil
		}
	}
	return "nothing else is transferred", err
}

// rounds is the result of a round, as far as it matters here.
type rounds struct {
	State    string                     `json:"requestState"`
	Requests map[string]json.RawMessage `json:"inputRequests"`
	Content  []struct{ Text string }    `json:"content"`
	IsError  bool                       `json:"isError"`
}

// round makes one round of a call of a tool.
func (v *visitor) round(ctx context.Context, conn runtime.Conn, name, arguments, more string) (rounds, error) {
	ctx = mcpclient.WithHeaders(ctx, []mcpclient.Header{{Name: "MCP-Protocol-Version", Value: v.c.revision}, {Name: "Mcp-Method", Value: "tools/call"},
		{Name: "Mcp-Name", Value: name}})
	return exchange[rounds](ctx, conn, func(id int64) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s,`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`, id, name, arguments, more, v.c.revision)
	})
}
