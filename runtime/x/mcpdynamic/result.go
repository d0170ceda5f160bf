package mcpdynamic

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Raw is a complete result as JSON, such as one of another server. Members that the protocol does
// not know are passed on.
type Raw runtime.Raw

// AppendJSON implements [runtime.Appender].
func (r Raw) AppendJSON(b []byte) []byte { return wire.AppendRaw(b, runtime.Raw(r)) }

// Text returns the result of a tool that is a text.
func Text(text string) runtime.Appender { return textResult(text) }

type textResult string

func (t textResult) AppendJSON(b []byte) []byte {
	b = wire.AppendString(append(b, `{"content":[{"type":"text","text":`...), string(t))
	return append(b, "}]}"...)
}

// Structured returns the result of a tool whose structured content is v. Its JSON is also the text
// of the content, for clients that read no structured content.
func Structured(v runtime.Appender) runtime.Appender { return structuredResult{v} }

type structuredResult struct{ v runtime.Appender }

func (s structuredResult) AppendJSON(b []byte) []byte {
	b = append(b, `{"structuredContent":`...)
	start := len(b)
	b = s.v.AppendJSON(b)
	end := len(b)
	b = append(b, `,"content":[{"type":"text","text":`...)
	b = wire.AppendQuoted(b, b[start:end])
	return append(b, "}]}"...)
}

// Typed returns a [Tool.Call] that decodes the arguments into a value of type In, a type that is
// generated from a schema, and checks its rules. The value that handle returns is the structured
// content.
func Typed[In any, Out runtime.Appender, Decoder interface {
	*In
	wire.Decoder
}](handle func(ctx context.Context, in In) (Out, error)) func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error) {
	return func(ctx context.Context, arguments runtime.Raw) (runtime.Appender, error) {
		var in In
		if err := wire.UnmarshalCopy([]byte(arguments.String()), Decoder(&in)); err != nil {
			return nil, err
		}
		out, err := handle(ctx, in)
		if err != nil {
			return nil, err
		}
		return Structured(out), nil
	}
}
