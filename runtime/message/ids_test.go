package message_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/message"
)

// TestIDsAndBatches: what docs/howto-messages.md says of plain messages, of those of a service, and of the zero parser.
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
