package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/tasking"
)

// taskWatcher watches tasks for one subscriber.
type taskWatcher struct {
	tasks  Tasks
	caller tasking.Caller
}

// watch subscribes to the tasks of f that belong to the client, and removes the others from f.
func (l *subscriber) watch(ctx context.Context, f *protocol.Filter, w taskWatcher) (stop func()) {
	l.render = func(id string) []byte {
		state, err := w.tasks.Serve(ctx, &tasking.Request{Caller: w.caller, Method: "tasks/get", ID: id})
		if err != nil {
			return nil
		}
		return state
	}
	var stops []func()
	f.Tasks = slices.DeleteFunc(f.Tasks, func(id string) bool {
		id = strings.Clone(id)
		stop, ok := w.tasks.Watch(ctx, w.caller, id, func() { l.changeTask(id) })
		if ok {
			stops = append(stops, stop)
		}
		return !ok
	})
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}
