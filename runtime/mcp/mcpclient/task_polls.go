package mcpclient

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
)

// taskPolls wakes the goroutines that wait until the state of a task should be asked for.
type taskPolls struct {
	mu   sync.Mutex
	byID map[string][]chan struct{} // by the id of the task
}

// wait waits for the next time that the state of a task should be asked for: after the interval
// that the server wants, or when the server has notified that it has changed. The context of the
// client is life.
func (t *taskPolls) wait(ctx, life context.Context, id string, interval time.Duration) error {
	const usual, least, most = time.Second, 10 * time.Millisecond, time.Minute
	interval = cmp.Or(interval, usual)
	due := time.After(min(max(interval, least), most))
	news := t.add(id)
	defer t.remove(id, news)
	select {
	case <-due:
		return nil
	case <-news:
		return nil
	case <-life.Done():
		return runtime.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add returns a channel that receives a value when a task has changed.
func (t *taskPolls) add(id string) (news chan struct{}) {
	news = make(chan struct{}, 1)
	t.mu.Lock()
	t.byID[id] = append(t.byID[id], news)
	t.mu.Unlock()
	return news
}

// remove undoes add.
func (t *taskPolls) remove(id string, news chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[id] = slices.DeleteFunc(t.byID[id], func(n chan struct{}) bool { return n == news })
	if len(t.byID[id]) == 0 {
		delete(t.byID, id)
	}
}

// wakeTask wakes those that wait for a task (2025-11-25, basic/utilities/tasks, Task Status
// Notification).
func (t *taskPolls) wakeTask(p wire.Peek) {
	id, _ := p.In("taskId").Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, news := range t.byID[id] {
		wake.Up(news)
	}
}
