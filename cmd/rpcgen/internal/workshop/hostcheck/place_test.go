package hostcheck

import (
	"fmt"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
)

// TestPlace: pointers into the list of a schema lead to its declarations.
func TestPlace(t *testing.T) {
	const text = `rpcgen: v1
use: [mcp]
server:
  name: office
  version: 1.0.0
  instructions: Use it.
types:
  Room: {description: A room., fields: {name: {type: string, maxLength: 5}, size?: Size | null}}
  Size: {tuple: [number, number]}
  Any: {union: [Room, string]}
tools:
  find:
    description: Finds.
    input:
      room: Room
      rooms?: list<Room>
      any?: {union: [string, integer]}
      by?: map<Room>
    output: {done: boolean}
  raw:
    input: {a?: string}
    inputSchema:
      type: object
      properties: {a: {type: string, default: x}}
`
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := loader.Load("office.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	for pointer, want := range map[string]string{
		"/tools":                                           "3:1 tools",
		"/instructions":                                    "6:3 server.instructions",
		"/tools/0/name":                                    "12:3 tools.find",
		"/tools/0/description":                             "13:5 tools.find",
		"/tools/0/inputSchema":                             "12:3 tools.find.input",
		"/tools/0/inputSchema/$defs":                       "12:3 tools.find.input",
		"/tools/0/inputSchema/properties/room":             "15:7 tools.find.input.room",
		"/tools/0/inputSchema/properties/room/$ref":        "15:7 tools.find.input.room",
		"/tools/0/inputSchema/properties/rooms/items/$ref": "16:20 tools.find.input.rooms[]",
		"/tools/0/inputSchema/properties/by/additionalProperties/$ref": "18:16 tools.find.input.by{}",
		"/tools/0/inputSchema/$defs/Room/properties/name/maxLength":    "8:62 types.Room.name",
		"/tools/0/inputSchema/$defs/Room/properties/size/anyOf/0/$ref": "8:77 types.Room.size",
		"/tools/0/inputSchema/$defs/Size/prefixItems/1/type":           "9:26 types.Size[1]",
		"/tools/0/outputSchema/properties/done":                        "19:14 tools.find.output.done",
		"/tools/1/inputSchema/properties/a/default":                    "24:47 tools.raw.inputSchema",
		"/tools/9/name": "3:1 tools",
	} {
		span, path := Place(doc, pointer)
		if got := fmt.Sprintf("%d:%d %s", span.Line, span.Col, path); got != want {
			t.Errorf("%s: %s, want %s", pointer, got, want)
		}
	}
}
