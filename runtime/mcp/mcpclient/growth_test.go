package mcpclient

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/annotation"
)

// TestManyNotifications: a notification forgets the results of one resource without looking at those of the others.
func TestManyNotifications(t *testing.T) {
	const n = 100_000
	k := new(results)
	k.around(nil, 1<<30)
	uri := func(i int) string { return "library://" + strconv.Itoa(i) }
	for i := range n {
		k.keep(resultKey{method: "resources/read", target: uri(i)}, 0, []byte(`{"ttlMs":60000}`))
	}
	k.keep(resultKey{method: "tools/list", members: "a page"}, 0, []byte(`{"ttlMs":60000}`))
	k.keep(resultKey{method: "tools/list", members: "another"}, 0, []byte(`{"ttlMs":60000}`))
	for i := range n {
		k.forget("resources/read", uri(i))
	}
	if text, _ := k.find(resultKey{method: "tools/list", members: "a page"}); text == nil {
		t.Error("a list was forgotten with a resource")
	}
	k.dropList(ListOfTools)
	if k.bytes != 0 || len(k.all) != 0 {
		t.Errorf("%d bytes and %d groups are left", k.bytes, len(k.all))
	}
}

// TestManyHeaders: a tool that mirrors arguments without end is refused before they are compared with one another.
func TestManyHeaders(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"first":{"type":"string"}`)
	for i := range 200_000 {
		n := strconv.Itoa(i)
		b.WriteString(`,"p` + n + `":{"type":"string","x-mcp-header":"H` + n + `"}`)
	}
	b.WriteString("}}")
	if _, err := annotation.HeadersOf("tool", wire.PeekAt([]byte(b.String()))); err == nil || !strings.Contains(err.Error(), "occurs more than 256 times") {
		t.Error(err)
	}
}
