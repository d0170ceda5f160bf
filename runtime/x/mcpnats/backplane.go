// Package mcpnats connects the replicas of an MCP server over NATS: [New] returns an [mcpcluster.Backplane], with which every request of every
// session may come to any replica. NATS needs JetStream, which keeps the records of sessions.
//
// All names in NATS begin with [Options].Name, here mcp:
//
//	KV_mcp_sessions     the bucket of the records, one key for each session
//	mcp.ask.<replica>   requests to a replica
//	mcp.answer.<r>.<n>  reply subjects, of each replica: the parts of the answer to a request, numbered by the header Part
//	mcp.gone.<replica>  reply subjects whose asking replica has gone
//	mcp.all             messages to all replicas; an empty one means that its sender may have sent others that were lost
//
// and those of [NewTasks]:
//
//	KV_mcp_tasks        the bucket of the tasks
//	mcp.task.<id>       what says that a task has changed
//
// What can use these can end and continue sessions, read and forge results, and read the tokens of clients: give replicas an account or permissions of
// their own. With [Options].Keys all of it is sealed, and can only be lost. The answers of JetStream, which are the records, come to the inboxes of the
// connection: a prefix of their own keeps them from others of the account, for instance nats.CustomInboxPrefix("mcp.inbox").
package mcpnats

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shared"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// Options are the settings of a [Backplane]. The zero value selects the defaults.
type Options struct {
	// Name begins all names in NATS. It is the same for all replicas, and different for servers with other sessions: letters, digits,
	// - and _. Empty means mcp.
	Name string

	// Copies is how many servers of a NATS cluster keep each record: 1, 3 or 5. Zero means 1.
	Copies int

	// InMemory keeps the records in the memory of NATS: they are lost when it restarts.
	InMemory bool

	// MaxBytes limits the records of all sessions. If they take seven eighths of it, no session can begin, and no record can become longer, which is
	// answered 503; the rest is left to the records that are there. Once half of it is used, a principal whose records could take half of it, with 80 KiB each,
	// begins no more sessions, which is answered 503 too: by default 6,553. A record takes about 500 bytes and what its client has subscribed to. Zero means
	// 1 GiB. Of a bucket that is there, this and Copies and InMemory stay as they are; what differs is logged.
	MaxBytes int64

	// Keys seal all that replicas put into NATS (AES-256-GCM), so that who can read or write there can lose it, and not read or forge it. The first one
	// seals, and all open: a key is replaced by adding the new one at the end everywhere, moving it to the front, and removing the old one once nothing is
	// left that it has sealed, which is 1.5 times SessionIdle for sessions and the TTL of tasks. Each has 32 random bytes at least, or is the word unsealed,
	// which stands for none: so sealing begins in the same steps. Without keys nothing is sealed, and what is sealed is refused.
	Keys [][]byte

	// Logger receives errors. Nil means [slog.Default].
	Logger *slog.Logger

	interval time.Duration // how often a replica reports that it is still answering; tests change it
}

// Backplane connects replicas over a connection to NATS. It implements [mcpcluster.Backplane].
type Backplane struct {
	o       Options
	nc      *nats.Conn
	records *bucket

	inbox string // what the reply subjects of requests begin with
	token atomic.Int64
	told  atomic.Bool                // Tell was called since the connection began; what it sent may be lost with the connection
	asked shared.Map[string, *parts] // answers that are read, by reply subject

	mu sync.Mutex

	reconnects  uint64    // that were noticed; guarded by mu
	reconnected time.Time // when the latest one was noticed; guarded by mu
}

var _ mcpcluster.Backplane = (*Backplane)(nil)

// New returns a backplane over nc, and makes the bucket of the records unless it is there. It fails if NATS cannot be reached or has no JetStream.
// The connection stays the caller's; it should be made with nats.MaxReconnects(-1) and nats.IgnoreAuthErrorAbort, so that it always comes back, a short
// nats.ReconnectWait, nats.ReconnectBufSize(-1), so that nothing is sent late, and nats.CustomInboxPrefix.
func New(ctx context.Context, nc *nats.Conn, o Options) (*Backplane, error) {
	defaults.Set(&o.Name, "mcp")
	o.Logger = cmp.Or(o.Logger, slog.Default())
	defaults.Set(&o.interval, 2*time.Second)
	records, err := openBucket(ctx, nc, bucketOptions{
		name: o.Name, suffix: "_sessions", description: "sessions of MCP", copies: o.Copies, inMemory: o.InMemory, maxBytes: o.MaxBytes, keys: o.Keys,
		large: 80 << 10, log: o.Logger, // the limits of a session: of its initialize request, and of its subscriptions
	})
	if err != nil {
		return nil, err
	}
	b := &Backplane{o: o, nc: nc, records: records, inbox: o.Name + ".answer." + rand.Text() + "."}
	if _, err := nc.Subscribe(b.inbox+"*", b.passPart); err != nil { // until nc is closed
		return nil, b.records.failure(err)
	}
	return b, nil
}

// Load implements [mcpcluster.Backplane].
func (b *Backplane) Load(ctx context.Context, session string) ([]byte, uint64, error) {
	record, revision, err := b.records.get(ctx, session)
	if errors.Is(err, errNoKey) {
		err = mcpcluster.ErrNoRecord
	}
	return record, revision, err
}

// Save implements [mcpcluster.Backplane].
func (b *Backplane) Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (uint64, error) {
	return b.records.put(ctx, session, record, revision, expires)
}

// Delete implements [mcpcluster.Backplane].
func (b *Backplane) Delete(ctx context.Context, session string, revision uint64) error {
	return b.records.delete(ctx, session, revision)
}

// Records returns the number of sessions that have a record.
func (b *Backplane) Records(ctx context.Context) (int, error) {
	keys, err := b.records.keys(ctx, "")
	return len(keys), err
}

// Ready implements [mcpcluster.Backplane].
func (b *Backplane) Ready() error { return b.records.usable() }

// Tell implements [mcpcluster.Backplane].
func (b *Backplane) Tell(message []byte) error {
	b.told.Store(true)
	err := b.tell(message)
	b.told.Store(true) // the connection may have been made again meanwhile
	if errors.Is(err, nats.ErrMaxPayload) {
		return &frame.TooLargeError{Size: int64(len(message)), Max: int(b.nc.MaxPayload()) - sealRoom}
	}
	return b.records.failure(err)
}

// tell sends a message to all replicas.
func (b *Backplane) tell(message []byte) error {
	return b.records.publish(b.nc, b.o.Name+".all", "", nil, message)
}

// settling reports whether the connection was made again so recently that other replicas may not have noticed yet that NATS is back.
func (b *Backplane) settling() bool {
	now := b.nc.Stats().Reconnects
	b.mu.Lock()
	defer b.mu.Unlock()
	if now != b.reconnects {
		b.reconnects, b.reconnected = now, time.Now()
	}
	return now > 0 && time.Since(b.reconnected) < b.o.interval
}
