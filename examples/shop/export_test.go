package main

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// TestExport exports the stock: to a client that waits and hears of the progress, and as a task to one that has gone and come back.
func TestExport(t *testing.T) {
	everywhere(t, func(t *testing.T, c *customer) {
		var done []float64
		ctx := mcpclient.WithProgress(t.Context(), func(p mcpclient.ProgressReport) { done = append(done, p.Done) })
		waited, err := c.ExportStock(ctx)
		if err != nil || int(waited.Items) != len(done) || !strings.Contains(waited.Csv, "HAM-0001,Claw hammer,eu,40\n") {
			t.Error(waited, len(done), err)
		}
		started, err := c.StartExportStock(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.conn.Close()
		back := newCustomer(t, c.dial, c.conn.Era())
		task := back.ExportStockTask(started.ID())
		if out, err := task.Wait(t.Context()); err != nil || out != waited {
			t.Error(out, err)
		}
		if s, err := task.Status(t.Context()); err != nil || s.Status != mcpclient.TaskCompleted {
			t.Error(s, err)
		}
		if _, err := back.ExportStockTask("made up").Wait(t.Context()); err == nil {
			t.Error("a task that does not exist is found")
		}
	})
}
