//test:by ./cmd/rpcgen/internal/source/importer TestFields|TestUsedFields|TestTables|TestScenarios/^protobuf

package protobuf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/protobuf"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func binary(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/shelter.binpb")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func described(t testing.TB, root ir.Value) string {
	t.Helper()
	api, err := protobuf.Describe(source.Cursor{Value: root})
	if err != nil {
		t.Fatal(err)
	}
	return api.String()
}

// TestBinaryIsJSON reads one set in both forms, as other programs write them: it describes the same API.
func TestBinaryIsJSON(t *testing.T) {
	text, err := os.ReadFile("testdata/shelter.json")
	if err != nil {
		t.Fatal(err)
	}
	fromJSON, _, faults := source.Read(source.Source{Name: "shelter.json", Text: text})
	if len(faults) > 0 || !protobuf.Is(source.Cursor{Value: fromJSON}) {
		t.Fatal(faults)
	}
	fromBinary, fault := protobuf.Read(source.Source{Name: "shelter.binpb", Text: binary(t)})
	if fault != nil {
		t.Fatal(fault)
	}
	if got, want := described(t, fromBinary), described(t, fromJSON); got != want {
		t.Errorf("of the binary form:\n%s\nof JSON:\n%s", got, want)
	}
}

// TestIsBinary tells the binary form by its beginning, whatever the name of the file.
func TestIsBinary(t *testing.T) {
	for text, want := range map[string]bool{
		string(binary(t)): true, "\n\x09\n\x07a.proto": true, "\n\x06\n\x04a.pr": false, "": false, "{}": false, "\n": false, "\n{}": false, "\n\x06\n\x09a.pr": false, "\n \n\n\n\n\n\n\n\n\n\n\n\n{}": false,
		"\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff": false, "\n\x06\n\x00": false, "\n{\n" + strings.Repeat(" ", 200) + "}": false, "\n#\nopenapi: 3.1.0, " + strings.Repeat("-", 200): false,
	} {
		if got := protobuf.IsBinary(source.Source{Name: "source", Text: []byte(text)}); got != want {
			t.Errorf("%.20q: %t", text, got)
		}
	}
}

// in writes a field of bytes around others.
func in(field int, text string) string {
	key := string(rune(field<<3 | 2))
	if len(text) < 0x80 {
		return key + string(rune(len(text))) + text
	}
	return key + string([]byte{byte(len(text)&0x7f | 0x80), byte(len(text) >> 7 & 0x7f)}) + text
}

// deep is a file with messages within each other.
func deep(n int) string {
	text := ""
	for range n {
		text = in(3, in(1, "M")+text)
	}
	return in(1, in(1, "a.proto")+in(4, in(1, "M")+text))
}

// TestBadSets reads sets that are broken, or that no compiler writes: the message says where.
func TestBadSets(t *testing.T) {
	service := func(method string) string { return in(6, in(1, "S")+in(2, in(1, "M")+method)) }
	fileOf := func(more ...string) string { return in(1, in(1, "a.proto")+in(2, "p")+strings.Join(more, "")) }
	message := func(name, more string) string { return in(4, in(1, name)+more) }
	both := in(2, ".p.A") + in(3, ".p.A")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "has no service"},
		{"cut", string(binary(t)[:1000]), "field 1 goes on after the end of what it is in"},
		{"no field", "\x00", "byte 0: this is not a field of protobuf"},
		{"a cut number", "\x08\x80", "byte 1: a number ends too early"},
		{"a cut fixed number", "\x09\x00", "a number ends too early"},
		{"an open group", "\x13\x08\x01", "a group is not closed"},
		{"a group that has not begun", "\x14", "a group ends that has not begun"},
		{"another wire", "\x0f", "there is no way 7 to write a field"},
		{"another type", in(1, "\x08\x01"), "byte 2: field 1 is written as a field of another type (at /file/0/name)"},
		{"no UTF-8", in(1, in(1, "\xff")), "the text is not UTF-8 (at /file/0/name)"},
		{"deep", deep(150), "messages lie more than 100 deep in each other (at /file/0/messageType/0/nestedType/0)"},
		{"no service", fileOf(message("A", "")), "the descriptor set has no service"},
		{"a name", fileOf(message("A/../b", ""), service(both)), `"p.A/../b" is not a name of a type`},
		{"a method's name", fileOf(message("A", ""), in(6, in(1, "S")+in(2, in(1, "a{b}")+both))), `"/p.S/a{b}" is not a name of a method`},
		{"twice", fileOf(message("A", ""), message("A", ""), service(both)), "p.A is declared twice"},
		{"two methods", fileOf(message("A", ""), service(both), service(both)), "two methods are called /p.S/M"},
		{"not there", fileOf(message("A", ""), service(in(2, ".p.B")+in(3, ".p.A"))), `inputType of M is "p.B", which is not in the set`},
		{"not resolved", fileOf(message("A", ""), service(in(2, "A")+in(3, ".p.A"))), `inputType of "M" is "A", which is not a full name of a type`},
		{"an enum", fileOf(in(5, in(1, "A")), service(both)), "inputType of M is an enum"},
		{"no type", fileOf(message("A", in(2, in(1, "f"))), service(both)), `the field "f" has no type that is known: ""`},
		{"another kind", fileOf(message("A", in(2, in(1, "f")+"\x28\x0e"+in(6, ".p.A"))), service(both)), "f has the type TYPE_ENUM, and p.A is none"},
		{"two fields", fileOf(message("A", in(2, in(1, "a_b")+"\x28\x08")+in(2, in(1, "aB")+"\x28\x08")), service(both)), `p.A has two fields "aB"`},
	} {
		root, fault := protobuf.Read(source.Source{Name: "a.binpb", Text: []byte(c.text)})
		said := ""
		if fault != nil {
			said = fault.Error()
		} else if _, err := protobuf.Describe(source.Cursor{Value: root}); err != nil {
			said = err.Error()
		}
		if !strings.HasPrefix(said, "a.binpb: ") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %s", c.name, said)
		}
	}
}

// FuzzRead reads any bytes: there is a fault, or a description of an API.
func FuzzRead(f *testing.F) {
	whole := binary(f)
	f.Add(whole)
	f.Add([]byte(deep(3)))
	f.Fuzz(func(_ *testing.T, text []byte) {
		root, fault := protobuf.Read(source.Source{Name: "a.binpb", Text: text})
		if fault == nil {
			_, _ = protobuf.Describe(source.Cursor{Value: root})
		}
	})
}

// TestEveryPrefix reads what is left of a set that was cut at any place: no set is a part of another by chance, but for whole files.
func TestEveryPrefix(t *testing.T) {
	whole := binary(t)[:3000]
	good := 0
	for n := range whole {
		root, fault := protobuf.Read(source.Source{Name: "a.binpb", Text: whole[:n]})
		if fault == nil {
			good++
			_, _ = protobuf.Describe(source.Cursor{Value: root})
		}
	}
	const want = 9 // nothing, and the first eight files
	if good != want {
		t.Errorf("%d prefixes are sets, not %d", good, want)
	}
}

// TestLevels reads the levels of idempotency that the JSON form has: one that is not known says nothing.
func TestLevels(t *testing.T) {
	for level, want := range map[string][2]bool{"NO_SIDE_EFFECTS": {true, true}, "IDEMPOTENT": {false, true}, "IDEMPOTENCY_UNKNOWN": {}, "LATER": {}} {
		root, _, faults := source.Read(source.Source{Name: "a.json", Text: []byte(`{"file": [{"name": "a.proto", "package": "p", "messageType": [{"name": "A"}], "service": [{"name": "S",
			"method": [{"name": "M", "inputType": ".p.A", "outputType": ".p.A", "options": {"idempotencyLevel": "` + level + `"}}]}]}]}`)})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		is := described(t, root)
		if got := [2]bool{strings.Contains(is, `"x-reads"`), strings.Contains(is, `"x-idempotent"`)}; got != want {
			t.Errorf("%s: %v", level, got)
		}
	}
}
