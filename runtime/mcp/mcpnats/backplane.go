// Package mcpnats connects the replicas of an MCP server over NATS: [New] returns an [mcphttp.Backplane], with which every request of every
// session may come to any replica. NATS needs JetStream, which keeps the records of sessions.
//
// All names in NATS begin with [Options].Name, here mcp:
//
//	KV_mcp_sessions     the bucket of the records, one key for each session
//	mcp.ask.<replica>   requests to a replica; the parts of the answer come to the reply subject, numbered by the header Part
//	mcp.gone.<replica>  reply subjects whose asking replica has gone
//	mcp.all             messages to all replicas
//
// What can write to these can end and continue sessions: give replicas an account or permissions of their own.
package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
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

	// MaxBytes limits the records of all sessions. If they are more, no session can begin, which is answered 503. A record takes about
	// 500 bytes and what its client has subscribed to. Zero means 1 GiB.
	MaxBytes int64

	// Logger receives errors. Nil means [slog.Default].
	Logger *slog.Logger

	interval time.Duration // how often a replica reports that it is still answering; tests change it
}

// Backplane connects replicas over a connection to NATS. It implements [mcphttp.Backplane].
type Backplane struct {
	o       Options
	nc      *nats.Conn
	js      jetstream.JetStream
	records jetstream.KeyValue
	bucket  string

	inbox string // what the reply subjects of requests begin with
	token atomic.Int64
	mu    sync.Mutex
	asked map[string]*parts // answers that are read, by reply subject
}

var _ mcphttp.Backplane = (*Backplane)(nil)

var nameOf = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ErrDisconnected means that there is no connection to NATS at present.
var ErrDisconnected = errors.New("mcpnats: there is no connection to NATS at present")

// New returns a backplane over nc, and makes the bucket of the records unless it is there. It fails if NATS cannot be reached or has no JetStream.
// The connection stays the caller's; it should be made with nats.MaxReconnects(-1), a short nats.ReconnectWait and
// nats.ReconnectBufSize(-1), so that nothing is sent late.
func New(ctx context.Context, nc *nats.Conn, o Options) (*Backplane, error) {
	if o.Name == "" {
		o.Name = "mcp"
	}
	if !nameOf.MatchString(o.Name) {
		return nil, errors.New("mcpnats: Options.Name consists of letters, digits, - and _: " + strconv.Quote(o.Name))
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.interval <= 0 {
		o.interval = 2 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	b := &Backplane{o: o, nc: nc, js: js, bucket: o.Name + "_sessions", inbox: nc.NewInbox() + ".", asked: make(map[string]*parts)}
	if b.records, err = b.open(ctx); err != nil {
		return nil, fmt.Errorf("mcpnats: the records of sessions in NATS at %q: %w", nc.ConnectedUrlRedacted(), err)
	}
	if _, err := nc.Subscribe(b.inbox+"*", b.answered); err != nil { // until nc is closed
		return nil, b.failure(err)
	}
	return b, nil
}

// open returns the bucket of the records. One that is there is not changed.
func (b *Backplane) open(ctx context.Context) (jetstream.KeyValue, error) {
	if err := b.Ready(); err != nil {
		return nil, err
	}
	records, err := b.js.KeyValue(ctx, b.bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return records, err
	}
	storage := jetstream.FileStorage
	if b.o.InMemory {
		storage = jetstream.MemoryStorage
	}
	records, err = b.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: b.bucket, Description: "sessions of MCP", History: 1, Storage: storage, Replicas: max(1, b.o.Copies), MaxBytes: b.o.MaxBytes,
		LimitMarkerTTL: markers,
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // another replica was first
		return b.js.KeyValue(ctx, b.bucket)
	}
	return records, err
}

// markers is how long NATS keeps what is left of a record that was deleted or has expired.
const markers = time.Minute

// Load implements [mcphttp.Backplane].
func (b *Backplane) Load(ctx context.Context, session string) ([]byte, uint64, error) {
	if !nameOf.MatchString(session) {
		return nil, 0, mcphttp.ErrNoRecord
	}
	entry, err := b.records.Get(ctx, session)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, mcphttp.ErrNoRecord
	}
	if err != nil {
		return nil, 0, b.failure(err)
	}
	return entry.Value(), entry.Revision(), nil
}

// Save implements [mcphttp.Backplane]. It publishes the record itself, because the key-value store of nats.go drops the time to live of a key
// that is updated.
func (b *Backplane) Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (uint64, error) {
	if err := b.Ready(); err != nil {
		return 0, err
	}
	if !nameOf.MatchString(session) {
		return 0, errors.New("mcpnats: a session has no valid id: " + strconv.Quote(session))
	}
	ack, err := b.js.Publish(ctx, "$KV."+b.bucket+"."+session, record,
		jetstream.WithExpectLastSequencePerSubject(revision), jetstream.WithMsgTTL(max(time.Second, expires.Round(time.Second))))
	if fault, ok := errors.AsType[*jetstream.APIError](err); ok && (fault.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || fault.ErrorCode == wrongSequence) {
		return 0, mcphttp.ErrConflict
	}
	if err != nil {
		return 0, b.failure(err)
	}
	return ack.Sequence, nil
}

// wrongSequence is another code of JetStream for a record that was changed.
const wrongSequence = 10164

// Delete implements [mcphttp.Backplane].
func (b *Backplane) Delete(ctx context.Context, session string) error {
	if err := b.Ready(); err != nil {
		return err
	}
	if !nameOf.MatchString(session) {
		return nil
	}
	return b.failure(b.records.Purge(ctx, session, jetstream.PurgeTTL(markers)))
}

// Records returns the number of sessions that have a record.
func (b *Backplane) Records(ctx context.Context) (int, error) {
	keys, err := b.records.ListKeys(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for range keys.Keys() {
		n++
	}
	return n, nil
}

// Ready implements [mcphttp.Backplane].
func (b *Backplane) Ready() error {
	if b.nc.Status() != nats.CONNECTED {
		return ErrDisconnected
	}
	return nil
}

// failure returns err, or ErrDisconnected if that is the reason.
func (b *Backplane) failure(err error) error {
	if err != nil && b.Ready() != nil {
		return ErrDisconnected
	}
	return err
}

// Tell implements [mcphttp.Backplane].
func (b *Backplane) Tell(message []byte) {
	if err := b.nc.Publish(b.o.Name+".all", message); err != nil {
		b.o.Logger.Warn("a message to the replicas could not be sent", "error", err) // they learn of the reconnection
	}
}
