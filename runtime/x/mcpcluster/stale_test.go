package mcpcluster_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestStaleExpires: a former home that has missed that its session was continued elsewhere lets go of its copy, and not of the record.
func TestStaleExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		var replicas []*mcphttp.Handler
		var shops []*workshop.Workshop
		for range 2 {
			w := workshop.New()
			h := mcphttp.NewHandler(w.Server, mcphttp.Options{SessionIdle: time.Second, Replicas: mcpcluster.New(n), Runtime: runtime.Options{Logger: workshop.Quiet}})
			defer w.Server.Close()
			defer h.Close()
			replicas, shops = append(replicas, h), append(shops, w)
		}
		session := ""
		post := func(i int, message string, want int) {
			t.Helper()
			w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "http://localhost/mcp", strings.NewReader(message))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Session-Id", session)
			if session == "" {
				r.Header.Del("Mcp-Session-Id")
			}
			if replicas[i].ServeHTTP(w, r); w.Code != want {
				t.Fatalf("%d %s; %d records, %d and %d sessions", w.Code, w.Body, n.Records(), shops[0].Sessions(), shops[1].Sessions())
			}
			session = cmp.Or(session, w.Header().Get("Mcp-Session-Id"))
		}
		post(0, initialize, 200)
		post(0, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202)
		cut := func(is bool) {
			n.mu.Lock()
			n.killed[n.joined[0].Name], n.deaf[n.joined[0].Name] = is, is
			n.mu.Unlock()
		}
		cut(true)
		post(1, echo, 200)
		synctest.Wait() // until what the first one does not hear was sent
		cut(false)
		for i := 0; i < 300 && shops[0].Sessions() > 0; i++ {
			time.Sleep(50 * time.Millisecond)
			post(1, echo, 200)
		}
		time.Sleep(200 * time.Millisecond)
		post(1, echo, 200)
		if n.Records() != 1 || shops[0].Sessions() != 0 {
			t.Errorf("%d records, %d sessions", n.Records(), shops[0].Sessions())
		}
	})
}

// TestRecordGone: a home whose record has expired, because it could not be saved, or was lost, saves it anew, also if it is not sure to be the home.
func TestRecordGone(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-06-18")
	lose := func() {
		t.Helper()
		_, revision, err := n.Load(t.Context(), idOf(session))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Memory.Delete(t.Context(), idOf(session), revision); err != nil {
			t.Fatal(err)
		}
	}
	for _, missed := range []bool{false, true} {
		lose()
		if missed {
			n.joined[0].Missed()
			n.set(errors.New("no room"))
			if a := all[0].Send("POST", echo, session...); a.Status != 503 {
				t.Error("while it cannot be saved:", a)
			}
			n.set(nil)
			all[0].works(session)
		}
		if a := all[0].Send("POST", `{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"workshop://bench`+strconv.FormatBool(missed)+`"}}`, session...); a.Status != 200 {
			t.Error(a)
		}
		all[1].works(session)
		if n.home(t, all, session) != all[0] {
			t.Error("the session has moved")
		}
	}
	if a := all[0].Send("DELETE", "", session...); a.Status != 204 || n.Records() != 0 {
		t.Error(a, n.Records())
	}
}

// TestRecordDenied: when a client was told that its session has ended, because its record is lost, the session ends wherever it is: questions fail and streams end at
// its home and at former homes. Another principal that knows the id does not end it.
func TestRecordDenied(t *testing.T) {
	n, all := fleet(t, 3, mcphttp.Options{})
	session, question := all[0].asks("2025-06-18")
	n.pause(all[0], true)
	all[1].Send("POST", echo, session...)
	await.Until(t, "the session moves", func() bool { return n.home(t, all, session) == all[1] && all[1].Sessions() == 1 })
	n.pause(all[0], false)
	get := all[1].Open(t.Context(), "GET", "", session...)
	defer get.Body.Close()
	_, revision, err := n.Load(t.Context(), idOf(session))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Memory.Delete(t.Context(), idOf(session), revision); err != nil {
		t.Fatal(err)
	}
	for _, r := range n.joined {
		r.Heard([]byte(`{"from":"x","session":"` + idOf(session) + `","denied":true,"client":"another"}`))
	}
	if all[0].Sessions() != 1 || all[1].Sessions() != 1 {
		t.Errorf("%d and %d sessions", all[0].Sessions(), all[1].Sessions())
	}
	if a := all[2].Send("POST", echo, session...); a.Status != 404 {
		t.Error(a)
	}
	await.Until(t, "no replica has the session", func() bool { return all[0].Sessions()+all[1].Sessions() == 0 })
	question.End()
	if _, err := io.Copy(io.Discard, get.Body); err != nil {
		t.Error(err)
	}
	if a := all[1].Send("POST", echo, session...); a.Status != 404 || n.Records() != 0 {
		t.Error(a, n.Records())
	}
}

// TestLostBatch: a batch whose home is lost has an answer to each of its requests, as a request has, because it may have been executed.
func TestLostBatch(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	session := all[0].Begin("2025-03-26")
	n.pause(all[0], true)
	a := all[1].Send("POST", "["+echo+`,{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`, session...)
	if a.Status != 200 || !strings.HasPrefix(a.Body, `[{"jsonrpc":"2.0","id":`) || strings.Count(a.Body, "may have been executed") != 1 {
		t.Error(a)
	}
}

// slowLoad delays what Load has read.
type slowLoad struct {
	*network
	mu    sync.Mutex
	first chan struct{}
	gate  chan struct{}
}

func (s *slowLoad) Load(ctx context.Context, id string) ([]byte, uint64, error) {
	text, revision, err := s.network.Load(ctx, id)
	s.mu.Lock()
	gate, first := s.gate, s.first
	s.gate = nil
	s.mu.Unlock()
	if gate != nil {
		close(first)
		<-gate
	}
	return text, revision, err
}

// TestStaleTwice: a session that may have been continued elsewhere, and was not, is saved while another request of it reads its record.
func TestStaleTwice(t *testing.T) {
	s := &slowLoad{network: newNetwork()}
	w := newSite(t, mcphttp.Options{Replicas: mcpcluster.New(s)})
	session := w.Begin("2025-06-18")
	subscribe := func(i int) {
		t.Helper()
		if a := w.Send("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"workshop://bench%[1]d"}}`, i), session...); a.Status != 200 {
			t.Error(a)
		}
	}
	get := w.Open(t.Context(), "GET", "", session...)
	defer get.Body.Close()
	ended := make(chan bool)
	go func() {
		for b := make([]byte, 1); ; {
			if _, err := get.Body.Read(b); err != nil {
				close(ended)
				return
			}
		}
	}()
	s.joined[0].Missed()
	first, gate, done := make(chan struct{}), make(chan struct{}), make(chan bool)
	s.mu.Lock()
	s.first, s.gate = first, gate
	s.mu.Unlock()
	go func() { w.Send("POST", echo, session...); close(done) }()
	<-first
	subscribe(1)
	close(gate)
	<-done
	subscribe(2)
	select {
	case <-ended:
		t.Error("the stream has ended")
	case <-time.After(100 * time.Millisecond):
	}
}

// TestLastAnswer: a call that begins its stream and ends at once, after its session has moved, has its answer.
func TestLastAnswer(t *testing.T) {
	n, all := fleet(t, 2, mcphttp.Options{})
	const burst = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"burst","arguments":{},"_meta":{"progressToken":1}}}`
	for range 20 {
		session := all[0].Begin("2025-06-18")
		got := make(chan string, 1)
		go func() { got <- all[0].Send("POST", burst, session...).Body }()
		<-all[0].Begun
		n.pause(all[0], true)
		all[1].Send("POST", echo, session...)
		n.pause(all[0], false)
		all[1].works(session)
		if body := <-got; !strings.Contains(body, "bursted") {
			t.Errorf("got %q", body)
		}
	}
}
