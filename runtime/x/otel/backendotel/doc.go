// Package backendotel records the calls of HTTP APIs that package backend makes with OpenTelemetry, by the semantic conventions for HTTP clients: a span
// and a measurement of http.client.request.duration for every attempt, and an event for every place at which an answer differs from the schema.
//
//	o := backendotel.Options{}
//	api, err := rpc.NewBackend(rpc.BackendOptions{Transport: backendotel.Transport(nil, o), OnDeviation: backendotel.Deviation})
//
// Spans carry the path of the schema (url.template), and never the URL, headers or bodies of a request. The parent of a span is that of the call, such as
// the one that package mcpotel starts for a tool. The package is a separate module, so that other users do not depend on OpenTelemetry.
package backendotel
