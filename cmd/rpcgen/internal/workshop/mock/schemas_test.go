package mock

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	"github.com/rpcgen-go/rpcgen/schema"
)

// TestSchemas: every tool and every method of the schemas of this repository is answered, with a result that fits, when its arguments fit.
func TestSchemas(t *testing.T) {
	files, err := filepath.Glob("../../../../../*/*/*.rpc.yaml")
	more, _ := filepath.Glob("../../../../../examples/*/rpc/*.rpc.yaml")
	if files = append(files, more...); err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			doc, diags := new(schema.Loader).Load(file)
			if diags.HasErrors() {
				t.Skip("it is not a schema of its own")
			}
			s, err := ofSchema(doc, 1)
			if err != nil {
				t.Skip(err)
			}
			m := mocked(t, s, behaviour{seed: 1}, false)
			if m.srv != nil {
				c := connect(t, m, mcpclient.Options{OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
					return mcp.ElicitResult{}, errors.New("the user is away")
				}})
				for _, o := range s.lists[tools] {
					if len(o.asks) > 0 || strings.Contains(o.entry, `"taskSupport":"required"`) || strings.Contains(o.entry, `"visibility":["app"]`) {
						continue
					}
					if got := answer(t.Context(), c, o.name, argsOf(t, o)); strings.HasPrefix(got, "error: ") || strings.HasPrefix(got, "failed: ") {
						t.Errorf("%s: %s", o.name, got)
					}
				}
			}
			if s.protocol.InitializeMethod != "" {
				return
			}
			d := runtime.NewDispatcher(methods{m}, runtime.Options{})
			for _, o := range s.methods {
				if o.stream != nil { // needs a session, as in TestStreams
					continue
				}
				if o.notification || m.srv != nil || !strings.Contains(o.input, `"type":"object"`) && o.keys == "" && o.input != "" {
					continue
				}
				msg := `{"jsonrpc":"2.0","id":1,"method":` + string(wire.AppendString(nil, o.name))
				switch {
				case o.name == "all/positionRef":
					msg += `,"params":[1,2]`
				case o.input != "":
					msg += `,"params":` + argsOf(t, o)
				}
				got := d.Dispatch(t.Context(), nil, []byte(msg+"}"))
				result := wire.PeekAt(got).In("result")
				if result.Kind() == wire.Invalid {
					t.Errorf("%s: %s\n%s", o.name, got, msg)
				} else if o.output != "" {
					output, err := values.Compile([]byte(o.output))
					if err != nil || len(output.Judge(result.JSON())) > 0 {
						t.Errorf("%s: %s: %v", o.name, got, err)
					}
				}
			}
		})
	}
}

// argsOf returns arguments that fit.
func argsOf(t *testing.T, o *operation) string {
	t.Helper()
	input, err := values.Compile([]byte(o.input))
	if err != nil {
		t.Fatalf("%s: %v", o.name, err)
	}
	args, ok := input.Minimal(values.For(1, o.name))
	for i := 0; i < 20 && !json.Valid(args); i++ {
		args, ok = input.Draw(values.For(1, o.name, strconv.Itoa(i)))
	}
	if !ok {
		t.Fatalf("%s: no arguments fit", o.name)
	}
	return string(args)
}

// TestTools: a list of tools is enough, also with schemas that generated servers do not have.
func TestTools(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tools.json")
	os.WriteFile(name, []byte(`[
		{"name":"plain","description":"P.","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}},
		{"name":"draft7","description":"D.","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"string","minLength":2}},"required":["a"]},
		 "outputSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer","minimum":5,"maximum":5}},"required":["a","n"]}}]`), 0o600)
	s, err := ofFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, mocked(t, s, behaviour{seed: 1}, false), mcpclient.Options{})
	for _, one := range [][3]string{
		{"plain", `{"a":1}`, `An answer of plain to {"a":1}.`},
		{"plain", `{"a":"x"}`, "failed: "},
		{"draft7", `{"a":"xy"}`, `{"a":"xy","n":5}`},
		{"draft7", `{"a":"x"}`, "failed: "},
	} {
		if got := answer(t.Context(), c, one[0], one[1]); !strings.HasPrefix(got, one[2]) {
			t.Errorf("%s %s: %s", one[0], one[1], got)
		}
	}
	for text, want := range map[string]string{`[]`: "the list is empty", `[{}]`: "has no name", `{`: "not valid JSON"} {
		os.WriteFile(name, []byte(text), 0o600)
		if _, err := ofFile(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSchemaParts: examples, and names of arguments, are found in allOf and after references with escapes.
func TestSchemaParts(t *testing.T) {
	const schema = `{"allOf":[{"type":"object","required":["calm"],"properties":{"calm":{"$ref":"#/$defs/Of%5Btext%5D"},"way":{"type":"string"}},"additionalProperties":false}],"$defs":{"Of[text]":{"type":"string","examples":["sea"]}}}`
	a, err := newAnswers(schema, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.result(1, request{operation: "x"}, ""); err != nil || !strings.Contains(got, `"calm":"sea"`) {
		t.Errorf("%s, %v", got, err)
	}
	j, err := newJudge(schema)
	if err != nil {
		t.Fatal(err)
	}
	if known, name, unknown := j.unknownMember("/wey"); len(known) != 2 || name != "wey" || !unknown {
		t.Errorf("%q, %q, %t", known, name, unknown)
	}
}
