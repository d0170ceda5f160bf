package runtime

import (
	"context"
	goruntime "runtime"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
)

const (
	maxGathered = 256 << 10 // bytes of frames that wait for one write; a single frame may be larger
	maxYields   = 3         // how often a goroutine yields before it writes
	maxWrites   = 8         // how often a goroutine writes frames of others before a new one takes over
)

// outbox writes the frames of a session whose connection is a [frame.Gatherer]. One goroutine writes at a time. What others send meanwhile waits, and that
// goroutine writes it next, all with one write.
//
// A goroutine that begins to write while other calls are in flight yields first, up to maxYields times as long as more arrives: writing to a socket takes
// longer than handling a small call, so the calls that can run do so first, and their frames share the write. A frame never waits for a timer, nor for
// anything but goroutines that are ready to run.
type outbox struct {
	s    *Session
	conn frame.Gatherer

	mu      sync.Mutex
	writing bool           // a goroutine writes, or yields before that
	counted bool           // the lifecycle counts the frames as running
	frames  []byte         // what is written next
	spare   []byte         // memory for later frames
	taken   uint64         // how many times frames were taken to be written
	written uint64         // how many times they have been written
	err     error          // the connection has failed
	room    inorder.Signal // frames are taken
	flushed inorder.Signal // frames are written
}

// post is [Session.post] for a [frame.Gatherer]. Answers count as running, so that the session does not end before they are written.
func (o *outbox) post(ctx context.Context, msg []byte, k kind, others bool) (left uint64, err error) {
	o.mu.Lock()
	for o.writing && o.err == nil && len(o.frames) > 0 && len(o.frames)+len(msg) > maxGathered {
		if err := o.room.Wait(ctx, &o.mu); err != nil {
			o.mu.Unlock()
			return 0, err
		}
	}
	if o.err != nil {
		o.mu.Unlock()
		return 0, o.err
	}
	if o.writing {
		o.frames, err = o.conn.AppendFrame(buffer.Room(o.frames, len(o.frames)+len(msg)+64), msg)
		if err == nil && k == anAnswer && !o.counted {
			o.counted = true
			o.s.life.hold()
		}
		left = o.taken + 1
		o.mu.Unlock()
		return left, err
	}
	o.writing = true
	most := maxWrites
	if k == anItem {
		most = 0 // another goroutine writes it, with those that follow meanwhile
	}
	if (others || k == anItem) && len(msg) <= maxGathered/4 { // a large frame is written at once, and not copied
		if o.frames, err = o.conn.AppendFrame(o.frames, msg); err == nil && k != anItem {
			o.yield()
		}
	} else {
		o.mu.Unlock()
		err = o.s.conn.WriteFrame(msg)
		o.mu.Lock()
		if err != nil && isFinal(err) {
			o.err = err
		}
	}
	if failed := o.drain(most); err == nil {
		err = failed
	}
	return 0, err
}

// yield lets goroutines that are ready to run add frames. It is called with the lock, as are drain and write.
func (o *outbox) yield() {
	for range maxYields {
		n := len(o.frames)
		o.mu.Unlock()
		goruntime.Gosched()
		o.mu.Lock()
		if len(o.frames) == n {
			return
		}
	}
}

// drain writes what waits, with at most so many writes; a new goroutine writes the rest. It returns without the lock. The error is that of the connection,
// which has then ended the session.
func (o *outbox) drain(most int) error {
	for n := 0; len(o.frames) > 0 && o.err == nil; n++ {
		if n == most {
			if !o.counted {
				o.counted = true
				o.s.life.hold()
			}
			o.mu.Unlock()
			go func() {
				o.mu.Lock()
				o.drain(-1)
			}()
			return nil
		}
		o.write()
	}
	err, counted := o.err, o.counted
	o.writing, o.counted = false, false
	if err != nil {
		o.frames, o.spare = nil, nil
	}
	o.room.Wake()
	o.flushed.Wake()
	o.mu.Unlock()
	if err != nil {
		o.s.shut(err)
	}
	if counted {
		o.s.leave()
	}
	return err
}

// write writes what waits with one write, for which it gives up the lock.
func (o *outbox) write() {
	frames := o.frames
	o.frames, o.spare = o.spare[:0], nil
	o.taken++
	o.room.Wake()
	o.mu.Unlock()
	err := o.conn.WriteFrames(frames)
	o.mu.Lock()
	o.written, o.err = o.taken, err
	o.flushed.Wake()
	o.spare = buffer.Keep(o.spare, frames)
}

// await waits until a frame that was left to another goroutine is written.
func (o *outbox) await(ctx context.Context, left uint64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.written < left && o.err == nil {
		if err := o.flushed.Wait(ctx, &o.mu); err != nil {
			return err
		}
	}
	if o.written < left {
		return o.err
	}
	return nil
}

// rest frees memory that is kept for later frames.
func (o *outbox) rest() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.spare = nil; !o.writing {
		o.frames = nil
	}
}
