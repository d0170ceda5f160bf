package everything

import (
	"context"

	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

func (*server) ReadStaticText(context.Context) (string, error) {
	return "This is the content of the static text resource.", nil
}

func (*server) ReadStaticBinary(context.Context) ([]byte, error) { return pixel(), nil }

func (*server) ReadWatched(context.Context) (string, error) {
	return "This resource may be subscribed to.", nil
}

func (*server) ReadData(_ context.Context, params conformance.DataParams) (conformance.DataContent, error) {
	return conformance.DataContent{ID: params.ID, TemplateTest: true, Data: "Data for ID: " + params.ID}, nil
}
