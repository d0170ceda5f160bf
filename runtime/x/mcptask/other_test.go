package mcptask_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// TestOther: two servers that share a store by mistake do not serve each other's tasks, and say why. A task of a former version, whose record has no server, is served.
func TestOther(t *testing.T) {
	store := mcptask.NewMemory(mcptask.MemoryOptions{})
	r := newRig(t, mcptask.Options{Store: store})
	defer r.end()
	var log bytes.Buffer
	p, tasks := &plant{name: "mill"}, mcptask.New(mcptask.Options{Store: store})
	other := &rig{p, t, mcp.NewServer(p, mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Tasks: tasks})}
	defer other.end()
	id := r.start("ann", "wait", "")
	for _, c := range []struct{ method, members string }{{"tasks/get", ""}, {"tasks/cancel", ""}, {"tasks/update", `,"inputResponses":{}`}} {
		if got := other.as("ann", c.method, `"taskId":"`+id+`"`+c.members); text(got, "error", "code") != "-32602" || !strings.Contains(text(got, "error", "message"), "There is no task") {
			t.Errorf("%s: %s", c.method, got.JSON())
		}
	}
	if got := r.as("ann", "tasks/get", `"taskId":"`+id+`"`); text(got, "result", "status") != "working" {
		t.Errorf("%s", got.JSON())
	}
	if !strings.Contains(log.String(), "another server") || !strings.Contains(log.String(), "another server: plant") {
		t.Error(log.String())
	}
	former := mcptask.Record{ID: "former", Owner: "ann", Status: mcptask.Working, Created: time.Now(), TTL: time.Minute}
	if err := store.Create(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	own := other.start("ann", "wait", "")
	list, err := tasks.Serve(context.Background(), &tasking.Request{Caller: tasking.Caller{Owner: "ann", Session: "s", Server: "mill"}, Method: "tasks/list"})
	if err != nil || strings.Contains(string(list), id) || !strings.Contains(string(list), own) || !strings.Contains(string(list), former.ID) {
		t.Errorf("%s, %v", list, err)
	}
}
