package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Answer is the client's answer to a question. It is valid after [Questions.Wait] has returned nil.
type Answer[T any] struct{ value T }

// Result returns the answer.
func (a *Answer[T]) Result() T { return a.value }

// Elicit adds a form for the user (client/elicitation, form mode).
func (a *Questions) Elicit(key string, p ElicitRequestFormParams) *Answer[ElicitResult] {
	answer := new(Answer[ElicitResult])
	a.add(key, "elicitation/create", elicitsForm, &p, &answer.value)
	return answer
}

// ElicitURL adds a request to send the user to a URL (client/elicitation, URL mode).
func (a *Questions) ElicitURL(key string, p ElicitRequestURLParams) *Answer[ElicitResult] {
	answer := new(Answer[ElicitResult])
	a.add(key, "elicitation/create", elicitsURL, &p, &answer.value)
	return answer
}

// Sample adds a request for a completion by a model of the client (client/sampling).
func (a *Questions) Sample(key string, p CreateMessageRequestParams) *Answer[CreateMessageResult] {
	answer := new(Answer[CreateMessageResult])
	needs := samples
	if p.Tools != nil || p.ToolChoice != nil {
		needs = samplesWithTools
	}
	a.add(key, "sampling/createMessage", needs, &p, &answer.value)
	return answer
}

// Roots adds a request for the client's roots (client/roots).
func (a *Questions) Roots(key string) *Answer[ListRootsResult] {
	answer := new(Answer[ListRootsResult])
	a.add(key, "roots/list", listsRoots, nil, &answer.value)
	return answer
}

// Form adds a form for the user that a schema declares. The argument schema is the requestedSchema
// as JSON. If the user accepts, the content is decoded into form and its rules are checked.
func (a *Questions) Form(key, message, schema string, form wire.Decoder) *Answer[FormResult] {
	answer := &Answer[FormResult]{FormResult{form: form}}
	a.add(key, "elicitation/create", elicitsForm, formParams{message, schema}, &answer.value)
	return answer
}

// Forward adds a question that another server has asked, for programs that pass questions on:
// elicitation/create, sampling/createMessage or roots/list with their params, which are an object.
// The answer is passed back as JSON.
func (a *Questions) Forward(key, method string, params runtime.Raw) *Answer[runtime.Raw] {
	answer := new(Answer[runtime.Raw])
	needs, err := neededFor(method, wire.PeekAt([]byte(params.String())))
	a.add(key, method, needs, rawParams(params), rawAnswer{&answer.value})
	if err != nil {
		a.all[len(a.all)-1].err = err
	}
	return answer
}

// neededFor returns the capability that a question requires of the client.
func neededFor(method string, params wire.Peek) (capability, error) {
	mode, _ := params.In("mode").Text()
	switch {
	case params.Kind() != wire.Object:
	case method == "elicitation/create" && mode == "url":
		return elicitsURL, nil
	case method == "elicitation/create":
		return elicitsForm, nil
	case method == "sampling/createMessage" && (params.Has("tools") || params.Has("toolChoice")):
		return samplesWithTools, nil
	case method == "sampling/createMessage":
		return samples, nil
	case method == "roots/list":
		return listsRoots, nil
	}
	return 0, errors.New("mcp: there is no question " + protocol.Quote(method) + " with such params")
}

type rawParams runtime.Raw

func (p rawParams) AppendJSON(b []byte) []byte { return wire.AppendRaw(b, runtime.Raw(p)) }

type rawAnswer struct{ to *runtime.Raw }

func (a rawAnswer) DecodeJSON(r *wire.Reader) { *a.to = r.Raw() }

// Elicit asks a single question, see [Questions] and [Questions.Elicit].
func Elicit(ctx context.Context, key string, p ElicitRequestFormParams) (ElicitResult, error) {
	a := Ask(ctx)
	return singleAnswer(a, a.Elicit(key, p))
}

// ElicitURL asks a single question, see [Questions] and [Questions.ElicitURL].
func ElicitURL(ctx context.Context, key string, p ElicitRequestURLParams) (ElicitResult, error) {
	a := Ask(ctx)
	return singleAnswer(a, a.ElicitURL(key, p))
}

// Sample asks a single question, see [Questions] and [Questions.Sample].
func Sample(ctx context.Context, key string, p CreateMessageRequestParams) (CreateMessageResult, error) {
	a := Ask(ctx)
	return singleAnswer(a, a.Sample(key, p))
}

// Roots asks a single question, see [Questions] and [Questions.Roots].
func Roots(ctx context.Context, key string) (ListRootsResult, error) {
	a := Ask(ctx)
	return singleAnswer(a, a.Roots(key))
}

// ElicitForm asks a single question, see [Questions] and [Questions.Form]. The error is a
// [*NotAcceptedError] if the user does not accept.
func ElicitForm(ctx context.Context, key, message, schema string, form wire.Decoder) error {
	a := Ask(ctx)
	result, err := singleAnswer(a, a.Form(key, message, schema, form))
	if err != nil {
		return err
	}
	return result.Err()
}

// singleAnswer waits for a single answer.
func singleAnswer[T any](a *Questions, answer *Answer[T]) (T, error) {
	err := a.Wait()
	return answer.value, err
}
