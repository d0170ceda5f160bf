package mcpnats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster/backplanetest"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask/storetest"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// keysOf returns keys of tests by their names.
func keysOf(names ...string) (keys [][]byte) {
	for _, name := range names {
		if name != noKey {
			name = strings.Repeat(name, leastKey)
		}
		keys = append(keys, []byte(name))
	}
	return keys
}

// journal is what was logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// sealedReplica is a replica with keys, what it logs, and what it is asked and told.
type sealedReplica struct {
	*Backplane
	*Tasks
	log   journal
	asked chan string
	heard chan string
	gone  chan string // requests that were ended
}

// sealing returns a replica with keys, which answers a request with the same text, but does not end before its context if that is "wait".
func (s *site) sealing(name string, keys ...string) *sealedReplica {
	s.t.Helper()
	r := &sealedReplica{asked: make(chan string, 10), heard: make(chan string, 10), gone: make(chan string, 10)}
	log := slog.New(slog.NewTextHandler(&r.log, nil))
	var err error
	if r.Backplane, err = New(within(s.t), s.connect(), Options{Keys: keysOf(keys...), Logger: log, interval: 300 * time.Millisecond}); err != nil {
		s.t.Fatal(err)
	}
	if r.Tasks, err = NewTasks(within(s.t), s.connect(), TasksOptions{Keys: keysOf(keys...), Logger: log, pulse: 200 * time.Millisecond}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(r.Tasks.Close)
	leave, err := r.Join(mcpcluster.Replica{
		Name: name, Missed: func() {}, Heard: func(text []byte) { r.heard <- string(text) },
		Answer: func(ctx context.Context, text []byte, send func([]byte, bool) error) {
			r.asked <- string(text)
			if string(text) == "wait" {
				<-ctx.Done()
				r.gone <- string(text)
				return
			}
			_ = send(text, true) // it may not be read any more
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(leave)
	return r
}

// logs waits until something was logged.
func (r *sealedReplica) logs(t *testing.T, text string) {
	t.Helper()
	await.Until(t, "it logs: "+text, func() bool { return strings.Contains(r.log.String(), text) })
}

// ask asks a replica, and returns its answer.
func (r *sealedReplica) ask(t *testing.T, replica, text string) string {
	t.Helper()
	var all strings.Builder
	err := r.Ask(within(t), replica, []byte(text), func(part []byte) error {
		all.Write(part)
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return all.String()
}

func TestSealedContract(t *testing.T) {
	backplanetest.Run(t, func(t testing.TB, replicas int) (all []mcpcluster.Backplane) {
		s := newSite(t)
		for range replicas {
			all = append(all, s.backplane(Options{Keys: keysOf("k"), interval: time.Second}))
		}
		return all
	})
	storetest.Run(t, func(t testing.TB) (a, b mcptask.Store) {
		s := newSite(t)
		return exact(s.tasks(TasksOptions{Keys: keysOf("k")})), exact(s.tasks(TasksOptions{Keys: keysOf("k")}))
	})
}

// TestStrangerReads: who reads all that replicas put into NATS finds no text of clients or of their sessions and tasks if it is sealed. Without keys all of it is there.
func TestStrangerReads(t *testing.T) {
	secrets := []string{customer, "orderedBy", "place_order", "search_items", "Bearer of a token", "a client", "shop://catalogue", "the result", "the question", "the answer", "a principal"}
	for _, keys := range [][][]byte{nil, keysOf("k")} {
		f := newFleet(t, 2, Options{Keys: keys})
		var mu sync.Mutex
		var all strings.Builder
		stranger := f.site.connect()
		if _, err := stranger.Subscribe(">", func(m *nats.Msg) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&all, "%s %s %s\n", m.Subject, m.Header, m.Data)
		}); err != nil {
			t.Fatal(err)
		}
		if err := stranger.Flush(); err != nil {
			t.Fatal(err)
		}
		c, _ := f.connect(t, mcp.Handshake)
		if err := errors.Join(order(c), order(c)); err != nil {
			t.Fatal(err)
		}
		session := post(f.all[0].handler, "", hello("a client")).Header().Get("Mcp-Session-Id")
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(search("x")))
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": session, "Authorization": "Bearer of a token"} {
			r.Header.Set(name, value)
		}
		if f.all[1].handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
		if w := post(f.all[0].handler, session, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"shop://catalogue"}}`); w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
		f.all[0].server.ResourceUpdated("shop://catalogue")
		task := newTask("a principal")
		task.Questions = []mcptask.Question{{Key: "q", Method: "elicitation/create", Params: []byte(`"the question"`)}}
		task.Answers, task.Result = []mcptask.Answer{{Key: "q", Text: []byte(`"the answer"`)}}, []byte(`"the result"`)
		store := f.site.tasks(TasksOptions{Keys: keys})
		if err := store.Create(within(t), task); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Read(within(t), task.ID); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.all[0].nc.Flush(), stranger.Publish("end", nil)); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the stranger has read all", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return strings.Contains(all.String(), "\nend ")
		})
		mu.Lock()
		for _, secret := range secrets {
			if strings.Contains(all.String(), secret) != (keys == nil) {
				t.Errorf("with %d keys, %q is read: %t", len(keys), secret, keys != nil)
			}
		}
		mu.Unlock()
	}
}

// overhear returns the next messages on a subject, as a stranger receives them.
func (s *site) overhear(subject string) <-chan *nats.Msg {
	s.t.Helper()
	all, nc := make(chan *nats.Msg, 100), s.connect()
	if _, err := nc.ChanSubscribe(subject, all); err != nil {
		s.t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// send has a stranger send messages, which have arrived before what others send from now on.
func (s *site) send(all ...*nats.Msg) {
	s.t.Helper()
	nc := s.connect()
	for _, m := range all {
		if err := nc.PublishMsg(m); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		s.t.Fatal(err)
	}
}

// with returns a message as another one.
func with(m *nats.Msg, change func(m *nats.Msg)) *nats.Msg {
	other := &nats.Msg{Subject: m.Subject, Reply: m.Reply, Header: nats.Header{}, Data: bytes.Clone(m.Data)}
	for name, values := range m.Header {
		other.Header[name] = values
	}
	change(other)
	return other
}

const plainMessage, changedMessage, repeatedMessage = "it is not sealed", "it was not sealed for this", "it was sent before"

// TestStrangerAsks: requests that a stranger makes up, changes, sends to another replica or sends again are not answered, and neither are its messages to all.
func TestStrangerAsks(t *testing.T) {
	s := newSite(t)
	home, other, asks := s.sealing("home", "k"), s.sealing("other", "k"), s.sealing("asks", "k")
	requests, messages := s.overhear("mcp.ask.home"), s.overhear("mcp.all")
	if got := asks.ask(t, "home", "one"); got != "one" {
		t.Fatal(got)
	}
	m := <-requests
	s.send(m,
		&nats.Msg{Subject: m.Subject, Reply: m.Reply, Data: []byte("forged")},
		&nats.Msg{Subject: m.Subject, Reply: m.Reply, Data: []byte(mark + "forged")},
		with(m, func(m *nats.Msg) { m.Reply = "_INBOX.stranger" }),
		with(m, func(m *nats.Msg) { m.Header.Del(saysHeader) }),
		with(m, func(m *nats.Msg) { m.Data[len(m.Data)-1]++ }),
		with(m, func(m *nats.Msg) { m.Subject = "mcp.ask.other" }),
		with(m, func(m *nats.Msg) { m.Subject = "mcp.all" }),
		with(m, func(m *nats.Msg) { m.Subject = "mcp.gone.home" }),
	)
	for _, r := range []*sealedReplica{home, other} {
		for _, text := range []string{"two", "three"} {
			if got := asks.ask(t, map[*sealedReplica]string{home: "home", other: "other"}[r], text); got != text {
				t.Error(got)
			}
		}
	}
	for _, want := range []string{"one", "two", "three"} {
		if got := <-home.asked; got != want {
			t.Errorf("the home is asked %q, not %q", got, want)
		}
	}
	if got := <-other.asked; got != "two" {
		t.Errorf("the other one is asked %q", got)
	}
	if err := asks.Tell([]byte("news")); err != nil {
		t.Fatal(err)
	}
	m = <-messages
	for m.Data[0] != mark[0] || len(m.Data) != len("news")+sealRoom {
		m = <-messages
	}
	s.send(m, m, &nats.Msg{Subject: "mcp.all", Data: []byte(`{"from":"x"}`)}, &nats.Msg{Subject: "mcp.all"})
	if err := asks.Tell([]byte("more news")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"news", "more news"} {
		if got := <-home.heard; got != want {
			t.Errorf("it heard %q, not %q", got, want)
		}
	}
	for _, cause := range []string{plainMessage, changedMessage, repeatedMessage} {
		home.logs(t, cause)
	}
	if n := strings.Count(home.log.String(), "\n"); n > 3*8 {
		t.Errorf("%d lines are logged", n)
	}
}

// TestStrangerAnswers: what a stranger answers to the request of another, and the end that it makes up for one, has no effect.
func TestStrangerAnswers(t *testing.T) {
	s := newSite(t)
	home, asks := s.sealing("home", "k"), s.sealing("asks", "k")
	answers, requests := s.overhear("mcp.answer.>"), s.overhear("mcp.ask.home")
	if got := asks.ask(t, "home", "one"); got != "one" {
		t.Fatal(got)
	}
	former := <-answers
	for former.Header.Get(partHeader) == "0" { // that it was still answering
		former = <-answers
	}
	<-requests
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- asks.Ask(ctx, "home", []byte("wait"), func(part []byte) error { return fmt.Errorf("got %q", part) })
	}()
	reply := (<-requests).Reply
	<-home.asked
	<-home.asked
	report := <-answers // of the replica that is still answering: the first proof that it is there, which anyone can deny before
	for report.Subject != reply {
		report = <-answers
	}
	await.Until(t, "the one that asks has it, too", func() bool {
		p := asks.Backplane.asked.Get(reply)
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.number > 0
	})
	header := nats.Header{partHeader: {"1"}, lastHeader: {"1"}}
	s.send(
		&nats.Msg{Subject: reply, Header: header, Data: []byte("forged")},
		&nats.Msg{Subject: reply, Header: nats.Header{partHeader: {"0"}, sentHeader: {"7"}}},
		&nats.Msg{Subject: reply, Reply: "stranger", Header: nats.Header{partHeader: {"0"}, sentHeader: {"0"}}},
		&nats.Msg{Subject: reply, Header: nats.Header{"Status": {"503"}}},
		with(former, func(m *nats.Msg) { m.Subject = reply }),
		with(report, func(m *nats.Msg) { m.Header.Set(partHeader, "1") }),
		with(report, func(m *nats.Msg) { m.Reply = "stranger" }), report,
		&nats.Msg{Subject: "mcp.gone.home", Data: []byte(reply)},
	)
	for reports := 0; reports < 3; { // that come after what was forged
		select {
		case m := <-answers:
			if m.Subject == reply && len(m.Data) == sealRoom {
				reports++
			}
		case err := <-ended:
			t.Fatal(err)
		case <-home.gone:
			t.Fatal("the request was ended")
		}
	}
	asks.logs(t, plainMessage)
	asks.logs(t, changedMessage)
	home.logs(t, plainMessage)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-home.gone
}

// TestStrangerStores: what a stranger writes into the buckets is not there for replicas, and nor is a record in the place of another one.
func TestStrangerStores(t *testing.T) {
	s := newSite(t)
	r := s.sealing("home", "k")
	js, err := jetstream.New(s.connect())
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := js.KeyValue(within(t), "mcp_sessions")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := js.KeyValue(within(t), "mcp_tasks")
	if err != nil {
		t.Fatal(err)
	}
	put := func(kv jetstream.KeyValue, key string, value []byte) {
		t.Helper()
		if _, err := kv.Put(within(t), key, value); err != nil {
			t.Fatal(err)
		}
	}
	get := func(kv jetstream.KeyValue, key string) []byte {
		t.Helper()
		e, err := kv.Get(within(t), key)
		if err != nil {
			t.Fatal(err)
		}
		return e.Value()
	}
	if _, err := r.Save(within(t), "one", []byte("record"), 0, time.Minute); err != nil {
		t.Fatal(err)
	}
	ann, bob := newTask("ann"), newTask("bob")
	if err := errors.Join(r.Create(within(t), ann), r.Create(within(t), bob)); err != nil {
		t.Fatal(err)
	}
	put(sessions, "plain", []byte(`{"v":1}`))
	put(sessions, "moved", get(sessions, "one"))
	put(sessions, "task", get(tasks, taskKey+ann.ID))
	for _, id := range []string{"plain", "moved", "task"} {
		if text, _, err := r.Load(within(t), id); !errors.Is(err, mcpcluster.ErrNoRecord) {
			t.Errorf("%s: %q, %v", id, text, err)
		}
	}
	r.logs(t, plainMessage)
	r.logs(t, changedMessage)
	put(tasks, (&taskRecord{Record: mcptask.Record{Owner: "ann", ID: bob.ID, Created: bob.Created}}).holder(), nil)
	if all, err := r.List(within(t), "ann", "", "", 10); err != nil || len(all) != 1 || all[0].ID != ann.ID {
		t.Errorf("ann has %v, %v", all, err)
	}
	forged := bytes.Replace(get(tasks, taskKey+bob.ID), []byte("x"), []byte("y"), 1)
	put(tasks, taskKey+bob.ID, append(forged, 'x'))
	put(tasks, taskKey+ann.ID, get(tasks, taskKey+bob.ID))
	for _, id := range []string{ann.ID, bob.ID} {
		if r, err := r.Read(within(t), id); !errors.Is(err, mcptask.ErrUnknown) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	defer r.Watch(ann.ID, func() {})()
	if err := r.Tasks.b.nc.Flush(); err != nil { // the stranger's connection is another one
		t.Fatal(err)
	}
	before := strings.Count(r.log.String(), "kind=task")
	s.send(&nats.Msg{Subject: "mcp.task." + ann.ID})
	await.Until(t, "what was forged is refused", func() bool { return strings.Count(r.log.String(), "kind=task") > before })
}

// TestKeys: a key is replaced in steps, in each of which replicas of the step before and of this one understand each other; sealing begins in the same steps. Those that
// do not have the key of the others see no sessions and tasks of theirs, and say why.
func TestKeys(t *testing.T) {
	steps := [][]string{nil, {noKey, "k"}, {"k", noKey}, {"k"}, {"k", "l"}, {"l", "k"}, {"l"}, {"l", noKey}, {noKey, "l"}, nil}
	s := newSite(t)
	understand := func(t *testing.T, a, b *sealedReplica, from, to string, do bool) {
		t.Helper()
		session, task := "of-"+from+"-"+to, newTask("ann")
		if _, err := a.Save(within(t), session, []byte("record"), 0, time.Minute); err != nil {
			t.Fatal(err)
		}
		if err := a.Create(within(t), task); err != nil {
			t.Fatal(err)
		}
		record, _, err := b.Load(within(t), session)
		if (err == nil && string(record) == "record") != do || err != nil && !errors.Is(err, mcpcluster.ErrNoRecord) {
			t.Errorf("%s: a record of %s is %q, %v", to, from, record, err)
		}
		if got, err := b.Read(within(t), task.ID); (err == nil && got.Owner == "ann") != do || err != nil && !errors.Is(err, mcptask.ErrUnknown) {
			t.Errorf("%s: a task of %s is %v, %v", to, from, got, err)
		}
		if got := a.ask(t, to, "hello"); (got == "hello") != do || !do && got != mcpcluster.ErrLost.Error() {
			t.Errorf("%s answers %s with %q", to, from, got)
		}
	}
	var before *sealedReplica
	last := ""
	for i, keys := range steps {
		name := fmt.Sprintf("step%d", i)
		r := s.sealing(name, keys...)
		if before != nil {
			understand(t, before, r, last, name, true)
			understand(t, r, before, name, last, true)
		}
		before, last = r, name
	}
	plain, k, l := s.sealing("plain"), s.sealing("k", "k"), s.sealing("l", "l")
	for _, c := range []struct {
		a, b     *sealedReplica
		from, to string
		log      string
	}{
		{plain, k, "plain", "k", plainMessage}, {k, plain, "k", "plain", "there are no Options.Keys"},
		{k, l, "k", "l", "a key that is not among Options.Keys"}, {l, k, "l", "k", "a key that is not among Options.Keys"},
	} {
		understand(t, c.a, c.b, c.from, c.to, false)
		c.b.logs(t, c.log)
	}
	if log := s.sealing("both", "k", noKey).log.String(); !strings.Contains(log, "although it is not sealed") {
		t.Error(log)
	}
}

// TestWeakKeys: what is too short for a key is an error at the start, which says how to make one.
func TestWeakKeys(t *testing.T) {
	s := newSite(t)
	for _, keys := range [][][]byte{{nil}, {[]byte("secret")}, append(keysOf("k"), []byte("x"))} {
		if _, err := New(within(t), s.connect(), Options{Keys: keys}); err == nil || !strings.Contains(err.Error(), "openssl rand -hex 32") {
			t.Errorf("got %v", err)
		}
	}
}

// TestDamaged: a text of which one bit is another one, which is cut or longer, or which was sealed for something else, is not opened, whatever bit it is, also by
// a replica that has other keys as well.
func TestDamaged(t *testing.T) {
	s, err := newSealer("mcp", keysOf("b", "a"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	what := []string{record, "mcp_tasks", "task.1"}
	sealed := s.seal([]byte(`{"a":1}`), what...)
	refused := func(damage string, text []byte, what ...string) {
		t.Helper()
		if plain, _, err := s.open(bytes.Clone(text), what); err == nil {
			t.Errorf("%s: it is opened as %q", damage, plain)
		}
	}
	for i := range 8 * len(sealed) {
		damaged := bytes.Clone(sealed)
		damaged[i/8] ^= 1 << (i % 8)
		refused(fmt.Sprintf("bit %d", i), damaged, what...)
	}
	for n := range sealed {
		refused(fmt.Sprintf("%d bytes", n), sealed[:n], what...)
		refused(fmt.Sprintf("without %d bytes", n+1), sealed[n+1:], what...)
	}
	refused("a byte more", append(bytes.Clone(sealed), 0), what...)
	refused("twice", append(bytes.Clone(sealed), sealed...), what...)
	refused("of another key", sealed, record, "mcp_tasks", "task.2")
	refused("of another bucket", sealed, record, "mcp_sessions", "task.1")
	refused("of another kind", sealed, "message", "mcp_tasks", "task.1")
	if plain, _, err := s.open(bytes.Clone(sealed), what); err != nil || string(plain) != `{"a":1}` {
		t.Errorf("%q, %v", plain, err)
	}
}
