package mcpcluster

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
)

// Memory is a [Backplane] for handlers of one process, for instance in tests: each of them is a replica.
type Memory struct {
	mu       sync.Mutex
	records  map[string]*memoryRecord
	revision uint64 // of the latest Save
	replicas map[string]*memoryReplica
}

type memoryRecord struct {
	data     []byte
	revision uint64
	expires  *time.Timer
}

// memoryReplica is a replica with the messages that it has not heard yet.
type memoryReplica struct {
	Replica
	ctx  context.Context // of Answer; ends with leave
	end  context.CancelFunc
	wake chan struct{} // holds a token if there are messages
	done chan struct{} // closed when listen has ended

	mu       sync.Mutex
	messages [][]byte
}

// NewMemory returns a backplane without replicas.
func NewMemory() *Memory {
	return &Memory{records: make(map[string]*memoryRecord), replicas: make(map[string]*memoryReplica)}
}

// Load implements [Backplane].
func (m *Memory) Load(ctx context.Context, session string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[session]
	if r == nil {
		return nil, 0, ErrNoRecord
	}
	return r.data, r.revision, ctx.Err()
}

// Save implements [Backplane].
func (m *Memory) Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[session]
	switch {
	case r == nil && revision != 0, r != nil && r.revision != revision:
		return 0, ErrConflict
	case r == nil:
		r = new(memoryRecord)
		m.records[session] = r
	default:
		r.expires.Stop()
	}
	m.revision++
	now := m.revision
	r.data, r.revision = bytes.Clone(record), now
	r.expires = time.AfterFunc(expires, func() { m.expire(session, now) })
	return now, nil
}

// expire removes a record that was not saved again.
func (m *Memory) expire(session string, revision uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.records[session]; r != nil && r.revision == revision {
		delete(m.records, session)
	}
}

// Delete implements [Backplane].
func (m *Memory) Delete(ctx context.Context, session string, revision uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.records[session]
	if r == nil || r.revision != revision {
		return ErrConflict
	}
	r.expires.Stop()
	delete(m.records, session)
	return ctx.Err()
}

// Records returns the number of sessions that have a record.
func (m *Memory) Records() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.records)
}

// Join implements [Backplane].
func (m *Memory) Join(r Replica) (leave func(), err error) {
	own := &memoryReplica{Replica: r, wake: make(chan struct{}, 1), done: make(chan struct{})}
	own.ctx, own.end = context.WithCancel(context.Background())
	m.mu.Lock()
	m.replicas[r.Name] = own
	m.mu.Unlock()
	go own.listen()
	return func() {
		m.mu.Lock()
		if m.replicas[r.Name] == own {
			delete(m.replicas, r.Name)
		}
		m.mu.Unlock()
		own.end()
		<-own.done
	}, nil
}

// listen passes messages on.
func (r *memoryReplica) listen() {
	defer close(r.done)
	for {
		select {
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
		r.mu.Lock()
		messages := r.messages
		r.messages = nil
		r.mu.Unlock()
		for _, message := range messages {
			r.Heard(message)
		}
	}
}

// Tell implements [Backplane].
func (m *Memory) Tell(message []byte) error {
	message = bytes.Clone(message)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.replicas {
		r.mu.Lock()
		r.messages = append(r.messages, message)
		r.mu.Unlock()
		wake.Up(r.wake)
	}
	return nil
}

// Ask implements [Backplane].
func (m *Memory) Ask(ctx context.Context, replica string, request []byte, part func([]byte) error) error {
	m.mu.Lock()
	r := m.replicas[replica]
	m.mu.Unlock()
	if r == nil {
		return ErrNoReplica
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	parts := make(chan memoryPart)
	go func() {
		defer close(parts)
		r.Answer(inner, bytes.Clone(request), func(part []byte, last bool) error {
			if inner.Err() != nil { // also if the part would be taken at the same time
				return inner.Err()
			}
			select {
			case parts <- memoryPart{bytes.Clone(part), last}:
				return nil
			case <-inner.Done():
				return inner.Err()
			}
		})
	}()
	for {
		select {
		case p, more := <-parts:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !more {
				return ErrLost // without a last part
			}
			if err := part(p.data); err != nil || p.last {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-r.ctx.Done():
			return ErrLost
		}
	}
}

type memoryPart struct {
	data []byte
	last bool
}

// Ready implements [Backplane].
func (*Memory) Ready() error { return nil }
