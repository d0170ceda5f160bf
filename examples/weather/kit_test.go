package weather_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/examples/weather/office"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/generated/weather/weathertest"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract"
)

// TestContract checks the office against the schema.
func TestContract(t *testing.T) {
	weathertest.Contract(t, contract.InMemory(func() runtime.Handler { return weather.NewHandler(office.Office{}) }), contract.AllowWrites(), contract.Values("city", `"Paris"`))
}
