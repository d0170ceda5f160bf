package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// contestants outside of package peer.
const (
	floorCopy   = "copy of its bytes"
	floorCanned = "canned bytes"
)

// httpCallers are how many call at a time over HTTP.
const httpCallers = 16

// sameTools returns in which answers the MCP servers differ.
func sameTools() error {
	all := peer.ToolServers()
	defer stopAll(all)
	return errors.Join(ir.Each(work.ToolMessages(), func(m work.Message) error { return peer.SameToolAnswers(context.Background(), all, &m) })...)
}

// stopAll ends what contestants have running.
func stopAll[C interface{ Stop() }](all []C) {
	for _, c := range all {
		c.Stop()
	}
}

// tools measures what MCP servers are asked, bytes to bytes and over HTTP.
func tools(s settings, only string) []row {
	all := peer.ToolServers()
	defer stopAll(all)
	var rows []row
	for _, m := range work.ToolMessages() {
		id := "mcp " + m.Work
		if !strings.Contains(id, only) {
			continue
		}
		var list []contestant
		for _, t := range all {
			if t.Does(&m) {
				list = append(list, dispatch(context.Background(), t.Dispatcher, m.Bytes, 0))
			}
		}
		if slices.Contains(work.RefusedTools, m.Work) {
			list = append(list, named(accepted, dispatch(context.Background(), all[0].Dispatcher, work.ToolMessages()[0].Bytes, 0)))
		}
		if m.Work == work.ToolList {
			list = append(list, copying(all[0].Dispatch(context.Background(), nil, m.Bytes)))
		}
		rows = append(rows, s.measure(id, m.Work, list))
	}
	if id := "mcp " + work.ToolHTTP; strings.Contains(id, only) {
		rows = append(rows, overHTTP(s, id, all))
	}
	return rows
}

// copying copies an answer that is there.
func copying(answer []byte) contestant {
	buf := make([]byte, 0, 256<<10)
	return contestant{Name: floorCopy, Run: func(n int) {
		for range n {
			buf = append(buf[:0], answer...)
		}
	}}
}

// overHTTP measures the call over HTTP, and a handler that answers every request with the bytes of the answer.
func overHTTP(s settings, id string, all []peer.ToolServer) row {
	msg := work.ToolMessages()[0].Bytes
	canned := all[0].Dispatch(context.Background(), nil, msg)
	all = append(slices.Clone(all), peer.ToolServer{Dispatcher: peer.Dispatcher{Name: floorCanned}, HTTP: peer.Canned(canned)})
	var list []contestant
	for _, t := range all {
		if t.HTTP == nil {
			continue
		}
		w := peer.NewToolWeb(t.Name, t.HTTP)
		defer w.Close()
		must(w.Check(&work.ToolMessages()[0]))
		list = append(list, webContestant(w, msg))
	}
	return s.measure(id, work.ToolHTTP, list)
}

// webContestant calls with several callers, each of which has a connection.
func webContestant(w *peer.Web, msg []byte) contestant {
	var buffers [httpCallers][]byte
	return contestant{Name: w.Name, Per: httpCallers, Run: func(n int) {
		var group sync.WaitGroup
		for i := range buffers {
			group.Go(func() {
				for range n {
					answer, err := w.Call(buffers[i][:0], msg)
					must(err)
					buffers[i] = answer
				}
			})
		}
		group.Wait()
	}}
}
