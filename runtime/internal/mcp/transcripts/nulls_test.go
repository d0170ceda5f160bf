package transcripts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	revisions "github.com/rpcgen-go/rpcgen/schema/mcp"
)

// variant is a message in which an optional member is absent, and the same one in which it is null.
type variant struct{ path, absent, null string }

// nulls makes the variants of the values of a type.
type nulls struct {
	values map[string]string // JSON of members, by their name
	within []*ir.Decl
}

// least is a value of t with its required members alone.
func (n *nulls) least(t ir.Type, name string) string {
	if v, ok := n.values[name]; ok {
		return v
	}
	switch t := ir.Underlying(t).(type) {
	case *ir.Struct:
		return n.object(t, "", "")
	case *ir.List:
		return "[" + n.least(t.Elem, "") + "]"
	case *ir.Union:
		return n.least(t.Branches[0].Type, name)
	case *ir.Nullable:
		return n.least(t.Elem, name)
	case *ir.Literal:
		return t.Value.String()
	case *ir.Enum:
		return t.Values[0].Value.String()
	case *ir.Bool:
		return "true"
	case *ir.Int, *ir.Float:
		return "1"
	case *ir.Bytes:
		return `"AAAA"`
	case *ir.Time:
		return `"2026-01-02T03:04:05Z"`
	case *ir.String, *ir.ID:
		return `"x"`
	}
	return "{}"
}

// object is an object with its required members, and one more or another one.
func (n *nulls) object(s *ir.Struct, name, value string) string {
	var all []string
	for _, f := range s.Fields {
		switch {
		case f.Name == name:
			all = append(all, strconv.Quote(f.Name)+":"+value)
		case !f.Optional:
			all = append(all, strconv.Quote(f.Name)+":"+n.least(f.Type, f.Name))
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// variants lists those of t, at any depth.
func (n *nulls) variants(t ir.Type) (all []variant) {
	if ref, ok := t.(*ir.Ref); ok {
		if slices.Contains(n.within, ref.Decl) {
			return nil
		}
		n.within = append(n.within, ref.Decl)
		defer func() { n.within = n.within[:len(n.within)-1] }()
	}
	inside := func(step, before, after string, of []variant) {
		for _, v := range of {
			all = append(all, variant{step + v.path, before + v.absent + after, before + v.null + after})
		}
	}
	switch t := ir.Underlying(t).(type) {
	case *ir.Struct:
		for _, f := range t.Fields {
			if f.Optional && notNull(f.Type) {
				all = append(all, variant{"/" + f.Name, n.object(t, "", ""), n.object(t, f.Name, "null")})
			}
			before, after, _ := strings.Cut(n.object(t, f.Name, "\x00"), "\x00")
			inside("/"+f.Name, before, after, n.variants(f.Type))
		}
	case *ir.List:
		inside("/0", "[", "]", n.variants(t.Elem))
	case *ir.Map:
		inside("/k", `{"k":`, "}", n.variants(t.Elem))
	case *ir.Union:
		for _, b := range t.Branches {
			inside("", "", "", n.variants(b.Type))
		}
	}
	return all
}

// notNull reports whether null is not a value of t.
func notNull(t ir.Type) bool {
	switch t := ir.Underlying(t).(type) {
	case *ir.Any, *ir.Nullable:
		return false
	case *ir.Union:
		return !slices.ContainsFunc(t.Branches, func(b *ir.Branch) bool { return !notNull(b.Type) })
	}
	return true
}

// eachRevision runs a test with the schema of each revision.
func eachRevision(t *testing.T, test func(t *testing.T, revision string, doc *ir.Document)) {
	for _, revision := range revisions.Revisions {
		t.Run(revision, func(t *testing.T) {
			doc, faults := schema.Load("../../../../schema/mcp/" + revision + ".yaml")
			if faults.HasErrors() {
				t.Fatal(faults)
			}
			test(t, revision, doc)
		})
	}
}

// TestNullIsAbsent drives each optional member of each request of each revision with null: the server answers as if it were absent.
func TestNullIsAbsent(t *testing.T) {
	eachRevision(t, func(t *testing.T, revision string, doc *ir.Document) {
		tried := 0
		for _, m := range doc.Methods {
			if m.From == ir.FromServer || m.Params == nil || m.Name == "subscriptions/listen" {
				continue
			}
			n := &nulls{values: map[string]string{
				"protocolVersion": strconv.Quote(revision), "uri": `"shop://catalogue"`, "ref": `{"type":"ref/prompt","name":"greet"}`,
				"io.modelcontextprotocol/protocolVersion": strconv.Quote(revision),
				"name": map[string]string{"tools/call": `"report"`, "prompts/get": `"greet"`}[m.Name],
			}}
			if n.values["name"] == "" {
				delete(n.values, "name")
			}
			for _, v := range n.variants(m.Params) {
				var answers []string
				for _, params := range []string{v.absent, v.null} {
					srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet})
					h := srv.Open(nil)
					if revision < "2026" && m.Name != "initialize" {
						dispatched(t, h, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`)
						dispatched(t, h, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
					}
					msg := `{"jsonrpc":"2.0",` + map[bool]string{false: `"id":1,`}[m.Notification] + `"method":"` + m.Name + `","params":` + params + `}`
					answers = append(answers, dispatched(t, h, msg))
				}
				tried++
				if answers[0] != answers[1] {
					t.Errorf("%s%s\nabsent %s\n  %s\nnull %s\n  %s", m.Name, v.path, v.absent, answers[0], v.null, answers[1])
				}
			}
		}
		if tried < 10 {
			t.Errorf("%d members are tried", tried)
		}
	})
}

// answering is a server that answers every request with what is set.
type answering struct {
	revision string
	result   string
}

func (a *answering) Protocol() runtime.Protocol {
	return runtime.Protocol{Name: "mcp", Revision: a.revision}
}
func (a *answering) Condition(runtime.Condition) error { return nil }
func (a *answering) Hooks() runtime.Hooks              { return runtime.Hooks{} }
func (a *answering) Handle(_ context.Context, c *runtime.Call) {
	switch c.Method() {
	case "initialize":
		c.Return(append(c.Result(), `{"protocolVersion":"`+a.revision+`","capabilities":{"tools":{},"resources":{},"prompts":{},"completions":{}},"serverInfo":{"name":"s","version":"1"}}`...))
	case "server/discover":
		c.Return(append(c.Result(), `{"resultType":"complete","supportedVersions":["`+a.revision+`"],"capabilities":{"tools":{},"resources":{},"prompts":{},"completions":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"private"}`...))
	default:
		if c.IsNotification() {
			c.Drop()
			return
		}
		c.Return(append(c.Result(), a.result...))
	}
}

// TestNullResult drives each optional member of each result of each revision with null: the client takes it as if it were absent.
func TestNullResult(t *testing.T) {
	calls := map[string]func(context.Context, *mcpclient.Client) (any, error){
		"tools/call": func(ctx context.Context, c *mcpclient.Client) (any, error) {
			return c.CallTool(ctx, "report", runtime.Raw{})
		},
		"resources/read": func(ctx context.Context, c *mcpclient.Client) (any, error) {
			return c.ReadResource(ctx, "shop://catalogue")
		},
		"prompts/get": func(ctx context.Context, c *mcpclient.Client) (any, error) { return c.GetPrompt(ctx, "greet", nil) },
		"completion/complete": func(ctx context.Context, c *mcpclient.Client) (any, error) {
			return c.CompletePrompt(ctx, "greet", "a", "b", nil)
		},
		"tools/list": func(ctx context.Context, c *mcpclient.Client) (all any, err error) {
			for v, e := range c.ListTools(ctx) {
				all, err = v, e
			}
			return all, err
		},
		"resources/list": func(ctx context.Context, c *mcpclient.Client) (all any, err error) {
			for v, e := range c.ListResources(ctx) {
				all, err = v, e
			}
			return all, err
		},
		"resources/templates/list": func(ctx context.Context, c *mcpclient.Client) (all any, err error) {
			for v, e := range c.ListTemplates(ctx) {
				all, err = v, e
			}
			return all, err
		},
		"prompts/list": func(ctx context.Context, c *mcpclient.Client) (all any, err error) {
			for v, e := range c.ListPrompts(ctx) {
				all, err = v, e
			}
			return all, err
		},
	}
	eachRevision(t, func(t *testing.T, revision string, doc *ir.Document) {
		tried := 0
		for _, m := range doc.Methods {
			call := calls[m.Name]
			if call == nil {
				continue
			}
			n := &nulls{values: map[string]string{"resultType": `"complete"`, "inputSchema": `{"type":"object"}`, "nextCursor": `"x"`}}
			for _, v := range n.variants(m.Result) {
				var got []string
				for _, result := range []string{v.absent, v.null} {
					got = append(got, taken(t, &answering{revision, result}, call))
				}
				tried++
				name := strconv.Quote(v.path[strings.LastIndexByte(v.path, '/')+1:]) // JSON Schemas and questions are kept as they are
				got[1] = strings.NewReplacer(","+name+":null", "", name+":null,", "", name+":null", "").Replace(got[1])
				if got[0] != got[1] {
					t.Errorf("%s%s\nabsent %s\n  %s\nnull %s\n  %s", m.Name, v.path, v.absent, got[0], v.null, got[1])
				}
			}
		}
		if tried < 10 {
			t.Errorf("%d members are tried", tried)
		}
	})
}

// taken returns what a call of a server gives.
func taken(t *testing.T, server *answering, call func(context.Context, *mcpclient.Client) (any, error)) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dial := func(_ context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		a, b := pipe.New(0)
		o := runtime.Options{Logger: shop.Quiet}
		runtime.NewSession(ctx, b, server, o)
		return runtime.NewSession(ctx, a, inbound, o), nil
	}
	c, err := mcpclient.Connect(ctx, dial, mcpclient.Options{Revisions: []string{server.revision}, Logger: shop.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	result, err := call(ctx, c)
	text, broken := json.Marshal(result)
	return fmt.Sprintf("%s %v %v", text, err, broken)
}

// dispatched returns the answer to a message.
func dispatched(t *testing.T, h runtime.Handler, msg string) string {
	t.Helper()
	return string(runtime.NewDispatcher(h, runtime.Options{Logger: shop.Quiet, CallContext: true}).Dispatch(t.Context(), nil, []byte(msg)))
}
