// Package main has what the page from-openapi-generators.md and the code that ogen generates there import, so that go mod tidy finds it.
package main

import (
	_ "github.com/go-faster/errors"
	_ "github.com/go-faster/jx"
	_ "github.com/ogen-go/ogen/conv"
	_ "github.com/ogen-go/ogen/http"
	_ "github.com/ogen-go/ogen/middleware"
	_ "github.com/ogen-go/ogen/ogenerrors"
	_ "github.com/ogen-go/ogen/otelogen"
	_ "github.com/ogen-go/ogen/uri"
	_ "github.com/ogen-go/ogen/validate"
	_ "github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	_ "github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	_ "github.com/rpcgen-go/rpcgen/runtime/x/backend"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/attribute"
	_ "go.opentelemetry.io/otel/codes"
	_ "go.opentelemetry.io/otel/metric"
	_ "go.opentelemetry.io/otel/semconv/v1.39.0"
	_ "go.opentelemetry.io/otel/trace"
)

func main() {}
