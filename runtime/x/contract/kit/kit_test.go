package kit

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// TestDefs: a schema gets the definitions that it needs, those of definitions too, and no others.
func TestDefs(t *testing.T) {
	defs := Defs{"Order": `{"type":"object","properties":{"sku":{"$ref":"#/$defs/Sku"}},"required":["sku"]}`, "Sku": `{"type":"string","pattern":"^[A-Z]{3}$"}`, "Other": `{"type":"null"}`}
	for schema, want := range map[string]string{
		`{"type":"string"}`:        `{"type":"string"}`,
		`{"$ref":"#/$defs/Sku"}`:   `{"$ref":"#/$defs/Sku","$defs":{"Sku":` + defs["Sku"] + `}}`,
		`{"$ref":"#/$defs/Order"}`: `{"$ref":"#/$defs/Order","$defs":{"Order":` + defs["Order"] + `,"Sku":` + defs["Sku"] + `}}`,
	} {
		if got := string(Of[any](schema, defs).Schema()); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
	var order struct{ Sku string }
	shape := Of[struct{ Sku string }](`{"$ref":"#/$defs/Order"}`, defs)
	if order = shape.Valid(values.NewChoices(1, 1)); len(order.Sku) != 3 {
		t.Error(order)
	}
	if _, broken := shape.Invalid(values.NewChoices(1, 1)); broken.Keyword == "" {
		t.Error("no rule of a definition was broken")
	}
}

// sleeper is a server whose method sleeps for a second, for an hour if n is 3, and returns a text in place of a number if n is 7.
type sleeper struct{}

// Handle sleeps in a bubble.
func (sleeper) Handle(ctx context.Context, c *runtime.Call) {
	if c.Method() != "nap" {
		c.MethodNotFound("nap")
		return
	}
	n, result := "", "1"
	for c.Params("n") {
		n = c.Reader().Raw().String()
	}
	if c.Answered() {
		return
	}
	c.Begin()
	switch {
	case strings.Contains(n, "7"):
		result = `"x"`
	case strings.Contains(n, "3"):
		select {
		case <-ctx.Done():
		case <-time.After(time.Hour):
		}
	default:
		time.Sleep(time.Second)
	}
	c.Return(append(c.Result(), result...))
}

func (sleeper) Hooks() runtime.Hooks              { return runtime.Hooks{} }
func (sleeper) Protocol() runtime.Protocol        { return runtime.Protocol{} }
func (sleeper) Condition(runtime.Condition) error { return nil }

var nap = contract.Options{Writes: true, Calls: 60, Checks: []string{"Hang", "OutputSchema"}, Time: 3 * time.Hour, Methods: []contract.Method{{
	Name: "nap", ReadOnly: true, Result: []byte(`{"type":"integer"}`),
	Params: []byte(`{"type":"object","properties":{"n":{"type":"integer","enum":[1,3,7]}},"required":["n"],"additionalProperties":false}`),
}}}

// TestBubble: a server that sleeps for hours is checked at once, its hang is found, and each finding is found again by its id alone.
func TestBubble(t *testing.T) {
	known := leak.Current()
	conn := contract.InMemory(func() runtime.Handler { return sleeper{} })
	r, err := bubble(t)(t.Context(), conn, contract.With(nap))
	if err != nil || len(r.Findings) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, f := range r.Findings {
		again, err := bubble(t)(t.Context(), conn, contract.With(nap), contract.Replay(f.ID))
		if err != nil || len(again.Findings) != 1 || again.Findings[0].Check != f.Check || again.Calls > r.Calls {
			t.Errorf("%s %s: %+v, %v", f.Check, f.ID, again, err)
		}
	}
	if none, err := bubble(t)(t.Context(), conn, contract.With(nap), contract.Replay("000000")); err != nil || len(none.Findings) > 0 {
		t.Error(none, err)
	}
	leak.Check(t, known)
}
