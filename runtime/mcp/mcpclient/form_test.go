package mcpclient_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// TestAcceptForm: generated forms are filled in as they are.
func TestAcceptForm(t *testing.T) {
	got, err := mcpclient.AcceptForm(&toolbox.PlaceOrderConfirmForm{Ok: true, Note: "ring", Extras: []toolbox.PlaceOrderConfirmFormExtrasItem{"card"}})
	if b, _ := got.MarshalJSON(); err != nil || string(b) != `{"action":"accept","content":{"extras":["card"],"note":"ring","ok":true}}` {
		t.Errorf("%s, %v", b, err)
	}
	if _, err := mcpclient.AcceptForm(&toolbox.PlaceOrderConfirmForm{Wrapping: runtime.Some(toolbox.Colour("grey"))}); err == nil {
		t.Error("a form that breaks a rule is accepted")
	}
}
