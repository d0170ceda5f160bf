package mcpnats

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/port"
)

// newCluster starts three NATS servers that keep copies for each other.
func newCluster(t *testing.T) (sites []*site) {
	const size = 3
	var routes []*url.URL
	for range size {
		routes = append(routes, &url.URL{Scheme: "nats", Host: port.Address()})
	}
	for i := range size {
		sites = append(sites, newSite(t, func(o *server.Options) {
			o.ServerName, o.Routes = fmt.Sprint("s", i), routes
			o.Cluster.Name, o.Cluster.Host = "c", "127.0.0.1"
			_, err := fmt.Sscan(routes[i].Port(), &o.Cluster.Port)
			if err != nil {
				t.Fatal(err)
			}
		}))
	}
	await.Until(t, "the servers have a leader", func() bool {
		return slices.ContainsFunc(sites, func(s *site) bool { return len(s.nats.JetStreamClusterPeers()) == size })
	})
	return sites
}

// sessionsLag: with three copies, each replica knows a session as soon as another one has begun it; and when one of the NATS servers ends, sessions go on.
func sessionsLag(t *testing.T) {
	sites := newCluster(t)
	var all []*mcphttp.Handler
	for _, s := range sites {
		o := Options{Copies: len(sites)}
		srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: quiet, StateKeys: [][]byte{[]byte("a key of tests")}})
		h := mcphttp.NewHandler(srv, mcphttp.Options{Replicas: mcpcluster.New(s.backplane(o)), Runtime: runtime.Options{Logger: quiet}})
		t.Cleanup(func() {
			h.Close()
			srv.Close()
		})
		all = append(all, h)
	}
	calm := func(h *mcphttp.Handler, session, message string) (w *httptest.ResponseRecorder) { // NATS may choose another leader meanwhile
		await.Until(t, "NATS is calm", func() bool {
			w = post(h, session, message)
			return w.Code != http.StatusServiceUnavailable
		})
		return w
	}
	const sessions = 20
	run := func(replicas []*mcphttp.Handler) {
		var wait sync.WaitGroup
		for client := range 24 {
			wait.Go(func() {
				for i := range sessions {
					turn := func(n int) *mcphttp.Handler { return replicas[(client+i+n)%len(replicas)] }
					w := calm(turn(0), "", hello("n"))
					session := w.Header().Get("Mcp-Session-Id")
					if w.Code != http.StatusOK {
						t.Errorf("initialize: %d %s", w.Code, w.Body)
						return
					}
					if w := calm(turn(1), session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); w.Code != http.StatusAccepted {
						t.Errorf("initialized: %d %s", w.Code, w.Body)
					}
					if w := calm(turn(2), session, search("x")); w.Code != http.StatusOK {
						t.Errorf("a call: %d %s", w.Code, w.Body)
					}
				}
			})
		}
		wait.Wait()
	}
	run(all)
	session := post(all[0], "", hello("n")).Header().Get("Mcp-Session-Id")
	sites[2].stop()
	await.Until(t, "a session goes on without one of the servers", func() bool { return post(all[1], session, search("x")).Code == http.StatusOK })
	await.Until(t, "sessions begin without one of the servers", func() bool { return post(all[1], "", hello("n")).Code == http.StatusOK })
}

// tasksLag: with three copies, each replica knows a task, and what has become of it, as soon as another one has stored it.
func tasksLag(t *testing.T) {
	var all []*Tasks
	for _, s := range newCluster(t) {
		all = append(all, s.tasks(TasksOptions{Copies: 3}))
	}
	calm := func(f func() error) { // NATS may choose another leader meanwhile; that a task is not known has another reason
		await.Until(t, "NATS is calm", func() bool {
			err := f()
			if errors.Is(err, mcptask.ErrUnknown) {
				t.Error(err)
			}
			return err == nil || t.Failed()
		})
	}
	var wait sync.WaitGroup
	for client := range 24 {
		wait.Go(func() {
			for i := range 20 {
				turn := func(n int) *Tasks { return all[(client+i+n)%len(all)] }
				var r, got mcptask.Record
				calm(func() (err error) {
					r = newTask("")
					return turn(0).Create(within(t), r)
				})
				if calm(func() (err error) { got, err = turn(1).Read(within(t), r.ID); return err }); got.Status != mcptask.Working {
					t.Errorf("at another replica: %q", got.Status)
				}
				calm(func() (err error) { _, err = turn(1).Change(within(t), r.ID, completed); return err })
				if calm(func() (err error) { got, err = turn(2).Read(within(t), r.ID); return err }); got.Status != mcptask.Completed {
					t.Errorf("changed, at a third replica: %q", got.Status)
				}
			}
		})
	}
	wait.Wait()
	readsWhatIsWritten(t, all[0].b.js, "KV_mcp_tasks")
}
