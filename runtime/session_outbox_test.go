package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

var background = context.Background()

// slowStream is a stream of which each write waits until the test lets it go on.
type slowStream struct {
	began  chan []byte   // what a write writes
	goOn   chan error    // its error
	closed chan struct{} // ends reading and writing
	once   sync.Once
}

func newSlowStream() *slowStream {
	return &slowStream{began: make(chan []byte), goOn: make(chan error), closed: make(chan struct{})}
}

func (s *slowStream) Read([]byte) (int, error) {
	<-s.closed
	return 0, io.EOF
}

func (s *slowStream) Write(p []byte) (int, error) {
	select {
	case s.began <- bytes.Clone(p):
	case <-s.closed:
		return 0, frame.ErrClosed
	}
	select {
	case err := <-s.goOn:
		return len(p), err
	case <-s.closed:
		return 0, frame.ErrClosed
	}
}

func (s *slowStream) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// slowSession returns a session on a slow stream.
func slowSession(max int) (*Session, *slowStream) {
	stream := newSlowStream()
	conn := frame.NewConn(frame.Lines.NewReader(stream, max), frame.Lines.NewWriter(stream, max), stream.Close)
	return NewSession(context.Background(), conn, nil, Options{Logger: slog.New(slog.DiscardHandler)}), stream
}

// next returns what the next write writes, and lets it go on.
func (s *slowStream) next(err error) string {
	p := <-s.began
	s.goOn <- err
	return string(p)
}

// TestGatheredFrames: frames that are sent during a write are written together, whole and in their order.
func TestGatheredFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := slowSession(100)
		defer s.Wait()
		defer s.Close()
		go s.post(background, []byte("first"), anAnswer, false)
		synctest.Wait()
		var want strings.Builder
		for i := range 20 {
			word := fmt.Sprint("frame ", i)
			if left, err := s.post(background, []byte(word), anAnswer, i%2 == 0); left != 1 || err != nil {
				t.Fatal(left, err)
			}
			want.WriteString(word + "\n")
		}
		for _, wrong := range []string{"two\nlines", strings.Repeat("x", 101)} {
			if _, err := s.post(background, []byte(wrong), anAnswer, false); err == nil || isFinal(err) {
				t.Errorf("%.10q: %v", wrong, err)
			}
		}
		if got := stream.next(nil); got != "first\n" {
			t.Errorf("got %q", got)
		}
		if got := stream.next(nil); got != want.String() {
			t.Errorf("got %q, want %q", got, want.String())
		}
		synctest.Wait()
		if s.life.running.Load() != 0 {
			t.Error("written frames still count as running")
		}
		s.rest()
		if s.out.spare != nil || s.out.frames != nil {
			t.Error("a session that rests keeps memory for frames")
		}
	})
}

// TestUnframed: a frame that cannot be framed is refused without a write, also by the goroutine that would write.
func TestUnframed(t *testing.T) {
	s, stream := slowSession(100)
	defer s.Wait()
	defer s.Close()
	for _, others := range []bool{false, true} {
		if _, err := s.post(background, []byte("a\nb"), anAnswer, others); err != frame.ErrNewline {
			t.Errorf("%v: %v", others, err)
		}
		go s.post(background, []byte("right"), anAnswer, others)
		if got := stream.next(nil); got != "right\n" {
			t.Errorf("%v: %q", others, got)
		}
	}
}

// TestGatherLimit: frames wait for room, at most until their context ends. One that is larger than the limit is taken when nothing else waits.
func TestGatherLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := slowSession(0)
		defer s.Wait()
		defer s.Close()
		ctx, cancel := context.WithCancel(context.Background())
		large := bytes.Repeat([]byte("x"), maxGathered+1)
		go s.post(background, []byte("first"), anAnswer, false)
		synctest.Wait()
		if _, err := s.post(ctx, large, aRequest, false); err != nil {
			t.Fatal(err)
		}
		var waiting atomic.Int32
		post := func(ctx context.Context, want error) {
			waiting.Add(1)
			if _, err := s.post(ctx, []byte("more"), aRequest, true); err != want {
				t.Errorf("got %v, want %v", err, want)
			}
			waiting.Add(-1)
		}
		go post(ctx, context.Canceled)
		go post(background, nil)
		synctest.Wait()
		if waiting.Load() != 2 {
			t.Error("a frame over the limit was taken")
		}
		cancel()
		synctest.Wait()
		if waiting.Load() != 1 {
			t.Error("the end of its context does not end waiting")
		}
		stream.next(nil)
		if got := stream.next(nil); len(got) != len(large)+1 {
			t.Errorf("%d bytes", len(got))
		}
		if got := stream.next(nil); got != "more\n" {
			t.Errorf("got %q", got)
		}
	})
}

// TestNotifyIsWritten: Notify returns when the notification is written, though another goroutine writes it.
func TestNotifyIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := slowSession(0)
		defer s.Wait()
		defer s.Close()
		go s.post(background, []byte("first"), anAnswer, false)
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		given, notified := make(chan error, 1), make(chan error, 1)
		go func() { given <- s.Notify(ctx, []byte("a")) }()
		synctest.Wait()
		go func() { notified <- s.Notify(context.Background(), []byte("b")) }()
		synctest.Wait()
		cancel()
		if err := <-given; err != context.Canceled {
			t.Error(err)
		}
		stream.next(nil)
		if got := string(<-stream.began); got != "a\nb\n" {
			t.Errorf("got %q", got)
		}
		select {
		case err := <-notified:
			t.Error("returned before it was written", err)
		default:
		}
		stream.goOn <- nil
		if err := <-notified; err != nil {
			t.Error(err)
		}
	})
}

// TestGatherFails: a connection that fails ends the session, fails the calls whose frames waited, and frees all that wait for room.
func TestGatherFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := slowSession(0)
		broken := errors.New("broken")
		go s.post(background, []byte("first"), anAnswer, false)
		synctest.Wait()
		failed := make(chan error, 3)
		go func() {
			_, err := s.Call(context.Background(), 1, []byte(`{"id":1}`))
			failed <- err
		}()
		synctest.Wait()
		go func() { failed <- s.Notify(context.Background(), []byte("note")) }()
		synctest.Wait()
		s.post(background, bytes.Repeat([]byte("x"), maxGathered/2), anAnswer, false)
		go func() {
			_, err := s.post(background, bytes.Repeat([]byte("x"), maxGathered), anAnswer, false)
			failed <- err
		}()
		synctest.Wait()
		stream.next(broken)
		for range cap(failed) {
			if err := <-failed; !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		}
		if err := s.Wait(); err != broken {
			t.Errorf("the session has ended with %v", err)
		}
		if _, err := s.post(background, []byte("late"), anAnswer, false); err != broken {
			t.Errorf("got %v", err)
		}
	})
}

// TestAnswersBeforeTheEnd: a session that shuts down writes the answers that were left to a goroutine of a caller.
func TestAnswersBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := slowSession(0)
		ctx := context.Background() // of a caller, which the lifecycle does not count
		go s.post(ctx, []byte("request"), aRequest, false)
		synctest.Wait()
		s.life.hold()
		s.post(background, []byte("answer"), anAnswer, false)
		s.leave()
		go s.Shutdown(ctx)
		synctest.Wait()
		if got := stream.next(nil) + stream.next(nil); got != "request\nanswer\n" {
			t.Errorf("got %q", got)
		}
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestHandOver: a goroutine does not write the frames of others for ever.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stream := slowSession(0)
		returned := make(chan struct{})
		go func() {
			s.post(context.Background(), []byte("own"), aRequest, false)
			close(returned)
		}()
		for i := range maxWrites + 2 {
			synctest.Wait()
			if i <= maxWrites && isDone(returned) {
				t.Error("returned after", i)
			}
			s.post(background, []byte("other"), anAnswer, false)
			stream.next(nil)
		}
		synctest.Wait()
		if !isDone(returned) {
			t.Error("the first goroutine still writes")
		}
		stream.next(nil)
		s.Shutdown(context.Background())
	})
}
