package mcpcluster_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/workshop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// network is a backplane in memory with faults.
type network struct {
	*mcpcluster.Memory

	mu      sync.Mutex
	down    error                           // of Ready, Load and Save
	keeps   error                           // of Delete
	killed  map[string]bool                 // replicas that are not reached
	lost    map[string]bool                 // replicas that do not answer any more
	deaf    map[string]bool                 // replicas that hear nothing
	unheard chan []byte                     // by deaf replicas
	cuts    string                          // the first half of a part with this text is the last that is read of an answer
	mute    error                           // of Tell
	asking  map[string][]context.CancelFunc // requests in flight, by replica
	joined  []mcpcluster.Replica

	loads atomic.Int64 // that were tried
}

func newNetwork() *network {
	return &network{
		Memory: mcpcluster.NewMemory(), killed: map[string]bool{}, lost: map[string]bool{}, deaf: map[string]bool{}, asking: map[string][]context.CancelFunc{},
		unheard: make(chan []byte, 10),
	}
}

func (n *network) Join(r mcpcluster.Replica) (func(), error) {
	heard := r.Heard
	r.Heard = func(message []byte) {
		n.mu.Lock()
		deaf := n.deaf[r.Name]
		n.mu.Unlock()
		if deaf {
			n.unheard <- message
			return
		}
		heard(message)
	}
	n.mu.Lock()
	n.joined = append(n.joined, r)
	n.mu.Unlock()
	return n.Memory.Join(r)
}

func (n *network) fault() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.down
}

func (n *network) Ready() error { return n.fault() }

func (n *network) Load(ctx context.Context, session string) ([]byte, uint64, error) {
	n.loads.Add(1)
	if err := n.fault(); err != nil {
		return nil, 0, err
	}
	return n.Memory.Load(ctx, session)
}

func (n *network) Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (uint64, error) {
	if err := n.fault(); err != nil {
		return 0, err
	}
	return n.Memory.Save(ctx, session, record, revision, expires)
}

func (n *network) Delete(ctx context.Context, session string, revision uint64) error {
	n.mu.Lock()
	err := n.keeps
	n.mu.Unlock()
	if err != nil {
		return err
	}
	return n.Memory.Delete(ctx, session, revision)
}

func (n *network) Tell(message []byte) error {
	n.mu.Lock()
	err := n.mute
	n.mu.Unlock()
	if err != nil {
		return err
	}
	return n.Memory.Tell(message)
}

func (n *network) Ask(ctx context.Context, replica string, request []byte, part func([]byte) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	n.mu.Lock()
	killed, lost, cuts := n.killed[replica], n.lost[replica], n.cuts
	n.asking[replica] = append(n.asking[replica], cancel)
	n.mu.Unlock()
	switch {
	case killed:
		return mcpcluster.ErrNoReplica
	case lost:
		return mcpcluster.ErrLost
	}
	err := n.Memory.Ask(inner, replica, request, func(text []byte) error {
		if cuts == "" || !strings.Contains(string(text), cuts) {
			return part(text)
		}
		return errors.Join(part(text[:len(text)/2]), mcpcluster.ErrLost)
	})
	if inner.Err() != nil && ctx.Err() == nil {
		return mcpcluster.ErrLost
	}
	return err
}

// set makes the backplane unusable, or usable again.
func (n *network) set(down error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down = down
}

// keep makes records stay that are deleted.
func (n *network) keep(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.keeps = err
}

// kill makes a replica unreachable: requests that it was asked are lost.
func (n *network) kill(s *site) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.killed[s.name] = true
	for _, cancel := range n.asking[s.name] {
		cancel()
	}
}

// pause makes a replica silent.
func (n *network) pause(s *site, paused bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost[s.name] = paused
}

// site is a replica.
type site struct {
	*workshop.Site
	handler *mcphttp.Handler
	name    string // in the network
}

func newSite(t *testing.T, o mcphttp.Options) *site {
	w := workshop.New()
	o.Runtime.Logger = workshop.Quiet
	h := mcphttp.NewHandler(w.Server, o)
	return &site{Site: workshop.Serve(t, w, h, h.Close), handler: h}
}

// fleet returns replicas that are addressed one by one.
func fleet(t *testing.T, size int, o mcphttp.Options) (*network, []*site) {
	n := newNetwork()
	o.Replicas = mcpcluster.New(n)
	var all []*site
	for range size {
		s := newSite(t, o)
		s.name = n.joined[len(n.joined)-1].Name
		all = append(all, s)
	}
	return n, all
}

const echo = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`

// works checks that a session can be used at a replica.
func (s *site) works(session []string) {
	s.T.Helper()
	if a := s.Send("POST", echo, session...); a.Status != 200 || !strings.Contains(a.Body, `"said":"hi"`) {
		s.T.Errorf("got %v", a)
	}
}

// idOf returns the id of a session.
func idOf(session []string) string { return strings.TrimPrefix(session[0], "Mcp-Session-Id: ") }

// home returns the replica that the record of the session names.
func (n *network) home(t *testing.T, all []*site, session []string) *site {
	t.Helper()
	text, _, err := n.Load(t.Context(), idOf(session))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if strings.Contains(string(text), `"home":"`+s.name+`"`) {
			return s
		}
	}
	t.Fatalf("the session has no home: %s", text)
	return nil
}

// asks begins a session, and a call of it that asks the client. It returns what the client reads after the question.
func (s *site) asks(revision string) (session []string, l *workshop.Lines) {
	s.T.Helper()
	session = s.Begin(revision)
	resp := s.Open(s.T.Context(), "POST", workshop.SessionCall("1", "ask", ""), session...)
	s.T.Cleanup(func() { resp.Body.Close() })
	l = workshop.LinesOf(s.T, resp.Body)
	l.Find(`"id":1,"method":"elicitation/create"`)
	return session, l
}
