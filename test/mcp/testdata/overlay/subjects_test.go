//lint:file-ignore SA1019 deprecated types are tested too

package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	mcp "github.com/rpcgen-go/rpcgen/test/mcp/rpc"
)

// subject reads one kind of message or value with generated code, and writes what it read again. The error says why it is refused.
type subject func(text []byte) (again []byte, err error)

// subjects are the kinds of the official examples.
var subjects = map[string]subject{
	"AudioContent":                          value[mcp.AudioContent](),
	"BlobResourceContents":                  value[mcp.BlobResourceContents](),
	"BooleanSchema":                         value[mcp.BooleanSchema](),
	"CallToolRequest":                       toServer,
	"CallToolRequestParams":                 value[mcp.CallToolRequestParams](),
	"CallToolResult":                        value[mcp.CallToolResult](),
	"CallToolResultResponse":                result((*mcp.Client).ToolsCall, mcp.CallToolRequestParams{}, mcp.AppendCallToolOutcome),
	"CancelledNotification":                 toServer,
	"CancelledNotificationParams":           value[mcp.CancelledNotificationParams](),
	"ClientCapabilities":                    value[mcp.ClientCapabilities](),
	"CompleteRequest":                       toServer,
	"CompleteRequestParams":                 value[mcp.CompleteRequestParams](),
	"CompleteResult":                        value[mcp.CompleteResult](),
	"CompleteResultResponse":                result((*mcp.Client).CompletionComplete, mcp.CompleteRequestParams{Ref: &mcp.PromptReference{}}, appending[mcp.CompleteResult]),
	"CreateMessageRequest":                  value[mcp.CreateMessageRequest](),
	"CreateMessageRequestParams":            value[mcp.CreateMessageRequestParams](),
	"CreateMessageResult":                   value[mcp.CreateMessageResult](),
	"DiscoverRequest":                       toServer,
	"DiscoverResult":                        value[mcp.DiscoverResult](),
	"DiscoverResultResponse":                result((*mcp.Client).ServerDiscover, mcp.RequestParams{}, appending[mcp.DiscoverResult]),
	"ElicitRequest":                         value[mcp.ElicitRequest](),
	"ElicitRequestFormParams":               value[mcp.ElicitRequestFormParams](),
	"ElicitRequestURLParams":                value[mcp.ElicitRequestURLParams](),
	"ElicitResult":                          value[mcp.ElicitResult](),
	"EmbeddedResource":                      value[mcp.EmbeddedResource](),
	"GetPromptRequest":                      toServer,
	"GetPromptRequestParams":                value[mcp.GetPromptRequestParams](),
	"GetPromptResult":                       value[mcp.GetPromptResult](),
	"GetPromptResultResponse":               result((*mcp.Client).PromptsGet, mcp.GetPromptRequestParams{}, mcp.AppendGetPromptOutcome),
	"HeaderMismatchError":                   failure(mcp.CodeHeaderMismatch),
	"ImageContent":                          value[mcp.ImageContent](),
	"InputRequests":                         value[mcp.InputRequests](),
	"InputRequiredResult":                   value[mcp.InputRequiredResult](),
	"InputResponses":                        value[mcp.InputResponses](),
	"InternalError":                         bare(mcp.CodeInternal),
	"InvalidParamsError":                    bare(mcp.CodeInvalidParams),
	"ListPromptsRequest":                    toServer,
	"ListPromptsResult":                     value[mcp.ListPromptsResult](),
	"ListPromptsResultResponse":             result((*mcp.Client).PromptsList, mcp.PaginatedRequestParams{}, appending[mcp.ListPromptsResult]),
	"ListResourceTemplatesRequest":          toServer,
	"ListResourceTemplatesResult":           value[mcp.ListResourceTemplatesResult](),
	"ListResourceTemplatesResultResponse":   result((*mcp.Client).ResourcesTemplatesList, mcp.PaginatedRequestParams{}, appending[mcp.ListResourceTemplatesResult]),
	"ListResourcesRequest":                  toServer,
	"ListResourcesResult":                   value[mcp.ListResourcesResult](),
	"ListResourcesResultResponse":           result((*mcp.Client).ResourcesList, mcp.PaginatedRequestParams{}, appending[mcp.ListResourcesResult]),
	"ListRootsRequest":                      value[mcp.ListRootsRequest](),
	"ListRootsResult":                       value[mcp.ListRootsResult](),
	"ListToolsRequest":                      toServer,
	"ListToolsResult":                       value[mcp.ListToolsResult](),
	"ListToolsResultResponse":               result((*mcp.Client).ToolsList, mcp.PaginatedRequestParams{}, appending[mcp.ListToolsResult]),
	"LoggingMessageNotification":            toClient,
	"LoggingMessageNotificationParams":      value[mcp.LoggingMessageNotificationParams](),
	"MethodNotFoundError":                   bare(mcp.CodeMethodNotFound),
	"MissingRequiredClientCapabilityError":  failure(mcp.CodeMissingRequiredClientCapability),
	"ModelPreferences":                      value[mcp.ModelPreferences](),
	"NumberSchema":                          value[mcp.NumberSchema](),
	"PaginatedRequestParams":                value[mcp.PaginatedRequestParams](),
	"ParseError":                            bare(mcp.CodeParse),
	"ProgressNotification":                  toClient,
	"ProgressNotificationParams":            value[mcp.ProgressNotificationParams](),
	"PromptListChangedNotification":         toClient,
	"ReadResourceRequest":                   toServer,
	"ReadResourceResult":                    value[mcp.ReadResourceResult](),
	"ReadResourceResultResponse":            result((*mcp.Client).ResourcesRead, mcp.ReadResourceRequestParams{URI: "a:b"}, mcp.AppendReadResourceOutcome),
	"Resource":                              value[mcp.Resource](),
	"ResourceLink":                          value[mcp.ResourceLink](),
	"ResourceListChangedNotification":       toClient,
	"ResourceUpdatedNotification":           toClient,
	"ResourceUpdatedNotificationParams":     value[mcp.ResourceUpdatedNotificationParams](),
	"Root":                                  value[mcp.Root](),
	"SamplingMessage":                       value[mcp.SamplingMessage](),
	"ServerCapabilities":                    value[mcp.ServerCapabilities](),
	"StringSchema":                          value[mcp.StringSchema](),
	"SubscriptionsAcknowledgedNotification": toClient,
	"SubscriptionsListenRequest":            toServer,
	"SubscriptionsListenResult":             value[mcp.SubscriptionsListenResult](),
	"SubscriptionsListenResultResponse":     result((*mcp.Client).SubscriptionsListen, mcp.SubscriptionsListenRequestParams{}, appending[mcp.SubscriptionsListenResult]),
	"TextContent":                           value[mcp.TextContent](),
	"TextResourceContents":                  value[mcp.TextResourceContents](),
	"TitledMultiSelectEnumSchema":           value[mcp.TitledMultiSelectEnumSchema](),
	"TitledSingleSelectEnumSchema":          value[mcp.TitledSingleSelectEnumSchema](),
	"Tool":                                  value[mcp.Tool](),
	"ToolListChangedNotification":           toClient,
	"ToolResultContent":                     value[mcp.ToolResultContent](),
	"ToolUseContent":                        value[mcp.ToolUseContent](),
	"UnsupportedProtocolVersionError":       failure(mcp.CodeUnsupportedProtocolVersion),
	"UntitledMultiSelectEnumSchema":         value[mcp.UntitledMultiSelectEnumSchema](),
	"UntitledSingleSelectEnumSchema":        value[mcp.UntitledSingleSelectEnumSchema](),
}

// value reads a value with the codec and the validator of its type.
func value[T any]() subject {
	return func(text []byte) ([]byte, error) {
		v := new(T)
		check := func(*rule.Violations) {}
		if c, ok := any(v).(interface{ CheckRules(*rule.Violations) }); ok {
			check = c.CheckRules
		}
		err := wire.Unmarshal(bytes.Clone(text), any(v).(interface{ DecodeJSON(*wire.Reader) }).DecodeJSON, check)
		if err != nil {
			return nil, err
		}
		return appending(nil, *v), nil
	}
}

func appending[T any](b []byte, v T) []byte {
	return any(&v).(interface{ AppendJSON([]byte) []byte }).AppendJSON(b)
}

// toServer sends a request or a notification to a generated server.
func toServer(text []byte) ([]byte, error) {
	var r recorder
	return r.dispatch(mcp.NewHandler(serverRecorder{&r}), text)
}

// toClient sends a notification to the generated callbacks of a client.
func toClient(text []byte) ([]byte, error) {
	var r recorder
	return r.dispatch(mcp.NewCallbackHandler(clientRecorder{&r}), text)
}

// dispatch passes a message to a handler. What was read are the params that came out at the other side, and the id of the answer.
func (r *recorder) dispatch(h runtime.Handler, text []byte) ([]byte, error) {
	answer := runtime.NewDispatcher(h, runtime.Options{Logger: quiet}).Dispatch(context.Background(), nil, bytes.Clone(text))
	var reply struct {
		ID    json.RawMessage
		Error struct{ Code int64 }
	}
	var msg map[string]json.RawMessage
	if err := json.Unmarshal(text, &msg); err != nil {
		return nil, err
	}
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &reply); err != nil {
			return nil, err
		}
	}
	_, asked := msg["id"]
	switch {
	case r.params == nil:
		return nil, fmt.Errorf("not served: %s", answer)
	case r.request && reply.Error.Code != taken:
		return nil, errors.New("a request without an answer")
	case !r.request && asked:
		return nil, errors.New("a notification with an id")
	}
	if asked {
		msg["id"] = reply.ID
	}
	if _, ok := msg["params"]; ok {
		msg["params"] = r.params
	}
	return json.Marshal(msg)
}

// result answers a call of the generated client with the message.
func result[P, R any](call func(*mcp.Client, context.Context, P) (R, error), params P, write func([]byte, R) []byte) subject {
	return func(text []byte) ([]byte, error) {
		s := answering(text)
		defer s.Close()
		got, err := call(mcp.NewClient(s), context.Background(), params)
		if err != nil {
			return nil, err
		}
		return replaced(text, "result", write(nil, got))
	}
}

// failure answers a call of the generated client with an error response. A declared error whose data do not fit, or that has
// another code, is refused.
func failure(code int64) subject {
	return func(text []byte) ([]byte, error) {
		answered, ok := errors.AsType[*runtime.Error](discover(text, nil))
		err := discover(text, func(c *mcp.Client, ctx context.Context) error {
			_, err := c.ServerDiscover(ctx, mcp.RequestParams{})
			return err
		})
		declared, known := errors.AsType[runtime.Coder](err)
		switch {
		case !ok:
			return nil, err
		case !known || declared.RPCError().Code != code:
			return nil, fmt.Errorf("not the error %d: %w", code, err)
		}
		o := declared.RPCError() // says what is declared; the words are the peer's
		o.Message = answered.Message
		if o.AppendData == nil && answered.HasData {
			o.AppendData = func(b []byte) []byte { return wire.AppendRaw(b, answered.Data) }
		}
		return replaced(text, "error", o.AppendJSON(nil))
	}
}

// discover answers server/discover with a message. Without a call of a generated client, the error comes as it was answered.
func discover(text []byte, call func(*mcp.Client, context.Context) error) error {
	s := answering(text)
	defer s.Close()
	if call != nil {
		return call(mcp.NewClient(s), context.Background())
	}
	q := gen.NewRequest(s, mcp.MethodServerDiscover)
	q.SendEmpty(context.Background())
	q.NoResult(nil)
	return q.Err()
}

// bare is an error object without its response.
func bare(code int64) subject {
	return func(text []byte) ([]byte, error) {
		again, err := failure(code)(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"error":%s}`, text))
		if err != nil {
			return nil, err
		}
		var msg map[string]json.RawMessage
		err = json.Unmarshal(again, &msg)
		return msg["error"], err
	}
}

// replaced is a message with another value of one member.
func replaced(text []byte, name string, with []byte) ([]byte, error) {
	var msg map[string]json.RawMessage
	if err := json.Unmarshal(text, &msg); err != nil {
		return nil, err
	}
	msg[name] = with
	return json.Marshal(msg)
}

// answering is a session whose peer answers the first request with a message. An id that a request may have becomes that of the
// request; with any other, the session waits in vain until the peer goes.
func answering(text []byte) *runtime.Session {
	near, far := pipe.New(0)
	go func() {
		defer far.Close()
		asked, err := far.ReadFrame()
		if err != nil {
			return
		}
		var request struct{ ID json.RawMessage }
		var answer map[string]any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if json.Unmarshal(asked, &request) != nil || d.Decode(&answer) != nil {
			return
		}
		if isID(answer["id"]) {
			answer["id"] = request.ID
		}
		if text, err := json.Marshal(answer); err == nil {
			far.WriteFrame(text)
		}
	}()
	return runtime.NewSession(context.Background(), near, nil, runtime.Options{Logger: quiet})
}

var quiet = slog.New(slog.DiscardHandler)

// isID reports whether a value may be the id of a request: a text or an integer.
func isID(v any) bool {
	n, number := v.(json.Number)
	_, text := v.(string)
	return text || number && !strings.ContainsAny(n.String(), ".eE")
}
