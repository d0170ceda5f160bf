package stdio_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
)

// Serve ends when the input has ended and its calls are answered. A program leaves out the options.
func ExampleServe() {
	input := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Oslo"}}` + "\n")
	var output bytes.Buffer
	err := stdio.Serve(context.Background(), weather.NewHandler(office.Office{}), stdio.WithInput(input), stdio.WithOutput(&output))
	fmt.Print(output.String())
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"city":"Oslo","degrees":-3,"unit":"celsius","observedAt":"2026-07-28T12:00:00Z","wind":null}}
	// <nil>
}
