package position_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/position"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// TestByPosition writes params as arrays.
func TestByPosition(t *testing.T) {
	var keys, members, values []string
	for i := range 40 {
		keys = append(keys, fmt.Sprintf("k%d", i))
		members = append(members, fmt.Sprintf(`"k%d":%d`, i, i))
		values = append(values, fmt.Sprint(i))
	}
	for _, test := range []struct{ keys, object, want string }{
		{"a\nb\nc", `{"a":1,"b":"x,y","c":[{"a":2}]}`, `[1,"x,y",[{"a":2}]]`},
		{"a\nb\nc", `{"a":1}`, `[1]`},
		{"a\nb\nc", `{"b":1}`, `[null,1]`},
		{"a\nb\nc", `{"c":1,"a":2}`, `[2,null,1]`},
		{"a\nb\nc", `{}`, `[]`},
		{"", `{}`, `[]`},
		{"a \"quoted\"\nb", `{"a \"quoted\"":null,"b":{}}`, `[null,{}]`},
		{"a", `[1,2]`, `[1,2]`},
		{strings.Join(keys, "\n"), "{" + strings.Join(members, ",") + "}", "[" + strings.Join(values, ",") + "]"},
		{strings.Join(keys, "\n"), `{"k39":0}`, "[" + strings.Repeat("null,", 39) + "0]"},
	} {
		b := []byte(`"params":`)
		if got := string(position.ByPosition(b, append(b, test.object...), test.keys)); got != `"params":`+test.want {
			t.Errorf("%s: got %s, expected %s", test.object, got, test.want)
		}
	}
}

// TestByPositionTooDeep refuses what no reader takes.
func TestByPositionTooDeep(t *testing.T) {
	deep := strings.Repeat("[", wire.MaxDepth+1) + strings.Repeat("]", wire.MaxDepth+1)
	var err error
	func() {
		defer wire.CatchEncodeError(&err)
		position.ByPosition(nil, []byte(`{"a":`+deep+`}`), "a")
	}()
	if err == nil {
		t.Error("it was written")
	}
}

// TestByPositionAllocates nothing when there is room.
func TestByPositionAllocates(t *testing.T) {
	b := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { position.ByPosition(b, append(b, `{"a":1,"b":"x","c":[1,2,3]}`...), "a\nb\nc") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
