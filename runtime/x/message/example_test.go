package message_test

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/message"
)

func ExampleAppendRequest() {
	text, err := message.AppendRequest(nil, []byte(`7`), "weather/current", []byte(`{"city":"Paris"}`))
	fmt.Printf("%s %v\n", text, err)
	// Output: {"jsonrpc":"2.0","id":7,"method":"weather/current","params":{"city":"Paris"}} <nil>
}

func ExampleParse() {
	m, err := message.Parse([]byte(`{"jsonrpc":"2.0","id":"a\u0062","method":"weather/current","params":["Paris"]}`))
	fmt.Printf("%s %s %s %s %v\n", m.Kind, m.ID, m.Method, m.Params, err)
	// Output: request "a\u0062" weather/current ["Paris"] <nil>
}

// A log of what passes a gateway.
func ExampleParseBatch() {
	messages, err := message.ParseBatch([]byte(`[{"jsonrpc":"2.0","id":1,"result":19},{"jsonrpc":"2.0","id":2},{"jsonrpc":"2.0","method":"changed"}]`))
	if err != nil {
		fmt.Println(err)
	}
	for _, m := range messages {
		switch m.Kind {
		case message.Invalid:
			fmt.Println(m.Kind, m.Fault.Detail)
		default:
			fmt.Printf("%s %s%s\n", m.Kind, m.ID, m.Method)
		}
	}
	// Output:
	// result 1
	// invalid message the member method is missing
	// notification changed
}

// A fault holds what a server answers.
func ExampleAppendError() {
	_, err := message.Parse([]byte(`{"jsonrpc":"2.0","id":3,"method":7}`))
	if fault, ok := err.(*message.Fault); ok {
		text, _ := message.AppendError(nil, fault.ID, fault.RPCError())
		fmt.Printf("%s\n", text)
	}
	// Output: {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid Request"}}
}

func ExampleAppendResult() {
	id := wire.AppendID(nil, wire.StringID("a"))
	text, _ := message.AppendResult(nil, id, []byte(`{"degrees":19}`))
	failed, _ := message.AppendError(nil, []byte("2"), runtime.ErrorObject{Code: 1001, Message: "city not found"})
	batch, _ := message.AppendBatch(nil, text, failed)
	fmt.Printf("%s\n", batch)
	// Output: [{"jsonrpc":"2.0","id":"a","result":{"degrees":19}},{"jsonrpc":"2.0","id":2,"error":{"code":1001,"message":"city not found"}}]
}
