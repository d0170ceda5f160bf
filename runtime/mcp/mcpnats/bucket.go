package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// bucket is a bucket of the key-value store of JetStream whose keys expire.
type bucket struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	name   string
	prefix string // Options.Name
}

// bucketOptions are the settings of a bucket.
type bucketOptions struct {
	name, suffix, description string
	copies                    int
	inMemory                  bool
	maxBytes                  int64
}

var nameOf = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ErrDisconnected means that there is no connection to NATS at present.
var ErrDisconnected = errors.New("mcpnats: there is no connection to NATS at present")

var (
	errNoJetStream = errors.New("JetStream is not available: start nats-server with -js, or wait until it is ready")

	errNoKey    = errors.New("mcpnats: there is no such key")
	errRevision = fmt.Errorf("mcpnats: the key has another revision: %w", mcpcluster.ErrConflict)
)

// openBucket returns a bucket, and makes it unless it is there. One that is there is not changed.
func openBucket(ctx context.Context, nc *nats.Conn, o bucketOptions) (b bucket, err error) {
	if o.name == "" {
		o.name = "mcp"
	}
	if !nameOf.MatchString(o.name) {
		return b, errors.New("mcpnats: Options.Name consists of letters, digits, - and _: " + strconv.Quote(o.name))
	}
	if o.maxBytes <= 0 {
		o.maxBytes = 1 << 30
	}
	b = bucket{nc: nc, name: o.name + o.suffix, prefix: o.name}
	if b.js, err = jetstream.New(nc); err == nil {
		b.kv, err = b.open(ctx, o)
	}
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		err = errNoJetStream
	}
	if err != nil {
		return b, fmt.Errorf("mcpnats: the %s in NATS at %q: %w", o.description, nc.ConnectedUrlRedacted(), err)
	}
	return b, nil
}

func (b *bucket) open(ctx context.Context, o bucketOptions) (jetstream.KeyValue, error) {
	if err := b.ready(); err != nil {
		return nil, err
	}
	kv, err := b.js.KeyValue(ctx, b.name)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	storage := jetstream.FileStorage
	if o.inMemory {
		storage = jetstream.MemoryStorage
	}
	kv, err = b.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: b.name, Description: o.description, History: 1, Storage: storage, Replicas: max(1, o.copies), MaxBytes: o.maxBytes,
		LimitMarkerTTL: markers,
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // another replica was first
		return b.js.KeyValue(ctx, b.name)
	}
	return kv, err
}

// markers is how long NATS keeps what is left of a key that was deleted or has expired.
const markers = time.Minute

// ready returns nil if there is a connection.
func (b *bucket) ready() error {
	if b.nc.Status() != nats.CONNECTED {
		return ErrDisconnected
	}
	return nil
}

// failure returns err, or ErrDisconnected if that is the reason.
func (b *bucket) failure(err error) error {
	if err != nil && b.ready() != nil {
		return ErrDisconnected
	}
	return err
}

// get returns the value of a key and its revision, or errNoKey.
func (b *bucket) get(ctx context.Context, key string) ([]byte, uint64, error) {
	entry, err := b.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, errNoKey
	}
	if err != nil {
		return nil, 0, b.failure(err)
	}
	return entry.Value(), entry.Revision(), nil
}

// anyRevision is for put.
const anyRevision = ^uint64(0)

// put stores a value if the key still has the given revision, 0 for a key that is not there, and returns the new one. Otherwise the error is
// errRevision. It publishes the value itself, because the key-value store of nats.go drops the time to live of a key that is updated.
func (b *bucket) put(ctx context.Context, key string, value []byte, revision uint64, expires time.Duration) (uint64, error) {
	if err := b.ready(); err != nil {
		return 0, err
	}
	o := []jetstream.PublishOpt{jetstream.WithMsgTTL(max(time.Second, (expires + time.Second - 1).Truncate(time.Second)))}
	if revision != anyRevision {
		o = append(o, jetstream.WithExpectLastSequencePerSubject(revision))
	}
	ack, err := b.js.Publish(ctx, "$KV."+b.name+"."+key, value, o...)
	if err != nil {
		return 0, b.changed(err)
	}
	return ack.Sequence, nil
}

// wrongSequence is another code of JetStream for a key that was changed.
const wrongSequence = 10164

// delete removes a key if it still has the given revision. Otherwise the error is errRevision.
func (b *bucket) delete(ctx context.Context, key string, revision uint64) error {
	if err := b.ready(); err != nil {
		return err
	}
	o := []jetstream.KVDeleteOpt{jetstream.PurgeTTL(markers)}
	if revision != anyRevision {
		o = append(o, jetstream.LastRevision(revision))
	}
	return b.changed(b.kv.Purge(ctx, key, o...))
}

// changed returns the error of a change to a key: errRevision if it has another revision.
func (b *bucket) changed(err error) error {
	if fault, ok := errors.AsType[*jetstream.APIError](err); ok && (fault.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || fault.ErrorCode == wrongSequence) {
		return errRevision
	}
	return b.failure(err)
}

// keys returns the keys that fit a filter, or all if it is empty.
func (b *bucket) keys(ctx context.Context, filter string) (all []string, err error) {
	if err := b.ready(); err != nil {
		return nil, err
	}
	if filter == "" {
		filter = ">"
	}
	found, err := b.kv.ListKeysFiltered(ctx, filter)
	if err != nil {
		return nil, b.failure(err)
	}
	for key := range found.Keys() {
		all = append(all, key)
	}
	return all, nil
}
