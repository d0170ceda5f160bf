package toolbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/generated/toolbox/toolboxtest"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// TestKitValues draws values of the kit: valid ones can be written and read again, and invalid ones are refused by the types that do not ignore
// what is unknown to them.
func TestKitValues(t *testing.T) {
	for i := range uint64(200) {
		c := values.NewChoices(1, i)
		in := toolboxtest.ValidSearchItemsInput(c)
		text, err := json.Marshal(in)
		var again toolbox.SearchItemsInput
		if err == nil {
			err = json.Unmarshal(text, &again)
		}
		if err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		if payment := toolboxtest.ValidPayment(c); payment == nil {
			t.Fatal("a union without a value")
		}
		broken, rule := toolboxtest.InvalidItem(c)
		if rule.Keyword == "" || rule.Keyword == "additionalProperties" {
			t.Fatalf("%s breaks %+v", broken, rule)
		}
		var item toolbox.Item
		if err := json.Unmarshal(broken, &item); err == nil {
			t.Errorf("%s breaks %+v, and is an Item", broken, rule)
		}
	}
	a, b := toolboxtest.ValidItem(values.NewChoices(7, 7)), toolboxtest.ValidItem(values.NewChoices(7, 7))
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("equal choices draw %v and %v", a, b)
	}
}

// TestFake calls a fake server by the generated client: with functions, with drawn values, and without either.
func TestFake(t *testing.T) {
	fake := toolboxtest.NewFake(t).Sampled(1)
	busy := errors.New("busy")
	fake.ReserveFunc = func(_ context.Context, in toolbox.ReserveInput) error {
		if in.Sku == "ABC-0001" {
			return busy
		}
		return nil
	}
	c := toolboxtest.Connect(t, fake)
	if err := c.Reserve(t.Context(), toolbox.ReserveInput{Sku: "ABC-0001"}); err == nil {
		t.Error("the function was not called")
	}
	for range 20 {
		if out, err := c.SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "saw", Limit: 3}); err != nil {
			t.Error(out, err)
		}
		if item, err := c.ReadItem(t.Context(), toolbox.ItemParams{Sku: "ABC-0001"}); err != nil {
			t.Error(item, err)
		}
	}
	if calls := fake.Calls.SearchItems.All(); len(calls) != 20 || calls[0].Query != "saw" {
		t.Errorf("calls %v", calls)
	}

	failed := &failing{TB: t}
	c = toolboxtest.Connect(t, toolboxtest.NewFake(failed))
	if _, err := c.SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "saw", Limit: 3}); err == nil {
		t.Error("a method without a function answers")
	}
	if !strings.Contains(failed.said, "SearchItems") {
		t.Errorf("the test failed with %q", failed.said)
	}
}

// failing is a test that may fail.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper()           {}
func (f *failing) Error(args ...any) { f.said += fmt.Sprint(args...) }
