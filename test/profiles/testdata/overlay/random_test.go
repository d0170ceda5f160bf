package profiles_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	profiles "github.com/rpcgen-go/rpcgen/test/profiles/rpc"
)

// bench calls the tool draw as a client with a name.
type bench struct {
	canvas
	d *runtime.Dispatcher
}

func newBench() *bench {
	b := new(bench)
	b.d = runtime.NewDispatcher(profiles.NewServer(b, mcp.Options{Logger: quiet}), runtime.Options{Logger: quiet})
	return b
}

// draw returns what the handler got; it is nil if the arguments were refused.
func (b *bench) draw(t *testing.T, client string, arguments []byte) *profiles.DrawInput {
	b.drawn.Figure = nil // which no input is without
	answer := b.d.Dispatch(t.Context(), nil, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"draw","arguments":%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, arguments, client))
	if !json.Valid(answer) {
		t.Fatalf("%s: %s", arguments, answer)
	}
	if b.drawn.Figure == nil {
		return nil
	}
	in := b.drawn
	return &in
}

// schemas returns the schemas of the input of draw, as all clients get it and as a strict one does.
func schemas(t testing.TB) (plain, strict []byte) {
	of := func(list string) []byte {
		var tools []struct {
			InputSchema json.RawMessage
		}
		if err := json.Unmarshal([]byte(list), &tools); err != nil {
			t.Fatal(err)
		}
		return tools[0].InputSchema
	}
	s := profiles.NewServer(&canvas{}, mcp.Options{Logger: quiet})
	return of(s.Info().Tools), of(s.Info().Profiles[1].Tools)
}

// strictly is a value as a strict client sends it: every member that its schema has, and lists of names and values for maps. It reports false if that does not fit.
func strictly(schema, root map[string]any, v any) (out any, ok bool) {
	part := func(key string) (map[string]any, bool) { s, is := schema[key].(map[string]any); return s, is }
	if ref, is := schema["$ref"].(string); is {
		return strictly(root["$defs"].(map[string]any)[ref[len("#/$defs/"):]].(map[string]any), root, v)
	}
	if all, is := schema["anyOf"].([]any); is {
		for _, one := range all {
			if out, ok := strictly(one.(map[string]any), root, v); ok {
				return out, true
			}
		}
		return nil, false
	}
	if all, is := schema["enum"].([]any); is && !slices.ContainsFunc(all, func(one any) bool { return reflect.DeepEqual(one, v) }) {
		return nil, false
	}
	is := func(kind string) bool {
		kinds, several := schema["type"].([]any)
		return schema["type"] == nil || schema["type"] == kind || several && slices.Contains(kinds, any(kind))
	}
	items, isList := part("items")
	members, isObject := part("properties")
	switch v := v.(type) {
	case nil:
		return nil, is("null")
	case string:
		return v, is("string")
	case bool:
		return v, is("boolean")
	case json.Number:
		return v, is("number") || is("integer")
	case []any:
		all := make([]any, len(v))
		for i := range v {
			if all[i] = v[i]; isList {
				if all[i], ok = strictly(items, root, v[i]); !ok {
					return nil, false
				}
			}
		}
		return all, is("array")
	}
	object := v.(map[string]any)
	if !isObject && isList { // a map
		pairs := []any{}
		for name, value := range object {
			pair, ok := strictly(items, root, map[string]any{"name": name, "value": value})
			if !ok {
				return nil, false
			}
			pairs = append(pairs, pair)
		}
		return pairs, true
	}
	if !isObject {
		return v, is("object")
	}
	all := map[string]any{}
	for name, one := range members {
		if all[name], ok = strictly(one.(map[string]any), root, object[name]); !ok {
			return nil, false
		}
	}
	for name := range object {
		if members[name] == nil {
			return nil, false
		}
	}
	return all, is("object")
}

func decoded(t testing.TB, text []byte) (v map[string]any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// saysNull adds null where a strict client has to say it, and others say nothing: of members that may be null as well as absent.
func saysNull(node map[string]any, names ...string) {
	for _, name := range names {
		if _, there := node[name]; !there {
			node[name] = nil
		}
	}
	below, _ := node["below"].([]any)
	for _, one := range append(slices.Clone(below), node["node"], node["next"]) {
		if one, is := one.(map[string]any); is {
			saysNull(one, "next")
		}
	}
}

// TestRandomStrict: of random arguments, what a strict client sends in their place fits the schema that it got, and reaches the handler as they do.
func TestRandomStrict(t *testing.T) {
	plain, strict := schemas(t)
	s, err := values.Compile(plain)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := values.Compile(strict)
	if err != nil {
		t.Fatal(err)
	}
	b, root := newBench(), decoded(t, strict)
	for i := range uint64(600) {
		s.Profile = []values.Profile{values.Calm, values.Hard}[i%2]
		text, ok := s.Draw(values.NewChoices(42, i))
		if !ok {
			t.Fatal("no value fits the schema")
		}
		arguments := decoded(t, text)
		saysNull(arguments, "note", "data")
		sent, ok := strictly(root, root, arguments)
		was, err1 := json.Marshal(arguments)
		is, err2 := json.Marshal(sent)
		if err1 != nil || err2 != nil || !ok {
			t.Fatalf("%s has no strict form: %v, %v", text, err1, err2)
		}
		if broken := judge.Judge(is); len(broken) > 0 {
			t.Fatalf("%s does not fit: %v", is, broken)
		}
		want, got := b.draw(t, "another", was), b.draw(t, "codex-mcp-client", is)
		if want == nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nbecomes %+v,\n%s\nbecomes %+v", was, want, is, got)
		}
	}
}

// FuzzArguments: arguments that are right for all clients are right for a strict one, and mean the same.
func FuzzArguments(f *testing.F) {
	plain, _ := schemas(f)
	s, err := values.Compile(plain)
	if err != nil {
		f.Fatal(err)
	}
	for i := range uint64(20) {
		text, _ := s.Draw(values.NewChoices(42, i))
		f.Add(text)
	}
	b := newBench()
	f.Fuzz(func(t *testing.T, arguments []byte) {
		if !json.Valid(arguments) {
			return
		}
		want, got := b.draw(t, "another", arguments), b.draw(t, "codex-mcp-client", arguments)
		if want != nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s becomes %+v, and %+v of a strict client", arguments, want, got)
		}
	})
}
