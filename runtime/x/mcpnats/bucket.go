package mcpnats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
)

// bucket is a bucket of the key-value store of JetStream whose keys expire. One that is lost, with the memory or the folder of NATS or because an operator
// has deleted it, is made again.
type bucket struct {
	o    bucketOptions
	nc   *nats.Conn
	js   jetstream.JetStream
	name string
	*sealer

	mu      sync.Mutex
	kv      jetstream.KeyValue
	fault   error     // why it could not be made again; nil if it is there
	tried   time.Time // when that was tried last
	opening bool      // it is being made again
	limit   int64     // bytes that NATS keeps at most
	used    int64     // bytes that it kept when it was looked at, and what was stored here since
	seen    int64     // the first part of it
	looked  time.Time // when that was
	there   time.Time // the same time by the clock of NATS
}

// bucketOptions are the settings of a bucket.
type bucketOptions struct {
	name, suffix, description string
	copies                    int
	inMemory                  bool
	maxBytes                  int64
	small                     int64 // by how many bytes a value may grow if there is no room for new ones
	large                     int64 // bytes of a value at most, if the keys of each owner begin with its name and a dot
	keys                      [][]byte
	log                       *slog.Logger
}

var nameOf = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// ErrDisconnected means that there is no connection to NATS at present.
var ErrDisconnected = errors.New("mcpnats: there is no connection to NATS at present")

var (
	errNoJetStream = errors.New("JetStream is not available: start nats-server with -js, or wait until it is ready")

	errNoKey    = errors.New("mcpnats: there is no such key")
	errShare    = errors.New("mcpnats: there is no room in NATS for more of one principal: see the option MaxBytes")
	errFull     = errors.New("mcpnats: there is no room for it in NATS: see the option MaxBytes")
	errStorage  = errors.New("mcpnats: NATS, or its account, has no room for more at present")
	errRevision = fmt.Errorf("mcpnats: the key has another revision: %w", mcpcluster.ErrConflict)
)

// openBucket returns a bucket, and makes it unless it is there. One that is there is changed only so that keys expire, and that all replicas read what is
// written; what else differs from the options is logged.
func openBucket(ctx context.Context, nc *nats.Conn, o bucketOptions) (b *bucket, err error) {
	defaults.Set(&o.name, "mcp")
	if !nameOf.MatchString(o.name) {
		return nil, errors.New("mcpnats: Options.Name consists of letters, digits, - and _: " + strconv.Quote(o.name))
	}
	b = &bucket{o: o, nc: nc, name: o.name + o.suffix}
	if b.sealer, err = newSealer(o.name, o.keys, o.log); err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(nc); err == nil {
		b.kv, err = b.open(ctx)
	}
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		err = errNoJetStream
	}
	if err != nil {
		return nil, fmt.Errorf("mcpnats: the %s in NATS at %q: %w", o.description, nc.ConnectedUrlRedacted(), err)
	}
	return b, nil
}

// open opens the bucket, and makes it unless it is there.
func (b *bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	if err := b.ready(); err != nil {
		return nil, err
	}
	_, err := b.js.KeyValue(ctx, b.name)
	for pause := 10 * time.Millisecond; errors.Is(err, jetstream.ErrBucketNotFound); pause *= 4 {
		err = b.create(ctx)
		if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.ErrorCode == storeFailed && pause < time.Second {
			select {
			case <-time.After(pause):
				err = jetstream.ErrBucketNotFound
			case <-ctx.Done():
			}
		}
	}
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) { // another replica was first
		return nil, err
	}
	return b.adapt(ctx)
}

// storeFailed is the code of NATS for a stream that cannot be stored, as while the files of one with its name that was deleted are still being removed.
const storeFailed jetstream.ErrorCode = 10049

func (b *bucket) create(ctx context.Context) error {
	storage := jetstream.FileStorage
	if b.o.inMemory {
		storage = jetstream.MemoryStorage
	}
	_, err := b.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: b.name, Description: b.o.description, History: 1, Storage: storage, Replicas: max(1, b.o.copies), MaxBytes: b.o.most(),
		LimitMarkerTTL: markers,
	})
	return err
}

// most returns how many bytes a bucket takes that has no limit of its own yet.
func (o *bucketOptions) most() int64 {
	if o.maxBytes <= 0 {
		return 1 << 30
	}
	return o.maxBytes
}

// adapt returns the bucket after its stream was changed if necessary. By default nats.go reads from any copy, which may lack what another replica has just
// written; a bucket that was made elsewhere may take no times to live; and what is left of an expired key would keep a home from saving it again.
func (b *bucket) adapt(ctx context.Context) (jetstream.KeyValue, error) {
	stream, err := b.js.Stream(ctx, "KV_"+b.name)
	if err != nil {
		return nil, err
	}
	config := stream.CachedInfo().Config
	if config.AllowDirect || !config.AllowMsgTTL || config.SubjectDeleteMarkerTTL > 0 {
		config.AllowDirect, config.AllowMsgTTL, config.SubjectDeleteMarkerTTL = false, true, 0
		if _, err := b.js.UpdateStream(ctx, config); err != nil {
			return nil, fmt.Errorf("the bucket %s has to take times to live and no direct reads: %w", b.name, err)
		}
	}
	o := b.o
	if o.copies > 0 && o.copies != config.Replicas || o.maxBytes > 0 && o.maxBytes != config.MaxBytes ||
		o.inMemory && config.Storage != jetstream.MemoryStorage {
		o.log.Warn("a bucket in NATS keeps the settings that it was made with, which are not those of the options",
			"bucket", b.name, "copies", config.Replicas, "maxBytes", config.MaxBytes, "storage", config.Storage.String())
	}
	b.note(stream.CachedInfo(), 0)
	return b.js.KeyValue(ctx, b.name) // which reads as the stream now says
}

// note keeps what NATS says of the bucket, to which n bytes are being added. It returns what there are then, and how many there may be.
func (b *bucket) note(info *jetstream.StreamInfo, n int64) (used, limit int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looked, b.there, b.seen = time.Now(), info.TimeStamp, int64(info.State.Bytes)
	b.used = b.seen + n
	if b.limit = info.Config.MaxBytes; b.limit <= 0 {
		b.limit = b.o.most()
	}
	return b.used, b.limit
}

// now returns the time by the clock of NATS, which is the same for all replicas.
func (b *bucket) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.there.Add(time.Since(b.looked))
}

// most returns how many bytes NATS keeps at most.
func (b *bucket) most() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit
}

// room returns errFull if a value cannot be stored because there is no room for new ones: what is left of the limit then is for values that are there.
// While less than half of the limit is used, it asks NATS once a second, or after a sixteenth of the limit: other replicas store, too.
func (b *bucket) room(ctx context.Context, key string, size int64, revision uint64) error {
	b.mu.Lock()
	b.used += size
	roomy := b.used < b.limit/2 && b.used-b.seen < b.limit/16 && time.Since(b.looked) < time.Second
	b.mu.Unlock()
	if roomy {
		return nil
	}
	stream, err := b.js.Stream(ctx, "KV_"+b.name)
	if err != nil {
		return err
	}
	used, limit := b.note(stream.CachedInfo(), size)
	if owner, _, owned := strings.Cut(key, "."); owned && b.o.large > 0 && revision == 0 && used > limit/2 {
		if n, err := b.count(ctx, owner); err != nil || n >= max(1, limit/2/b.o.large) {
			return cmp.Or(err, errShare)
		}
	}
	if mcptask.Fits(size, used-size, limit, 0) {
		return nil
	}
	if revision > 0 {
		switch old, _, err := b.get(ctx, key); {
		case err != nil && !errors.Is(err, errNoKey):
			return err
		case err == nil && mcptask.Fits(size-cost(key, old), used-size, limit, b.o.small):
			return nil
		}
	}
	return errFull
}

// count returns how many keys of an owner there are, with those that were deleted within the last minute.
func (b *bucket) count(ctx context.Context, owner string) (int64, error) {
	all := jetstream.ConsumerConfig{FilterSubject: "$KV." + b.name + "." + owner + ".*", AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true}
	c, err := b.js.CreateConsumer(ctx, "KV_"+b.name, all)
	if err != nil {
		return 0, err
	}
	return int64(c.CachedInfo().NumPending), b.js.DeleteConsumer(ctx, "KV_"+b.name, c.CachedInfo().Name)
}

// cost returns about how many bytes NATS takes for a value.
func cost(key string, value []byte) int64 { return int64(150 + len(key) + len(value)) }

// store returns the bucket, as it was opened last.
func (b *bucket) store() jetstream.KeyValue {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kv
}

// use calls f with the bucket, and once more if it was lost and could be made again.
func (b *bucket) use(ctx context.Context, f func(kv jetstream.KeyValue) error) error {
	if err := b.ready(); err != nil {
		return err
	}
	err := f(b.store())
	gone := []error{jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, jetstream.ErrNoStreamResponse, nats.ErrStreamNotFound, nats.ErrNoResponders}
	if slices.ContainsFunc(gone, func(gone error) bool { return errors.Is(err, gone) }) && b.reopen(ctx) == nil {
		err = f(b.store())
	}
	return err
}

// reopen opens the bucket again, by one goroutine at a time.
func (b *bucket) reopen(ctx context.Context) error {
	b.mu.Lock()
	if b.opening {
		defer b.mu.Unlock()
		return cmp.Or(b.fault, ErrDisconnected)
	}
	b.opening, b.tried = true, time.Now()
	b.mu.Unlock()
	kv, err := b.open(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opening, b.fault = false, err
	if err == nil {
		b.kv = kv
	}
	return err
}

// usable returns nil if there is a connection and the bucket was there when it was used last. Otherwise it is opened again, once a second.
func (b *bucket) usable() error {
	if err := b.ready(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault != nil && !b.opening && time.Since(b.tried) > time.Second {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_ = b.reopen(ctx)
		}()
	}
	return b.fault
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

// record is the kind of the texts in a bucket.
const record = "record"

// get returns the value of a key and its revision, or errNoKey, also if the value cannot be opened.
func (b *bucket) get(ctx context.Context, key string) ([]byte, uint64, error) {
	var entry jetstream.KeyValueEntry
	err := b.use(ctx, func(kv jetstream.KeyValue) (err error) {
		entry, err = kv.Get(ctx, key)
		return err
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrInvalidKey) {
		return nil, 0, errNoKey
	}
	if err != nil {
		return nil, 0, b.failure(err)
	}
	value, ok := b.unseal(entry.Value(), record, b.name, key)
	if !ok {
		return nil, 0, errNoKey
	}
	return value, entry.Revision(), nil
}

// anyRevision is for put.
const anyRevision = ^uint64(0)

// put stores a value if the key still has the given revision, 0 for a key that is not there, and returns the new one. Otherwise the error is
// errRevision, or errFull or errStorage; with anyRevision it is stored in any case. It publishes the value itself, because the key-value store of nats.go drops
// the time to live of a key that is updated.
func (b *bucket) put(ctx context.Context, key string, value []byte, revision uint64, expires time.Duration) (uint64, error) {
	o := []jetstream.PublishOpt{jetstream.WithMsgTTL(max(time.Second, (expires + time.Second - 1).Truncate(time.Second)))}
	if revision != anyRevision {
		o = append(o, jetstream.WithExpectLastSequencePerSubject(revision))
	}
	var ack *jetstream.PubAck
	err := b.use(ctx, func(jetstream.KeyValue) (err error) {
		if revision != anyRevision {
			if err := b.room(ctx, key, cost(key, value), revision); err != nil {
				return err
			}
		}
		ack, err = b.js.Publish(ctx, "$KV."+b.name+"."+key, b.seal(value, record, b.name, key), o...)
		return err
	})
	if err != nil {
		return 0, b.changeError(err)
	}
	return ack.Sequence, nil
}

// Codes of JetStream that nats.go has no names for.
const (
	wrongSequence  = 10164 // another one for a key that was changed
	outOfRoom      = 10077 // the bucket is full
	outOfStorage   = 10047 // the storage is
	outOfMemory    = 10028
	outOfResources = 10002 // the account is
)

// delete removes a key if it still has the given revision. Otherwise the error is errRevision.
func (b *bucket) delete(ctx context.Context, key string, revision uint64) error {
	o := []jetstream.KVDeleteOpt{jetstream.PurgeTTL(markers)}
	if revision != anyRevision {
		o = append(o, jetstream.LastRevision(revision))
	}
	return b.changeError(b.use(ctx, func(kv jetstream.KeyValue) error { return kv.Purge(ctx, key, o...) }))
}

// changeError returns the error of a change to a key: errRevision if it has another revision, errFull if there is no room in the bucket, and
// errStorage if there is none in NATS, which is not for ever.
func (b *bucket) changeError(err error) error {
	if fault, ok := errors.AsType[*jetstream.APIError](err); ok {
		switch fault.ErrorCode {
		case jetstream.JSErrCodeStreamWrongLastSequence, wrongSequence:
			return errRevision
		case outOfRoom:
			return errFull
		case outOfStorage, outOfMemory, outOfResources:
			return errStorage
		}
	}
	return b.failure(err)
}

// each calls f with the keys that fit a filter, and their values unless o says that only keys are wanted. Values that cannot be opened are left out.
func (b *bucket) each(ctx context.Context, filter string, f func(key string, value []byte), o ...jetstream.WatchOpt) error {
	var found jetstream.KeyWatcher
	err := b.use(ctx, func(kv jetstream.KeyValue) (err error) {
		found, err = kv.Watch(ctx, filter, append(o, jetstream.IgnoreDeletes())...)
		return err
	})
	if err != nil {
		return b.failure(err)
	}
	defer found.Stop()
	for {
		select {
		case entry, open := <-found.Updates():
			switch {
			case !open:
				return cmp.Or(ctx.Err(), error(ErrDisconnected))
			case entry == nil: // these were all
				return nil
			}
			value, ok := entry.Value(), true
			if len(o) == 0 {
				value, ok = b.unseal(value, record, b.name, entry.Key())
			}
			if ok {
				f(entry.Key(), value)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keys returns the keys that fit a filter, or all if it is empty.
func (b *bucket) keys(ctx context.Context, filter string) (all []string, err error) {
	err = b.each(ctx, cmp.Or(filter, ">"), func(key string, _ []byte) { all = append(all, key) }, jetstream.MetaOnly())
	return all, err
}
