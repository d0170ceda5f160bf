package mcp

import (
	"context"
	"errors"
	"fmt"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Question is what a server asks its client.
type Question struct {
	Key    string      // among those that are asked at once; empty in the handshake era
	Method string      // elicitation/create, sampling/createMessage or roots/list
	Params runtime.Raw // in the order in which the server gives them
}

// QuestionFrom returns the question that a handler of [ClientOptions] is called for, by its context.
func QuestionFrom(ctx context.Context) Question {
	q, _ := ctx.Value(questionKey{}).(Question)
	return q
}

type questionKey struct{}

// nextRound answers what a server wants to know, and returns what the next round says beside (basic/patterns/mrtr).
func (c *Client) nextRound(ctx context.Context, q *ask, out *outcome) ([]byte, error) {
	var b []byte
	if out.requests != nil {
		b = append(b, `,"inputResponses":`...)
		start := len(b)
		for key, asked := range wire.PeekAt(out.requests).Members() {
			b = append(wire.AppendString(append(b, ','), key), ':')
			var err error
			if b, err = c.answer(ctx, b, embedded(key, asked)); err != nil {
				return nil, fmt.Errorf("%s: what the server asks cannot be answered: %w", q.title(), err)
			}
		}
		b = wire.CloseObject(b, start)
	}
	if out.hasState {
		b = wire.AppendString(append(b, `,"requestState":`...), out.state)
	}
	if b == nil {
		return nil, &runtime.ResponseError{Method: q.title(), What: "it requires input, and says none"}
	}
	return b, nil
}

// embedded returns the question that is a member of inputRequests.
func embedded(key string, p wire.Peek) Question {
	asked := Question{Key: key, Params: wire.RawOf([]byte("{}"))}
	asked.Method, _ = p.In("method").Text()
	if params, err := wire.ParseRaw(p.In("params").JSON()); err == nil {
		asked.Params = params
	}
	return asked
}

// errNotAsked is answered to what the client has not declared that it can be asked.
var errNotAsked = &fault{runtime.CodeMethodNotFound, 0, "Method not found", nil}

// answer appends the answer to a question.
func (c *Client) answer(ctx context.Context, b []byte, asked Question) (_ []byte, err error) {
	defer wire.CatchEncodeError(&err)
	ctx = context.WithValue(ctx, questionKey{}, asked)
	o, params := &c.opts, []byte(asked.Params.String())
	mode, _ := wire.PeekAt(params).In("mode").Text()
	switch {
	case asked.Method == "elicitation/create" && mode == "url" && o.OnElicitURL != nil:
		return handle(ctx, b, params, o.OnElicitURL)
	case asked.Method == "elicitation/create" && mode != "url" && o.OnElicit != nil:
		return handle(ctx, b, params, o.elicit)
	case asked.Method == "sampling/createMessage" && o.OnSample != nil:
		return handle(ctx, b, params, o.OnSample)
	case asked.Method == "roots/list" && o.OnRoots != nil:
		roots, err := o.OnRoots(ctx)
		return appendAnswer(b, &roots, err)
	}
	return b, errNotAsked
}

// handle decodes what a handler is asked, and appends what it answers.
func handle[P, R any, PP interface {
	*P
	wire.Decoder
}, PR interface {
	*R
	wire.Appender
}](ctx context.Context, b, params []byte, f func(context.Context, P) (R, error)) ([]byte, error) {
	var p P
	if err := wire.UnmarshalCopy(params, PP(&p)); err != nil {
		if broken, ok := errors.AsType[*rule.Error](err); ok {
			err = runtime.InvalidParams(broken.Violations, broken.Dropped)
		}
		return b, err
	}
	result, err := f(ctx, p)
	return appendAnswer(b, PR(&result), err)
}

// appendAnswer appends an answer that keeps the rules of the protocol.
func appendAnswer(b []byte, v wire.Appender, err error) ([]byte, error) {
	if err != nil {
		return b, err
	}
	if checked, ok := v.(interface{ Validate() error }); ok {
		if err := checked.Validate(); err != nil {
			return b, fmt.Errorf("the answer of the handler: %w", err)
		}
	}
	return v.AppendJSON(b), nil
}

// elicit asks the user by a form. Fields that are left out get their defaults.
func (o *ClientOptions) elicit(ctx context.Context, p ElicitRequestFormParams) (ElicitResult, error) {
	result, err := o.OnElicit(ctx, p)
	if err != nil || result.Action != "accept" {
		return result, err
	}
	content := make(map[string]types.ElicitResultContentValue, len(p.RequestedSchema.Properties))
	for name, field := range p.RequestedSchema.Properties {
		if v := defaultOf(field); v != nil {
			content[name] = v
		}
	}
	for name, v := range result.Content {
		content[name] = v
	}
	result.Content = content
	return result, nil
}

// defaultOf returns the default of a field of a form, or nil.
func defaultOf(field PrimitiveSchemaDefinition) types.ElicitResultContentValue {
	switch f := field.(type) {
	case *StringSchema:
		return textDefault(f.Default)
	case *UntitledSingleSelectEnumSchema:
		return textDefault(f.Default)
	case *TitledSingleSelectEnumSchema:
		return textDefault(f.Default)
	case *LegacyTitledEnumSchema:
		return textDefault(f.Default)
	case *UntitledMultiSelectEnumSchema:
		return listDefault(f.Default)
	case *TitledMultiSelectEnumSchema:
		return listDefault(f.Default)
	case *NumberSchema:
		if v, ok := f.Default.Get(); ok {
			return types.ElicitResultContentValueNumber(v)
		}
	case *BooleanSchema:
		if v, ok := f.Default.Get(); ok {
			return types.ElicitResultContentValueBoolean(v)
		}
	}
	return nil
}

func textDefault(d runtime.Opt[string]) types.ElicitResultContentValue {
	if v, ok := d.Get(); ok {
		return types.ElicitResultContentValueString(v)
	}
	return nil
}

func listDefault(d []string) types.ElicitResultContentValue {
	if d == nil {
		return nil
	}
	return types.ElicitResultContentValueList(d)
}
