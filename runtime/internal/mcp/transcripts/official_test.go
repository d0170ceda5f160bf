package transcripts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// referee checks messages of a server against the official definitions of the revision that they speak.
type referee struct {
	t       *testing.T
	modern  bool   // the server serves stateless requests
	session string // revision of the handshake; empty before
	asked   map[string]asked
}

func newReferee(t *testing.T, srv *mcp.Server) *referee {
	return &referee{t: t, modern: slices.Contains(srv.Revisions(), mcp.Revision20260728), asked: map[string]asked{}}
}

// asked is a request that is to be answered.
type asked struct{ method, revision string }

// message is what the referee looks at.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta map[string]any `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// ask notes what a client says.
func (f *referee) ask(line string) {
	for _, text := range elements(line) {
		var m message
		if json.Unmarshal(text, &m) != nil || m.ID == nil || m.Method == "" {
			continue
		}
		revision, stateless := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string)
		if !stateless || !f.modern || protocol.Of(revision).Era != mcp.Stateless {
			revision = f.session
		}
		f.asked[string(m.ID)] = asked{m.Method, revision}
	}
}

// elements are the messages of a batch, or the one message that there is.
func elements(line string) (all []json.RawMessage) {
	if json.Unmarshal([]byte(line), &all) == nil {
		return all
	}
	return []json.RawMessage{json.RawMessage(line)}
}

// judge checks what a server says.
func (f *referee) judge(line string) {
	for _, text := range elements(line) {
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			f.t.Errorf("%s: %v", text, err)
			continue
		}
		q := f.asked[string(m.ID)]
		switch {
		case m.Method != "":
			f.said(text, &m)
		case m.Error != nil:
			f.failed(text, &m, q)
		default:
			f.answered(text, &m, q)
		}
	}
}

// said checks a notification or request of the server. Progress and log messages are the same in all revisions.
func (f *referee) said(text []byte, m *message) {
	revision := mcp.Revision20260728
	if m.ID != nil || f.session != "" && m.Params.Meta == nil {
		revision = f.session
	}
	f.valid(revision, ofMethod(f.t, revision, m.Method), text)
}

func (f *referee) failed(text []byte, m *message, q asked) {
	typed := map[int]string{-32020: "HeaderMismatchError", -32021: "MissingRequiredClientCapabilityError", -32022: "UnsupportedProtocolVersionError"}
	switch name := typed[m.Error.Code]; {
	case name != "":
		f.valid(mcp.Revision20260728, name, text)
	case q.revision == "" || q.revision >= mcp.Revision20251125:
		f.valid(mcp.Revision20251125, "JSONRPCErrorResponse", text)
	default:
		f.valid(q.revision, "JSONRPCError", text)
	}
}

// results are the definitions of results whose names do not follow from their methods.
var results = map[string]string{
	"ping": "EmptyResult", "logging/setLevel": "EmptyResult", "resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult",
	"server/discover": "DiscoverResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult", "resources/list": "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult", "resources/read": "ReadResourceResult", "prompts/list": "ListPromptsResult",
	"prompts/get": "GetPromptResult", "completion/complete": "CompleteResult", "initialize": "InitializeResult",
	"subscriptions/listen": "SubscriptionsListenResult",
}

func (f *referee) answered(_ []byte, m *message, q asked) {
	name := results[q.method]
	var r struct {
		ResultType      string `json:"resultType"`
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		f.t.Errorf("%s: %v", m.Result, err)
	}
	switch {
	case q.method == "initialize":
		f.session, q.revision = r.ProtocolVersion, r.ProtocolVersion
	case name == "":
		return // a method of the schema's own
	case q.revision == "":
		q.revision = mcp.Revision20251125 // ping before the handshake
	case r.ResultType == "input_required":
		name = "InputRequiredResult"
	}
	if (r.ResultType != "") != (q.revision == mcp.Revision20260728) {
		f.t.Errorf("resultType is %q in a result of %s", r.ResultType, q.revision)
	}
	f.valid(q.revision, name, m.Result)
}

// valid checks a value against a definition of a revision.
func (f *referee) valid(revision, name string, text []byte) {
	f.t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		f.t.Fatal(err)
	}
	if err := definition(f.t, revision, name).Validate(v); err != nil {
		f.t.Errorf("%s is not a %s of %s: %v", text, name, revision, err)
	}
}

var official = struct {
	sync.Mutex
	compiler *jsonschema.Compiler // keeps what it has read and compiled
	loaded   map[string]map[string]any
}{compiler: jsonschema.NewCompiler(), loaded: map[string]map[string]any{}}

const definitions = "../../../../schema/mcp/testdata/definitions/"

// definition returns the official schema of a definition.
func definition(t *testing.T, revision, name string) *jsonschema.Schema {
	t.Helper()
	official.Lock()
	defer official.Unlock()
	s, err := official.compiler.Compile(definitions + revision + ".json#/" + container(revision) + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func container(revision string) string {
	if revision >= mcp.Revision20251125 {
		return "$defs"
	}
	return "definitions"
}

// ofMethod returns the name of the definition whose method is that.
func ofMethod(t *testing.T, revision, method string) string {
	t.Helper()
	found := ""
	for name, d := range load(t, revision)[container(revision)].(map[string]any) {
		properties, _ := d.(map[string]any)["properties"].(map[string]any)
		m, _ := properties["method"].(map[string]any)
		if m["const"] == method && !strings.HasPrefix(name, "Client") && !strings.HasPrefix(name, "Server") {
			found = name
		}
	}
	if found == "" {
		t.Errorf("%s is not a method of %s", method, revision)
	}
	return found
}

// load reads the definitions of a revision.
func load(t *testing.T, revision string) map[string]any {
	t.Helper()
	official.Lock()
	defer official.Unlock()
	if doc := official.loaded[revision]; doc != nil {
		return doc
	}
	text, err := os.ReadFile(definitions + revision + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	official.loaded[revision] = doc
	return doc
}
