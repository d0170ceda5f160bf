package mount_test

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/office"
)

// TestChangedByReading: a server that says after each list that its lists have changed is asked less and less often, and the log says so once. A change is seen
// nevertheless.
func TestChangedByReading(t *testing.T) {
	for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
		synctest.Test(t, func(t *testing.T) {
			var reads atomic.Int64
			var old *mcp.Server
			set := mcpdynamic.New(mcpdynamic.Options{Visible: func(_ context.Context, _ mcpdynamic.List, key string) bool {
				if key == "first" {
					reads.Add(1)
					go old.ToolsChanged()
				}
				return true
			}})
			old = office.Front(set)
			c := &changing{set, old}
			c.add(t, "first", func(context.Context) (string, error) { return "", nil })
			var log strings.Builder
			up, err := mount.NewUpstreams(mount.UpstreamOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, mount.Upstream{Name: "old", Dial: mcpclient.InMemory(old), Revisions: []string{revision}})
			if err != nil {
				t.Fatal(err)
			}
			s := office.Front(up)
			if err := up.Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			pass := time.NewTimer(time.Minute)
			<-pass.C
			synctest.Wait()
			if n := reads.Load(); n < 5 || n > 12 {
				t.Errorf("%s: the lists were read %d times in %v", revision, n, time.Since(began))
			}
			c.add(t, "second", func(context.Context) (string, error) { return "", nil })
			pass.Reset(time.Minute)
			<-pass.C
			synctest.Wait()
			if tools := up.Status()[0].Tools; len(tools) != 2 {
				t.Errorf("%s: %v", revision, tools)
			}
			up.Close()
			s.Close()
			old.Close()
			if n := strings.Count(log.String(), "again and again"); n != 1 {
				t.Errorf("%s: the log says %d times that the lists are the same: %s", revision, n, log.String())
			}
		})
	}
}
