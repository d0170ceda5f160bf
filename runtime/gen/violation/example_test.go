package violation_test

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

func ExampleClosest() {
	fmt.Println(violation.Closest("weather/currant", []string{"weather/watch", "weather/current"}))
	fmt.Println(violation.Closest("tide/next", []string{"weather/watch", "weather/current"}) == "")
	// Output:
	// weather/current
	// true
}
