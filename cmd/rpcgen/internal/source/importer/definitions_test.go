package importer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// Why a union is exported with more than the official definition says: JSON Schema lets several branches fit one value, and the
// language decides for one. But for these conditions the definitions are equal, which is tested too.
const (
	presence = "branches are told apart by presence: the first property that is there counts"
	layered  = "branches that share a tag are told apart by presence"
	absent   = "a branch whose tag may be missing is meant when it is missing"
)

// unequal are the definitions that come back as something else, by revision, with the reason.
var unequal = map[string]map[string]string{
	"2024-11-05": {"EmbeddedResource": presence, "ReadResourceResult": presence},
	"2025-03-26": {"EmbeddedResource": presence, "ReadResourceResult": presence},
	"2025-06-18": {"EmbeddedResource": presence, "ReadResourceResult": presence, "PrimitiveSchemaDefinition": layered},
	"2025-11-25": {"EmbeddedResource": presence, "ReadResourceResult": presence, "PrimitiveSchemaDefinition": layered, "EnumSchema": layered,
		"MultiSelectEnumSchema": presence, "SingleSelectEnumSchema": presence, "ElicitRequestParams": absent},
	"2026-07-28": {"EmbeddedResource": presence, "ReadResourceResult": presence, "PrimitiveSchemaDefinition": layered, "EnumSchema": layered,
		"MultiSelectEnumSchema": presence, "SingleSelectEnumSchema": presence, "ElicitRequestParams": absent, "InputResponse": presence},
}

// TestEqual imports each revision, exports the result and compares every definition with the official one: types with the
// exported types, requests and notifications with what follows from the methods, errors with what follows from the errors.
// What is JSON-RPC's own must be listed in the report. Nothing else is left.
func TestEqual(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			result := resultOf(t, revision)
			c := comparison(t, revision, load(t, result.Text), result.Report)
			for _, name := range slices.Sorted(maps.Keys(c.official)) {
				reason := unequal[revision][name]
				if d := c.differs(t, name, false); (d != "") != (reason != "") {
					t.Errorf("%s: reason %q (-official +exported):\n%s", name, reason, d)
				}
				if d := c.differs(t, name, true); d != "" {
					t.Errorf("%s: without conditions (-official +exported):\n%s", name, d)
				}
			}
		})
	}
}

// comparison compares what a document exports with the official definitions.
func comparison(t *testing.T, revision string, doc *ir.Document, report *importer.Report) *wrappers {
	t.Helper()
	exported, err := jsonschema.Export(doc, jsonschema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &wrappers{doc, definitionsOf(t, source(t, revision).Text), definitionsOf(t, exported), report}
}

// differs returns how a definition differs from the official one; empty when it does not. A bare comparison leaves out under
// which condition a union decides for a branch.
func (w *wrappers) differs(t *testing.T, name string, bare bool) string {
	t.Helper()
	got, how := w.find(name)
	if how == "" {
		t.Errorf("%s: nothing became of it", name)
	}
	want := normal{defs: w.official, known: w.official}.schema(w.official[name])
	return cmp.Diff(want, normal{defs: with(w.own, w.official), known: w.official, bare: bare}.schema(got))
}

// with adds what only the official definitions have: what is JSON-RPC's own.
func with(own, official object) object {
	all := maps.Clone(official)
	maps.Copy(all, own)
	return all
}

type object = map[string]any

func definitionsOf(t *testing.T, text []byte) object {
	t.Helper()
	var doc struct {
		New object `json:"$defs"`
		Old object `json:"definitions"`
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if doc.New == nil {
		return doc.Old
	}
	return doc.New
}

// wrappers writes the definitions that are not types from what they became.
type wrappers struct {
	doc      *ir.Document
	official object
	own      object
	report   *importer.Report
}

// find returns what became of a definition, and what kind of thing that is; official ones of JSON-RPC stand for themselves.
func (w *wrappers) find(name string) (schema any, how string) {
	if own, ok := w.own[name]; ok {
		return own, "type"
	}
	if slices.Contains(w.report.Envelopes, name) {
		return w.official[name], "envelope"
	}
	official, _ := w.official[name].(object)
	if slices.Contains(w.report.Sides, name) {
		return w.side(name), "union of a side"
	}
	properties, _ := official["properties"].(object)
	if method, ok := properties["method"].(object); ok {
		for _, m := range w.doc.Methods {
			if m.Name == method["const"] {
				return w.message(m, properties), "method"
			}
		}
	}
	for _, e := range w.doc.Errors {
		if e.Name+"Error" == name {
			return w.errorObject(e, properties), "error"
		}
	}
	return nil, ""
}

// side is the union of what one side sends. A single member is written in place.
func (w *wrappers) side(name string) any {
	var members []any
	for _, wrapper := range slices.Sorted(maps.Keys(w.official)) {
		if _, isSide := map[string]bool{"ClientRequest": true, "ClientNotification": true, "ServerRequest": true, "ServerNotification": true}[wrapper]; isSide {
			continue
		}
		o, _ := w.official[wrapper].(object)
		properties, _ := o["properties"].(object)
		method, _ := properties["method"].(object)
		for _, m := range w.doc.Methods {
			sent := m.From == ir.FromBoth || (m.From == ir.FromServer) == strings.HasPrefix(name, "Server")
			if m.Name == method["const"] && sent && !m.Embedded && m.Notification == strings.HasSuffix(name, "Notification") {
				members = append(members, object{"$ref": "#/$defs/" + wrapper})
			}
		}
	}
	if len(members) == 1 {
		return w.official[strings.TrimPrefix(members[0].(object)["$ref"].(string), "#/$defs/")]
	}
	return object{"anyOf": members}
}

// message is a request or a notification, with the envelope that the revision writes.
func (w *wrappers) message(m *ir.Method, official object) any {
	properties := object{"method": object{"const": m.Name}}
	required := []any{"method"}
	if _, whole := official["jsonrpc"]; whole {
		properties["jsonrpc"] = object{"const": "2.0"}
		required = append(required, "jsonrpc")
		if !m.Notification {
			properties["id"] = object{"$ref": "#/$defs/RequestId"}
			required = append(required, "id")
		}
	}
	if m.Params != nil {
		properties["params"] = w.params(m, official)
		if !m.ParamsOptional {
			required = append(required, "params")
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// params are those of a method; where the revision writes them in place, the type that they became is written in place.
func (w *wrappers) params(m *ir.Method, official object) any {
	params := w.own[m.Name+" params"]
	if inline, _ := official["params"].(object); inline["properties"] != nil {
		return w.own[strings.TrimPrefix(params.(object)["$ref"].(string), "#/$defs/")]
	}
	return params
}

// errorObject is an error, alone or in a whole response, as the revision writes it.
func (w *wrappers) errorObject(e *ir.Error, official object) any {
	code := object{"const": json.Number(fmt.Sprint(e.Code))}
	data, typed := w.own[e.Name+" data"]
	if _, whole := official["error"]; !whole {
		return object{"type": "object", "properties": object{"code": code, "message": object{"type": "string"}, "data": object{}}, "required": []any{"code", "message"}}
	}
	own := object{"type": "object", "properties": object{"code": code}, "required": []any{"code"}}
	if typed {
		if ref, ok := data.(object)["$ref"].(string); ok {
			data = w.own[strings.TrimPrefix(ref, "#/$defs/")]
		}
		own["properties"].(object)["data"] = data
		own["required"] = []any{"code", "data"}
	}
	return object{"type": "object", "required": []any{"error", "jsonrpc"}, "properties": object{
		"jsonrpc": object{"const": "2.0"}, "id": object{"$ref": "#/$defs/RequestId"},
		"error": object{"allOf": []any{object{"$ref": "#/$defs/Error"}, own}},
	}}
}

// normal brings a schema into a form in which two that mean the same are equal: one order of names and branches, types of a list
// as branches, allOf of objects joined.
type normal struct {
	defs  object
	known object // the names that references may lead to; others are written in place
	bare  bool   // without the conditions under which a union decides for a branch
}

func (n normal) schema(v any) any {
	s, ok := v.(object)
	if !ok {
		return v
	}
	if all, ok := s["allOf"].([]any); ok {
		s = n.joined(s, all)
	}
	if ref, ok := s["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		if _, known := n.known[name]; !known {
			return n.schema(n.defs[name])
		}
		if target, _ := n.defs[name].(object); target["type"] == "string" && cmp.Equal(n.schema(target), object{"type": "string"}) {
			return object{"type": "string"}
		}
		if n.bare {
			return object{"$ref": name}
		}
	}
	out := object{}
	for key, value := range s {
		switch key {
		case "properties":
			properties := object{}
			for name, p := range value.(object) {
				properties[name] = n.schema(p)
			}
			if len(properties) > 0 {
				out[key] = properties
			}
		case "items":
			out[key] = n.schema(value)
		case "additionalProperties":
			if extra := n.schema(value); value != true && !cmp.Equal(extra, object{}) { // every object of MCP is open
				out[key] = extra
			}
		case "anyOf", "oneOf":
			out["anyOf"] = n.branches(value.([]any))
		case "required", "enum":
			out[key] = sortedTexts(value.([]any))
		case "$ref":
			name := value.(string)
			out[key] = name[strings.LastIndex(name, "/")+1:]
		case "contentEncoding":
			out["format"] = "byte"
		case "type":
			if kinds, several := value.([]any); several {
				var branches []any
				for _, k := range kinds {
					branches = append(branches, object{"type": k})
				}
				out["anyOf"] = n.branches(branches)
			} else if s["const"] == nil && s["enum"] == nil {
				out[key] = value
			}
		case "title", "description", "deprecated":
		default:
			if !strings.HasPrefix(key, "x-") {
				out[key] = value
			}
		}
	}
	if r, ok := out["required"].([]string); ok && len(r) == 0 {
		delete(out, "required")
	}
	return documented(out)
}

// documented writes an enum whose values have words of their own as one that has none. One that is open as well is any text.
func documented(s object) object {
	branches, _ := s["anyOf"].([]any)
	var values []any
	open := false
	for _, b := range branches {
		value, isConst := b.(object)["const"]
		open = open || cmp.Equal(b, object{"type": "string"})
		if isConst {
			values = append(values, value)
		}
	}
	if len(values) == 0 || s["type"] != "string" {
		return s
	}
	switch {
	case open && len(values) == len(branches)-1:
		return object{"type": "string"}
	case len(values) == len(branches):
		return object{"enum": sortedTexts(values)}
	}
	return s
}

// branches flattens unions within unions and orders the branches.
func (n normal) branches(all []any) []any {
	byText := map[string]any{}
	add := func(branch any) {
		if all, ok := branch.(object)["allOf"].([]any); ok && n.bare {
			branch = all[0]
		}
		s := n.schema(branch).(object)
		if inner, ok := s["anyOf"].([]any); ok && len(s) == 1 {
			for _, b := range inner {
				byText[asText(b)] = b
			}
			return
		}
		byText[asText(s)] = s
	}
	for _, b := range all {
		add(b)
	}
	var ordered []any
	for _, key := range slices.Sorted(maps.Keys(byText)) {
		ordered = append(ordered, byText[key])
	}
	return ordered
}

func asText(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// joined is one object with all that the parts of allOf ask for; later parts are the narrower.
func (n normal) joined(s object, all []any) object {
	properties, required := object{}, map[string]bool{}
	for _, part := range append(all, object{"properties": s["properties"], "required": s["required"]}) {
		p := part.(object)
		if ref, ok := p["$ref"].(string); ok {
			p = n.defs[ref[strings.LastIndex(ref, "/")+1:]].(object)
		}
		if inner, ok := p["allOf"].([]any); ok {
			p = n.joined(p, inner)
		}
		own, _ := p["properties"].(object)
		maps.Copy(properties, own)
		asked, _ := p["required"].([]any)
		for _, name := range asked {
			required[name.(string)] = true
		}
	}
	var names []any
	for name := range required {
		names = append(names, name)
	}
	return object{"type": "object", "properties": properties, "required": names}
}

func sortedTexts(all []any) []string {
	var texts []string
	for _, v := range all {
		texts = append(texts, fmt.Sprint(v))
	}
	slices.Sort(texts)
	return texts
}

// TestMultipliedParts imports tasks of several kinds, each of which has lists of tasks that are limited further: what is copied too often becomes types.
func TestMultipliedParts(t *testing.T) {
	var defs, branches strings.Builder
	for n := range 9 {
		fmt.Fprintf(&branches, `{"$ref": "#/definitions/Task%d"}, `, n)
		fmt.Fprintf(&defs, `"Task%d": {"type": "object", "additionalProperties": false, "required": ["run%d"], "properties": {"run%d": {"type": "array", "items": {"allOf": [{"$ref": "#/definitions/Task"},
			{"if": {"type": "object"}, "then": {"properties": {"args": false}}}]}}`, n, n, n)
		for k := range 10 {
			fmt.Fprintf(&defs, `, "p%d": {"type": "string", "description": "A property."}`, k)
		}
		defs.WriteString("}}, ")
	}
	text := `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {` + defs.String() + `"Task": {"anyOf": [` + branches.String() + `{"type": "string"}]}}}`
	result, err := importer.Import(importer.Source{Name: "tasks.json", Text: []byte(text)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := result.Report; r.Types < 10 || len(r.Opaque) > 0 {
		t.Errorf("%d types, opaque: %v", r.Types, r.Opaque)
	}
}

// TestLongKeys imports a pattern of names that is longer than a key of the language may be.
func TestLongKeys(t *testing.T) {
	text := `{"$defs": {"Vars": {"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^(` + strings.Repeat("word|", 200) + `)$": {"type": "integer"}}}}}`
	result, err := importer.Import(importer.Source{Name: "long.json", Text: []byte(text)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := result.Report; len(r.Opaque) != 1 || !strings.HasSuffix(r.Opaque[0].Reason, "a key of it has more than 600 bytes") || !strings.Contains(string(result.Text), "a?: string") {
		t.Errorf("opaque: %v\n%s", r.Opaque, result.Text)
	}
}

// TestLargeUnions imports a union that nothing tells apart and that refers to too much for a check of its own: its branches are types, read by context.
func TestLargeUnions(t *testing.T) {
	var values strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&values, `"v%d", `, n)
	}
	text := `{"$defs": {"U": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "array", "items": {"$ref": "#/$defs/A"}}, {"type": "array", "items": {"$ref": "#/$defs/B"}}, {"type": "null"}]},
		"A": {"properties": {"is": {"$ref": "#/$defs/Large"}}, "type": "object"}, "B": {"properties": {"was": {"$ref": "#/$defs/Large"}}, "type": "object"},
		"Large": {"enum": [` + values.String() + `"last"]}}}`
	result, err := importer.Import(importer.Source{Name: "large.json", Text: []byte(text)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "  U:\n    union: [A, list<A>, list<B>, null]\n    by: context\n    schema:\n"; !strings.Contains(string(result.Text), want) {
		t.Errorf("there is no %q in\n%s", want, result.Text[:1000])
	}
	if text := string(result.Text); !strings.Contains(text, "Large: true") || !strings.Contains(text, `properties: {is: {$ref: "#/$defs/Large"}}`) {
		t.Errorf("the nearest definitions are not checked, or a large one is copied:\n%s", text[:1000])
	}
	if r := result.Report; len(r.Weakened) != 1 || r.Weakened[0].Pointer != "/$defs/U" || len(r.Opaque) > 0 {
		t.Errorf("weakened: %v\nopaque: %v", r.Weakened, r.Opaque)
	}
}
