package remote

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// TestBadTool: a tool that is not valid does not keep the others from being listed and called; it is named, and a call of it is an error that says why.
func TestBadTool(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m := wire.PeekAt(body)
		method, _ := m.In("method").Text()
		result := `{"content":[{"type":"text","text":"it is done"}]}`
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case "tools/list":
			result = `{"tools":[{"name":"bad","inputSchema":true},{"name":"good","inputSchema":{"type":"object"}}]}`
		}
		if !m.Has("id") {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.In("id").JSON())+`,"result":`+result+`}`)
	}))
	defer site.Close()
	const fault = `the server lists a tool "bad" that is not valid: `
	for name, tt := range map[string]struct {
		run              func(s *Server, t Terminal) error
		out, notes, fail string
	}{
		"tools": {func(s *Server, term Terminal) error { return Tools(t.Context(), s, term, false) }, "good", fault, ""},
		"json":  {func(s *Server, term Terminal) error { return Tools(t.Context(), s, term, true) }, `"name": "good"`, fault, ""},
		"import": {func(s *Server, term Terminal) error {
			b, err := Document(t.Context(), s, term)
			term.Out.Write(b)
			return err
		}, `"name":"good"`, fault, ""},
		"good": {func(s *Server, term Terminal) error { return (&Call{Tool: "good"}).Run(t.Context(), s, term) }, "it is done", "", ""},
		"bad":  {func(s *Server, term Terminal) error { return (&Call{Tool: "bad"}).Run(t.Context(), s, term) }, "", "", fault},
	} {
		var out, notes bytes.Buffer
		err := tt.run(&Server{URL: site.URL, Era: mcp.Handshake, Login: Login{How: LoginNever}}, Terminal{In: strings.NewReader(""), Out: &out, Err: &notes})
		if (err != nil) != (tt.fail != "") || err != nil && !strings.HasPrefix(err.Error(), tt.fail) {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(out.String(), tt.out) || strings.Contains(out.String(), "bad") {
			t.Errorf("%s prints %s", name, out.String())
		}
		if !strings.HasPrefix(notes.String(), tt.notes) || (tt.notes == "") != (notes.Len() == 0) {
			t.Errorf("%s says %s", name, notes.String())
		}
	}
}

// TestIntroduced: not every server gives its name.
func TestIntroduced(t *testing.T) {
	for info, want := range map[string]string{
		`"serverInfo":{"name":"s","version":"1"}`: "s 1, revision 2025-11-25\n",
		`"serverInfo":{"name":"","version":""}`:   "a server without a name, revision 2025-11-25\n",
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			m := wire.PeekAt(body)
			method, _ := m.In("method").Text()
			result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` + info + `}`
			switch {
			case method == "tools/list":
				result = `{"tools":[]}`
			case !m.Has("id"):
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.In("id").JSON())+`,"result":`+result+`}`)
		}))
		var out bytes.Buffer
		err := Tools(t.Context(), &Server{URL: site.URL, Era: mcp.Handshake, Login: Login{How: LoginNever}}, Terminal{In: strings.NewReader(""), Out: &out, Err: io.Discard}, false)
		if err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", info, out.String(), err)
		}
		site.Close()
	}
}
