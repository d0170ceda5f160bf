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
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// witness counts what happens. It sees the answers to clients, and so which sessions end before their clients end them.
type witness struct {
	mu       sync.Mutex
	counts   map[string]int       // by what they are of; those that begin with broken are of promises
	slowest  time.Duration        // until all replicas were ready after an outage
	emptied  time.Time            // when the store was emptied last
	begun    map[string]time.Time // when sessions were asked for
	answered map[string]bool      // texts of calls
}

const broken = "broken: "

// add counts something.
func (w *witness) add(name string, times int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[name] += times
}

// lose counts something that is lost.
func (w *witness) lose(what string, begun time.Time) {
	if begun.Before(w.emptied) {
		w.counts["emptied: "+what]++
	} else {
		w.counts[broken+what]++
	}
}

// RoundTrip implements [http.RoundTripper].
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	const header = "Mcp-Session-Id"
	start := time.Now()
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := r.Header.Get(header); id == "" && resp.Header.Get(header) != "" {
		w.begun[resp.Header.Get(header)] = start
	} else if begun, ok := w.begun[id]; ok && resp.StatusCode == http.StatusNotFound {
		delete(w.begun, id)
		w.lose("session lost", begun)
	}
	return resp, nil
}

// twice stops the replicas, and counts the calls with a text that they have begun, and those of them that were begun twice although they were answered.
func (c *cluster) twice() {
	times := map[string]int{}
	for _, r := range c.replicas {
		r.kill()
		for _, text := range regexp.MustCompile(`(?m)^(?:greet|slow_compute) .*(client \d+, call \d+\.)`).FindAllStringSubmatch(r.told.String(), -1) {
			if times[text[1]]++; times[text[1]] == 2 && c.answered[text[1]] {
				c.add(broken+"call done twice without a word", 1)
			}
		}
	}
	c.add("texts of calls begun", len(times))
}

// runTask runs a tool as a task, and asks for it again until it has ended.
func (u *user) runTask(ctx context.Context, tool string, arguments runtime.Raw) (result mcp.CallToolResult, err error) {
	start := time.Now()
	task, err := u.client.StartTool(ctx, tool, arguments)
	for err == nil {
		result, err = task.Wait(ctx)
		fault, told := errors.AsType[*runtime.Error](err)
		if told && strings.HasPrefix(fault.Message, "There is no task") {
			u.w.mu.Lock()
			defer u.w.mu.Unlock()
			u.w.lose("task lost", start)
			return result, errors.New("there is no such task")
		}
		if err == nil || told {
			break
		}
		if !sleep(ctx, 200*time.Millisecond) {
			ctx, cancel := context.WithTimeout(context.Background(), soon)
			defer cancel()
			state, fault := task.Status(ctx)
			fmt.Println("hung:", task.ID(), state, fault)
			break
		}
		err = nil // the server was not reached
	}
	return result, err
}
