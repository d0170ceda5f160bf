package peer

import (
	"context"
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/bytedance/sonic"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// SonicTools is an MCP server written by hand on sonic: a switch, and only what this message needs.
func SonicTools() ToolServer {
	pretouchTools[json.RawMessage]()
	strict := sonic.Config{DisallowUnknownFields: true, CopyString: true, ValidateString: true, CompactMarshaler: true}.Froze()
	h := &handTools[json.RawMessage]{hand[json.RawMessage]{sonic.Unmarshal, appendSonic(0)}, strict.Unmarshal}
	return ToolServer{Dispatcher: Dispatcher{Name: "sonic", Dispatch: h.dispatch}, ByHand: true}
}

// SonicToolsTuned is the same with all that makes sonic faster and less strict.
func SonicToolsTuned() ToolServer {
	pretouchTools[sonic.NoCopyRawMessage]()
	strict := sonic.Config{DisallowUnknownFields: true, NoQuoteTextMarshaler: true, NoValidateJSONMarshaler: true, NoValidateJSONSkip: true}.Froze()
	h := &handTools[sonic.NoCopyRawMessage]{hand[sonic.NoCopyRawMessage]{sharing(sonic.ConfigFastest), appendSonic(tuned)}, sharing(strict)}
	return ToolServer{Dispatcher: Dispatcher{Name: "sonic, tuned", Dispatch: h.dispatch}, ByHand: true}
}

// handTools is what both have in common. R is the type of JSON that is kept as it is.
type handTools[R ~[]byte] struct {
	hand[R]
	strict func(b []byte, v any) error // refuses unknown members
}

type toolRequest[R ~[]byte] struct {
	JSONRPC string        `json:"jsonrpc"`
	ID      R             `json:"id"`
	Method  string        `json:"method"`
	Params  toolParams[R] `json:"params"`
}

type toolParams[R ~[]byte] struct {
	Name      string   `json:"name"`
	Arguments R        `json:"arguments"`
	Meta      toolMeta `json:"_meta"`
}

type toolMeta struct {
	Version      string         `json:"io.modelcontextprotocol/protocolVersion"`
	Client       implementation `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities *struct{}      `json:"io.modelcontextprotocol/clientCapabilities"`
}

type implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

type toolResult[R ~[]byte] struct {
	Structured R           `json:"structuredContent,omitempty"`
	Content    [1]toolText `json:"content"`
	IsError    bool        `json:"isError,omitempty"`
	Type       string      `json:"resultType"`
	Meta       serverMeta  `json:"_meta"`
}

type toolText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type serverMeta struct {
	Server implementation `json:"io.modelcontextprotocol/serverInfo"`
}

var thisServer = serverMeta{implementation{"bench", "Bench", "1.0.0"}}

func (h *handTools[R]) dispatch(_ context.Context, dst, msg []byte) []byte {
	var q toolRequest[R]
	if err := h.unmarshal(msg, &q); err != nil {
		return h.fail(dst, R("null"), work.ParseError)
	}
	if q.JSONRPC != "2.0" || len(q.ID) == 0 || q.Params.Meta.Version != "2026-07-28" || q.Params.Meta.Capabilities == nil {
		return h.fail(dst, q.ID, work.InvalidRequest)
	}
	switch q.Method {
	case "tools/call":
		switch q.Params.Name {
		case work.ToolCurrent:
			return h.current(dst, &q)
		}
		return h.fail(dst, q.ID, work.UnknownTool(q.Params.Name))
	}
	return h.fail(dst, q.ID, work.MethodNotFound(q.Method))
}

func (h *handTools[R]) current(dst []byte, q *toolRequest[R]) []byte {
	var in work.CurrentParams
	if err := h.strict(q.Params.Arguments, &in); err != nil {
		return h.refuse(dst, q.ID, err)
	}
	var vs rule.Violations
	if in.Check(&vs); vs.Len() > 0 {
		return h.refuse(dst, q.ID, vs.Err())
	}
	report := work.Current(&in)
	if report.Check(&vs); vs.Len() > 0 {
		return h.fail(dst, q.ID, work.Internal)
	}
	text, err := h.append(nil, &report)
	if err != nil {
		return h.fail(dst, q.ID, work.Internal)
	}
	return h.answer(dst, q.ID, toolResult[R]{Structured: text, Content: [1]toolText{{"text", unsafe.String(unsafe.SliceData(text), len(text))}}})
}

// refuse tells the model what is wrong with the arguments.
func (h *handTools[R]) refuse(dst []byte, id R, err error) []byte {
	return h.answer(dst, id, toolResult[R]{Content: [1]toolText{{"text", err.Error()}}, IsError: true})
}

func (h *handTools[R]) answer(dst []byte, id R, result toolResult[R]) []byte {
	result.Type, result.Meta = "complete", thisServer
	answer, err := h.append(dst, &reply[R, toolResult[R]]{"2.0", id, &result})
	if err != nil {
		return h.fail(dst, id, work.Internal)
	}
	return answer
}

// pretouchTools compiles what is decoded and encoded, so that no call pays for it.
func pretouchTools[R ~[]byte]() {
	compile(reflect.TypeFor[toolRequest[R]](), reflect.TypeFor[failure[R]](), reflect.TypeFor[work.CurrentParams](),
		reflect.TypeFor[work.Report](), reflect.TypeFor[reply[R, toolResult[R]]]())
}
