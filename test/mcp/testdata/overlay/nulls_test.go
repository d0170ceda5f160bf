package mcp_test

import (
	"testing"

	mcp20260728 "github.com/rpcgen-go/rpcgen/test/mcp/rpc"
)

// TestNullsAreAbsent reads what servers in other languages write: null for a member that they leave out. It is absent, required members
// stay required, and a member is still there at most once; TestOlder reads those.
func TestNullsAreAbsent(t *testing.T) {
	var list mcp20260728.ListToolsResult
	list.Tools = make([]mcp20260728.Tool, 1) // to be decoded into once more
	err := list.UnmarshalJSON([]byte(`{"resultType":null,"ttlMs":0,"cacheScope":"private","nextCursor":null,"_meta":null,
		"tools":[{"name":"a","title":null,"description": null,"inputSchema":{"type":"object","properties":null},"annotations":null,"icons":null}]}`))
	if _, there := list.NextCursor.Get(); err != nil || there || list.Tools[0].Icons != nil || list.Tools[0].Title.IsSet() {
		t.Errorf("%v: %+v", err, list)
	}
}
