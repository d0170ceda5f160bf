package message_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/x/message"
)

// TestIDsAndBatches: what docs/generated-api.md says of plain messages, of those of a service, and of the zero parser.
func TestIDsAndBatches(t *testing.T) {
	weather := message.Parser{Protocol: weather.NewHandler(nil).Protocol()}
	strict := weather
	strict.Protocol.Batch = false
	for text, want := range map[string][4]bool{ // plain, of a service, of one without batches, zero
		`{"jsonrpc":"2.0","id":"a","method":"m"}`:   {true, true, true, true},
		`{"jsonrpc":"2.0","id":7,"method":"m"}`:     {true, true, true, true},
		`{"jsonrpc":"2.0","id":1.5,"method":"m"}`:   {true, true, true, false},
		`{"jsonrpc":"2.0","id":null,"method":"m"}`:  {true, true, true, false},
		`[{"jsonrpc":"2.0","id":7,"method":"m"}]`:   {true, true, false, false},
		`{"jsonrpc":"2.0","id":true,"method":"m"}`:  {},
		`[{"jsonrpc":"2.0","id":[1],"method":"m"}]`: {true, true, false, false}, // one message of the batch is invalid
	} {
		for i, parse := range []func([]byte) ([]message.Message, error){message.ParseBatch, weather.ParseBatch, strict.ParseBatch, message.Parser{}.ParseBatch} {
			if _, err := parse([]byte(text)); (err == nil) != want[i] {
				t.Errorf("%d: %s: %v", i, text, err)
			}
		}
	}
}

// TestSize: a text over the limit is refused, also as a batch, and by the parser of Parse.
func TestSize(t *testing.T) {
	small, large := []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`), append(bytes.Repeat([]byte(" "), frame.DefaultMax), `[{"jsonrpc":"2.0","id":1,"method":"a"}]`...)
	p := message.Parser{Protocol: runtime.Plain, MaxSize: len(small)}
	for name, err := range map[string]error{
		"a message": second(p.Parse(append([]byte(" "), small...))), "a batch": second(p.ParseBatch([]byte("[" + string(small) + "]"))),
		"Parse": second(message.Parse(large)), "ParseBatch": second(message.ParseBatch(large)),
	} {
		if fault, ok := errors.AsType[*message.Fault](err); !ok || fault.Code != runtime.CodeInvalidRequest || !strings.Contains(fault.Detail, "bytes") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := p.Parse(small); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }
