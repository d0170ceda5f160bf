package mcpotel

import (
	"context"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// keyHTTPStatus is the status of an HTTP response.
const keyHTTPStatus = attribute.Key("http.response.status_code")

// ServerRefusals returns the OnRefusal of an HTTP handler. It counts mcp.server.refusals: requests
// that were rejected before they were served, for instance because of a limit. They are not
// operations and have no durations.
func ServerRefusals(o Options) func(status int, code int64) {
	o = o.withDefaults()
	count, err := o.MeterProvider.Meter(scope).Int64Counter("mcp.server.refusals", metric.WithUnit("{request}"),
		metric.WithDescription("How many requests are refused before they are served."))
	if err != nil {
		otel.Handle(err)
	}
	return func(status int, code int64) {
		all := append([]attribute.KeyValue{keyHTTPStatus.Int(status), keyStatusCode.String(strconv.FormatInt(code, 10))}, o.Attributes...)
		count.Add(context.Background(), 1, metric.WithAttributes(all...))
	}
}
