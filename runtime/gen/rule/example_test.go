package rule_test

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
)

// order has rules as generated code checks them.
type order struct {
	Sku   string
	Count int32
}

func (o *order) CheckRules(vs *rule.Violations) {
	rule.Length(vs, "/sku", o.Sku, 1, 8)
	rule.Min(vs, "/count", o.Count, 1)
}

// All violations are reported, each with the JSON Pointer of its place.
func ExampleValidate() {
	fmt.Println(rule.Validate(&order{Sku: "ABC-0001", Count: 2}))
	fmt.Println(rule.Validate(&order{Sku: "ABC-000123"}))
	// Output:
	// <nil>
	// /sku: maxLength: expected at most 8 characters, got 10 characters; /count: minimum: expected at least 1, got 0
}
