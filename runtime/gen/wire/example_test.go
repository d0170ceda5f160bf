package wire_test

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Check accepts what every reader of JSON understands alike.
func ExampleCheck() {
	for _, text := range []string{`{"a": [1, 2]}`, `{"a": [1, 2`, `[[[]]]`, `"\ud800"`} {
		fmt.Println(wire.Check([]byte(text), 2))
	}
	// Output:
	// <nil>
	// not JSON: the text ends before "]" at byte 11
	// nested deeper than 2 levels at byte 2
	// not JSON: a bad escape sequence or a lone surrogate at byte 1
}

// A Raw keeps JSON as it came, without the spaces.
func ExampleParseRaw() {
	raw, err := wire.ParseRaw([]byte(`{ "price": 1.10, "id": 12345678901234567890 }`))
	fmt.Println(raw, err)
	// Output:
	// {"price":1.10,"id":12345678901234567890} <nil>
}
