package mcp_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

var stateMember = regexp.MustCompile(`"requestState":"([^"]*)"`)

// TestRoundsID: from the second round on a request has a text of its own, also when a round is sent again.
func TestRoundsID(t *testing.T) {
	var got string
	look := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			got = mcp.RoundsID(ctx)
			return next(ctx, q)
		}
	}
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{look}})
	send := func(responses, state string) (id, next string) {
		answer := dispatch(t.Context(), srv, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"interview","inputResponses":{`+responses+`},`+state+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}}}}}`)
		if found := stateMember.FindString(answer); found != "" {
			return got, found + ","
		}
		if !strings.Contains(answer, `"name":"Ann"`) {
			t.Errorf("answered %s", answer)
		}
		return got, ""
	}
	const (
		facts = `"where":{"roots":[{"uri":"file:///a"}]},"say":{"role":"assistant","content":{"type":"text","text":"Hello"},"model":"m"}`
		name  = `"confirm":{"action":"accept","content":{"name":"Ann"}}`
	)
	run := func() (id string) {
		none, state := send("", "")
		second, state := send(facts, state)
		third, _ := send(name, state)
		again, _ := send(name, state)
		if none != "" || second == "" || third != second || again != second {
			t.Errorf("the rounds have %q, %q, %q, and %q when the last one is sent again", none, second, third, again)
		}
		return second
	}
	if first, second := run(), run(); first == second {
		t.Error("two requests have the same text")
	}
	if id := mcp.RoundsID(t.Context()); id != "" {
		t.Errorf("outside of requests: %q", id)
	}
}

// TestUnaskedAnswers: answers of a first round are refused, unless the server says that it takes them; then they have a text of their own,
// the same when the request is sent again.
func TestUnaskedAnswers(t *testing.T) {
	var ids []string
	look := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			ids = append(ids, mcp.RoundsID(ctx))
			return next(ctx, q)
		}
	}
	const order = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"A-1"},` +
		`"inputResponses":{"confirm":{"action":"accept","content":{"name":"NAME"}},"other":{}},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`
	for _, takes := range []bool{false, true} {
		ids = nil
		srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, UnaskedAnswers: takes, Middleware: []mcp.Middleware{look}})
		for _, name := range []string{"Ann", "Ann", "Bob"} {
			answer := dispatch(t.Context(), srv, strings.Replace(order, "NAME", name, 1))
			if placed := strings.Contains(answer, `"orderedBy":"`+name); placed != takes || !placed && !strings.Contains(answer, `"code":-32602`) {
				t.Errorf("UnaskedAnswers %t: %s", takes, answer)
			}
		}
		if takes && (len(ids) != 3 || ids[0] == "" || ids[0] != ids[1] || ids[1] == ids[2]) {
			t.Errorf("the texts of two equal rounds and another one are %q", ids)
		}
		if !takes && ids != nil {
			t.Errorf("the handler ran: %q", ids)
		}
	}
}

// TestClocks: a replica takes the state that another one has made unless its clock is ahead by more than StateTTL. That the clock has gone on is the same.
func TestClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replica := func() *mcp.Server {
			return mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, StateKeys: [][]byte{[]byte("a key of tests")}})
		}
		send := func(srv *mcp.Server, more string) string {
			return dispatch(t.Context(), srv, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order","arguments":{"sku":"A-1"},`+more+
				`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}`)
		}
		state := stateMember.FindString(send(replica(), ""))
		answer := `"inputResponses":{"confirm":{"action":"accept","content":{"name":"Ann"}}},` + state + ","
		time.Sleep(time.Hour - time.Second)
		if got := send(replica(), answer); !strings.Contains(got, `"orderedBy":"Ann"`) {
			t.Errorf("a clock that is ahead a little: %s", got)
		}
		time.Sleep(time.Second)
		if got := send(replica(), answer); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, "it has expired") {
			t.Errorf("a clock that is ahead by more: %s", got)
		}
	})
}
