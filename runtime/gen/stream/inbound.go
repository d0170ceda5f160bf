package stream

import (
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
)

// inbound is what waits for the reader of a stream. Items and the end are put in by the goroutine that reads messages.
type inbound struct {
	form *Form

	// The lock of streams guards these.
	id     wire.ID
	key    key         // of id; zero until the id is known
	forget func() bool // see [runtime.Tap]

	mu     sync.Mutex
	items  []item
	bytes  int
	missed int
	over   bool // nothing is taken any more
	reply  []byte
	err    error
	news   inorder.Signal
	room   inorder.Signal // of items that wait for it, see receive
}

type item struct {
	text []byte
	size int // of the memory that it keeps
}

// put adds an item. It reports false if the reader is too slow, and the stream has to be ended.
func (s *inbound) put(text []byte, size int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return true
	}
	for s.fullLocked(size) {
		if !s.form.Oldest {
			s.finishLocked(nil, runtime.ErrSlowReader)
			return false
		}
		s.bytes -= s.items[0].size
		s.items[0].text = nil
		s.items = s.items[1:]
		s.missed++
	}
	s.items = append(s.items, item{text, size})
	s.bytes += size
	s.news.Wake()
	return true
}

// fullLocked reports whether there is no room for an item.
func (s *inbound) fullLocked(size int) bool {
	return len(s.items) > 0 && (len(s.items) >= s.form.items() || s.bytes+size > s.form.bytes())
}

// finish ends the stream with the response, or an error. Items that came before can still be taken. Only the first call has an effect.
func (s *inbound) finish(reply []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finishLocked(reply, err)
}

func (s *inbound) finishLocked(reply []byte, err error) {
	if !s.over {
		s.over, s.reply, s.err = true, reply, err
		s.news.Wake()
		s.room.Wake()
	}
}

// leave ends the stream because its reader has left, and reports whether that was before its end. What was not taken goes, and is not passed over in silence.
func (s *inbound) leave(err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.over
	if s.finishLocked(nil, err); len(s.items) > 0 && s.err == nil {
		s.reply, s.err = nil, err
	}
	s.items, s.bytes = nil, 0
	return first
}

// left reports whether nothing is taken any more.
func (s *inbound) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// next waits for an item. After the last one, text is nil, and the others are what the stream has ended with.
func (s *inbound) next(ctx context.Context) (text, reply []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.items) == 0 {
		if s.over {
			return nil, s.reply, s.err
		}
		if s.news.Wait(ctx, &s.mu) != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	first := s.items[0]
	s.items[0].text = nil
	s.items = s.items[1:]
	s.bytes -= first.size
	s.room.Wake()
	return first.text, nil, nil
}
