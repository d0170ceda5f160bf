package mount

import (
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// The times of connections.
const (
	connectTimeout = 30 * time.Second
	shortestDelay  = 100 * time.Millisecond // before another attempt to connect; doubles
	longestDelay   = 30 * time.Second
	checkInterval  = 15 * time.Second // between two checks that the server responds
	checkTimeout   = 10 * time.Second
	patience       = 10 * time.Second // of a call, for a connection
)

// longestList limits the size of a list of a server, in bytes: all of it is kept.
const longestList = 16 << 20

// upstream is one server and the connection to it.
type upstream struct {
	Upstream
	all     *Upstreams
	turn    chan struct{} // holds a token; a call of a server with a handshake takes it
	refresh chan struct{} // gets a token when a list has changed
	lost    chan struct{} // gets a token when a call has found the connection closed
	renew   chan struct{} // gets a token when the connection has to be made again
	watches *watches

	mu      sync.Mutex
	client  *mcpclient.Client // nil while there is no connection
	link    *link             // of client
	changed chan struct{}     // closed and replaced when client or err is set
	err     error             // why there is none; nil before the first attempt has failed
	flights map[*flight]bool  // calls
	givenUp map[any]bool      // who has given up calls that the server has not answered, see clientKey
	listed  map[mcpdynamic.List]map[string]entryState
	omitted map[mcpdynamic.List][]Omission

	mounted map[mcpdynamic.List][]string // the keys of its entries; only the connection uses it
	pace    pace                         // only the connection uses it
}

// link tells the messages of one connection from those of the one before, which may still arrive.
type link struct {
	upstream *upstream
	conn     atomic.Pointer[runtime.Conn] // nil before it is dialled
}

func newUpstream(all *Upstreams, one Upstream) *upstream {
	u := &upstream{
		Upstream: one, all: all, turn: make(chan struct{}, 1), refresh: make(chan struct{}, 1), lost: make(chan struct{}, 1), renew: make(chan struct{}, 1),
		watches: &watches{changed: make(chan struct{}, 1), wanted: make(map[string]bool)},
		changed: make(chan struct{}), flights: make(map[*flight]bool), listed: make(map[mcpdynamic.List]map[string]entryState), omitted: make(map[mcpdynamic.List][]Omission), mounted: make(map[mcpdynamic.List][]string),
	}
	u.turn <- struct{}{}
	return u
}

// run keeps the server connected until ctx ends.
func (u *upstream) run(ctx context.Context) {
	var delays backoff
	for {
		err := u.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == errRenew {
			u.all.log.Info("a server is connected again, because it may still work on a call that was given up", "server", u.Name)
			continue
		}
		wait := delays.next()
		u.all.log.Warn("a server is not connected", "server", u.Name, "error", err, "again", wait)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// backoff returns growing delays, which are short again after some time without trouble.
type backoff struct {
	delay time.Duration
	last  time.Time
}

// next returns the time to wait before another attempt.
func (b *backoff) next() time.Duration {
	if b.delay = min(2*b.delay, longestDelay); b.delay == 0 || time.Since(b.last) > 2*longestDelay {
		b.delay = shortestDelay
	}
	b.last = time.Now()
	return b.delay/2 + rand.N(b.delay/2)
}

// session connects and mounts the entries, and returns when the connection is lost.
func (u *upstream) session(ctx context.Context) (err error) {
	at := &link{upstream: u}
	client, err := u.connect(ctx, at)
	if err != nil {
		u.leave(err)
		return err
	}
	watching, stop := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	listening, refused := listen(ctx, client) // first: a change after the lists are read is not missed
	defer func() {
		stop()
		end := func() {
			if refused == nil {
				listening.Close()
			}
			client.Close()
			keeping.Wait()
		}
		if err == errRenew {
			u.all.running.Go(end) // which may wait for the server; calls wait for the next connection
			return
		}
		end()
	}()
	var ended <-chan struct{}
	if refused == nil && (listening.Agreed.Tools || listening.Agreed.Prompts || listening.Agreed.Resources) {
		ended = listening.Done() // a server that sends no changes may end the subscription at once
	}
	if err = u.mount(ctx, client); err == nil {
		u.enter(client, at)
		keeping.Go(func() { u.keep(watching, client) })
		if err = u.follow(ctx, client, ended); err == nil {
			err = errors.Join(errors.New("the connection has ended"), listening.Err())
		}
	}
	u.leave(err)
	return err
}

// connect makes a connection.
func (u *upstream) connect(ctx context.Context, at *link) (*mcpclient.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	dial := func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		conn, err := u.Dial(ctx, inbound)
		if err == nil {
			at.conn.Store(&conn)
		}
		return conn, err
	}
	return mcpclient.Connect(ctx, dial, mcpclient.Options{
		Name: u.all.o.ClientName, Version: u.all.o.ClientVersion, LogLevel: "debug", Logger: u.all.log, Revisions: u.Revisions, MaxListBytes: longestList,
		OnQuestion: at.question, OnLog: at.passLog, Extensions: mcpclient.Apps(), // the server hides tools of pages from other clients
		OnListChanged:         func(context.Context, mcpclient.List) { wake.Up(u.refresh) },
		OnResourceUpdated:     func(_ context.Context, uri string) { u.all.passUpdate(u, uri) },
		OnElicitationComplete: func(context.Context, string) {},
	})
}

// listen subscribes to changes of the lists.
func listen(ctx context.Context, client *mcpclient.Client) (*mcpclient.Subscription, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return client.Listen(ctx, mcpclient.Changes{Tools: true, Prompts: true, Resources: true})
}

// pace keeps a server whose lists change by being read, or that says so, from being asked for them without a pause.
type pace struct {
	sum   [sha256.Size]byte // of the lists
	delay time.Duration     // after the last time that they were read
	last  time.Time
	said  bool // the log has it
}

// read notes that lists were read.
func (p *pace) read(sum [sha256.Size]byte) {
	now := time.Now()
	if sum != p.sum || now.Sub(p.last) > 2*p.delay {
		p.delay = shortestPause
	} else {
		p.delay = min(2*p.delay, longestDelay)
	}
	p.sum, p.last = sum, now
}

// shortestPause is the time between two times that lists are read; it is doubled while they do not change.
const shortestPause = 100 * time.Millisecond

// follow mounts again what has changed. It returns when the server does not respond, or without an error when ended is closed.
func (u *upstream) follow(ctx context.Context, client *mcpclient.Client, ended <-chan struct{}) (err error) {
	check := time.NewTicker(checkInterval)
	defer check.Stop()
	refresh := u.refresh
	rested := time.NewTimer(0)
	defer rested.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-rested.C:
			refresh = u.refresh
		case <-refresh:
			err = u.mount(ctx, client)
			refresh = nil
			rested.Reset(u.pace.delay)
			if u.pace.delay > time.Second && !u.pace.said {
				u.pace.said = true
				u.all.log.Warn("a server says again and again that its lists have changed, and they are the same: they are read less often", "server", u.Name)
			}
		case <-ended:
			return nil
		case <-u.renew:
			return errRenew
		case <-u.lost:
			err = u.check(ctx, client)
		case <-check.C:
			err = u.check(ctx, client)
		}
		if err != nil && answerOf(err) == nil {
			return err
		}
	}
}

// answerOf returns the error that a server has answered with, or nil if err is another error.
func answerOf(err error) *runtime.Error {
	e, _ := errors.AsType[*runtime.Error](err)
	return e
}

// check returns an error if the server does not respond.
func (u *upstream) check(ctx context.Context, client *mcpclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return client.Ping(ctx)
}

// enter makes the connection available to calls.
func (u *upstream) enter(client *mcpclient.Client, at *link) {
	u.all.log.Info("a server is connected", "server", u.Name, "revision", client.Revision())
	u.mu.Lock()
	defer u.mu.Unlock()
	select {
	case <-u.renew: // it was meant for the last connection
	default:
	}
	u.client, u.link, u.err, u.givenUp = client, at, nil, make(map[any]bool)
	u.wake()
}

// leave notes that there is no connection. The entries stay mounted; their calls fail.
func (u *upstream) leave(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.client, u.err = nil, err
	u.wake()
}

// wake wakes those who wait for a connection. The lock must be held.
func (u *upstream) wake() {
	close(u.changed)
	u.changed = make(chan struct{})
}

// state returns the connection, or why there is none, and a channel that is closed when that changes.
func (u *upstream) state() (*mcpclient.Client, <-chan struct{}, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.client, u.changed, u.err
}

// waitAttempt waits until there is a connection, or an attempt has failed.
func (u *upstream) waitAttempt(ctx context.Context) error {
	for {
		client, changed, err := u.state()
		if client != nil || err != nil && err != errRenew {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-u.all.ctx.Done():
			return errClosed
		}
	}
}

// absence returns why there is no connection, or nil if there is one.
func (u *upstream) absence() error {
	client, _, err := u.state()
	if client == nil && err == nil {
		return errConnecting
	}
	return err
}

// The reasons why there is no connection, besides failures.
var (
	errConnecting = errors.New("it has not answered yet")
	errClosed     = errors.New("mount: the upstreams are closed")
)

// waitConnection returns the connection. It waits for one until ctx ends.
func (u *upstream) waitConnection(ctx context.Context) (*mcpclient.Client, error) {
	for {
		client, changed, err := u.state()
		if client != nil {
			return client, nil
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		case <-u.all.ctx.Done():
			err = errClosed
		}
		return nil, u.unavailable(err)
	}
}

// take returns the connection for a call, and a function that gives it back. A server with a handshake gets one call at a time, unless it is configured
// otherwise, because its questions and log messages do not say which call they belong to. If it may still work on a call of another client, the connection
// is made again first, unless that would end tasks of clients. A task of a client does not wait: its questions name it.
func (u *upstream) take(ctx context.Context, who any, task bool) (*mcpclient.Client, func(), error) {
	client, err := u.soon(ctx)
	if err != nil || task || u.Concurrent || client.Era() != mcp.Handshake {
		return client, func() {}, err
	}
	select {
	case <-u.turn:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	release := func() { u.turn <- struct{}{} }
	u.mu.Lock()
	if u.client != nil && u.worksForOthers(who) && !u.hasTasks() {
		u.client, u.err = nil, errRenew
		wake.Up(u.renew)
	}
	u.mu.Unlock()
	if client, err = u.soon(ctx); err != nil {
		release()
		return nil, nil, err
	}
	return client, release, nil
}

// soon returns the connection. A call does not wait long for one.
func (u *upstream) soon(ctx context.Context) (*mcpclient.Client, error) {
	if client, _, _ := u.state(); client != nil {
		return client, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return u.waitConnection(ctx)
}

// another waits for another connection than one that has ended. It reports false if there is none soon.
func (u *upstream) another(ctx context.Context, ended *mcpclient.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		client, changed, _ := u.state()
		if client != nil && client != ended {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-u.all.ctx.Done():
			return false
		}
	}
}

// errRenew is why a connection ends that is made again.
var errRenew = errors.New("the server may still work on a call that was given up")

// clientKey returns a value that is equal for the calls of one client, as far as that is known: the principal, or the connection on which the calls arrive.
func clientKey(ctx context.Context) any {
	if principal := mcp.PrincipalFrom(ctx); principal != "" {
		return principal
	}
	if session, ok := runtime.PeerFrom(ctx).(*runtime.Session); ok {
		return session
	}
	return new(int)
}

// gaveUp notes that a call was given up which the server has not answered.
func (u *upstream) gaveUp(client *mcpclient.Client, who any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.client == client {
		u.givenUp[who] = true
	}
}

// hasTasks reports whether the server runs tasks of clients. The lock must be held.
func (u *upstream) hasTasks() bool {
	for f := range u.flights {
		if f.taskID() != "" {
			return true
		}
	}
	return false
}

// worksForOthers reports whether the server may still work on a call that another client has given up. The lock must be held.
func (u *upstream) worksForOthers(who any) bool {
	for other := range u.givenUp {
		if other != who {
			return true
		}
	}
	return false
}
