package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// witness sees the answers to clients, and so which sessions end before their clients end them.
type witness struct {
	next http.RoundTripper

	mu      sync.Mutex
	begun   map[string]time.Time // when a session was asked for; of one that has ended, it is not there
	empty   time.Time            // when the store was emptied last
	lost    int                  // sessions that the store had
	renewed int                  // those that it had not any more
}

// RoundTrip implements [http.RoundTripper].
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	const header = "Mcp-Session-Id"
	start := time.Now()
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := r.Header.Get(header); id == "" && resp.Header.Get(header) != "" {
		w.begun[resp.Header.Get(header)] = start
	} else if begun, ok := w.begun[id]; ok && resp.StatusCode == http.StatusNotFound {
		delete(w.begun, id)
		if begun.Before(w.empty) {
			w.renewed++
		} else {
			w.lost++
		}
	}
	return resp, nil
}

// emptied notes that the store has lost what it had.
func (w *witness) emptied() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.empty = time.Now()
}

// emptiedSince reports whether the store was emptied after a time.
func (w *witness) emptiedSince(t time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return t.Before(w.empty)
}

// compare counts an answer that is not that of a call with a text, and notes the text.
func (n *counts) compare(result *mcp.CallToolResult, text string) error {
	got, err := wire.Marshal(result)
	if err != nil {
		return err
	}
	if result.IsError.Or(false) {
		return fmt.Errorf("a result that is an error: %s", got[max(0, len(got)-70):])
	}
	if !strings.Contains(string(got), text) {
		fmt.Printf("%s is answered by %s\n", text, got)
		n.foreign.Add(1)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts[text] = true
	return nil
}

// begun stops the replicas, and returns how many calls with a text they have begun, and how many of these twice although they were answered.
func (c *cluster) begun(n *counts) (all, twice int) {
	times := map[string]int{}
	for _, r := range c.replicas {
		r.kill()
		for _, text := range regexp.MustCompile(`(?m)^(?:greet|slow_compute) .*(client \d+, call \d+\.)`).FindAllStringSubmatch(r.told.String(), -1) {
			times[text[1]]++
		}
	}
	for text, begun := range times {
		if begun > 1 && n.texts[text] {
			twice++
		}
	}
	return len(times), twice
}

// runTask runs a tool as a task, and asks for it again until it has ended.
func (u *user) runTask(ctx context.Context, n *counts, tool string, arguments runtime.Raw) (mcp.CallToolResult, error) {
	start := time.Now()
	task, err := u.client.StartTool(ctx, tool, arguments)
	if err != nil {
		return mcp.CallToolResult{}, err
	}
	for {
		result, err := task.Wait(ctx)
		fault, told := errors.AsType[*runtime.Error](err)
		switch {
		case told && strings.Contains(fault.Message, "There is no task"):
			if u.witness.emptiedSince(start) {
				n.tasksEmptied.Add(1)
			} else {
				n.tasksLost.Add(1)
			}
			return result, err
		case err == nil, told, !sleep(ctx, 200*time.Millisecond):
			return result, err
		}
	}
}
