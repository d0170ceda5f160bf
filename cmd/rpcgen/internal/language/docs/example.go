package docs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// calls are the messages of one call, where examples of params and result can be made up.
func calls(m *ir.Method) []example {
	var all []example
	if request, ok := request(m); ok {
		name := "Request"
		if m.Notification {
			name = "Notification"
		}
		all = append(all, example{name, indentValue(request)})
	}
	if i := m.Items; i != nil {
		all = append(all, itemExample(i)...)
	}
	if m.Notification || m.Items != nil && m.Items.First {
		return all
	}
	result, ok := ir.Value{Kind: ir.Object}, true
	if m.Result != nil {
		result, ok = sample.Of(m.Result)
	}
	if ok {
		all = append(all, example{"Response", indentValue(envelope(ir.Member{Name: "id", Value: number(1)}, ir.Member{Name: "result", Value: result}))})
	}
	return all
}

// itemExample is an item of a stream.
func itemExample(i *ir.Items) []example {
	item, ok := sample.Of(i.Type)
	if !ok {
		return nil
	}
	params := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: i.ID, Value: number(1)}, {Name: i.Value, Value: item}}}
	if i.First {
		params.Fields[0].Value = textValue("a1b2")
	}
	return []example{{"Item", indentValue(envelope(ir.Member{Name: "method", Value: textValue(i.Method)}, ir.Member{Name: "params", Value: params}))}}
}

func request(m *ir.Method) (ir.Value, bool) {
	var members []ir.Member
	if !m.Notification {
		members = append(members, ir.Member{Name: "id", Value: number(1)})
	}
	members = append(members, ir.Member{Name: "method", Value: textValue(m.OnWire())})
	if m.Params == nil {
		return envelope(members...), true
	}
	params, ok := sample.Of(m.Params)
	if params.Kind != ir.Object && params.Kind != ir.Array {
		ok = false // JSON-RPC has no other params
	}
	if m.ParamsBy == ir.ByPosition {
		params = inOrder(m.Params, params)
	}
	return envelope(append(members, ir.Member{Name: "params", Value: params})...), ok
}

// inOrder is an object as the array that a client sends: null stands for what is not there before others.
func inOrder(t ir.Type, params ir.Value) ir.Value {
	for ref, ok := t.(*ir.Ref); ok; ref, ok = t.(*ir.Ref) {
		t = ref.Decl.Type
	}
	s, ok := t.(*ir.Struct)
	if !ok || params.Kind != ir.Object {
		return params
	}
	all, there := ir.Value{Kind: ir.Array}, 0
	for _, f := range s.Fields {
		v := ir.Value{Kind: ir.Null, Text: "null"}
		if at := slices.IndexFunc(params.Fields, func(m ir.Member) bool { return m.Name == f.Name }); at >= 0 {
			v, there = params.Fields[at].Value, len(all.Items)+1
		}
		all.Items = append(all.Items, v)
	}
	all.Items = all.Items[:there]
	return all
}

// envelope is a message.
func envelope(members ...ir.Member) ir.Value {
	return ir.Value{Kind: ir.Object, Fields: append([]ir.Member{{Name: "jsonrpc", Value: textValue("2.0")}}, members...)}
}

func textValue(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

func number(n int) ir.Value { return ir.Value{Kind: ir.Integer, Text: strconv.Itoa(n)} }

// typeExamples are the author's, or else one that is made up. Values of a word need none.
func typeExamples(d *ir.Decl) []example {
	all := ir.Each(d.Examples, func(v ir.Value) example { return example{"Example", indentValue(v)} })
	if len(all) > 0 {
		return all
	}
	if v, ok := sample.Of(&ir.Ref{Decl: d}); ok && (v.Kind == ir.Object || v.Kind == ir.Array) {
		return []example{{"Example", indentValue(v)}}
	}
	return nil
}

// errorExample is the response with an error, the fields of its message filled in.
func errorExample(f *ir.Error) []example {
	members := []ir.Member{{Name: "code", Value: number(f.Code)}}
	var data ir.Value
	if f.Data != nil {
		var ok bool
		if data, ok = sample.Of(f.Data); !ok {
			return nil
		}
	}
	members = append(members, ir.Member{Name: "message", Value: textValue(exampleMessage(f, data))})
	if f.Data != nil {
		members = append(members, ir.Member{Name: "data", Value: data})
	}
	failure := ir.Value{Kind: ir.Object, Fields: members}
	return []example{{"Response", indentValue(envelope(ir.Member{Name: "id", Value: number(1)}, ir.Member{Name: "error", Value: failure}))}}
}

// exampleMessage is the message of an error with some data.
func exampleMessage(f *ir.Error, data ir.Value) string {
	var b strings.Builder
	for _, part := range f.Message {
		if part.Field == nil {
			b.WriteString(part.Text)
			continue
		}
		for _, m := range data.Fields {
			switch {
			case m.Name != part.Field.Name:
			case m.Value.Kind == ir.Array || m.Value.Kind == ir.Object:
				b.WriteString(m.Value.String())
			default:
				b.WriteString(m.Value.Text)
			}
		}
	}
	return b.String()
}

// indentValue writes a value over lines.
func indentValue(v ir.Value) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(v.String()), "", "  ") != nil {
		return v.String()
	}
	return out.String()
}
