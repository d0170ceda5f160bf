package pipe_test

import (
	"io"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
)

func TestMain(m *testing.M) { leak.Main(m) }

func TestContract(t *testing.T) {
	transporttest.Run(t, transporttest.Transport{
		Connect: func(testing.TB) (client, server frame.Conn) { return pipe.New(transporttest.MaxFrame) },
	})
}

func TestCloseWrite(t *testing.T) {
	a, b := pipe.New(0)
	a.WriteFrame([]byte("last"))
	a.CloseWrite()
	if got, err := b.ReadFrame(); string(got) != "last" || err != nil {
		t.Fatalf("got %s, %v", got, err)
	}
	if _, err := b.ReadFrame(); err != io.EOF {
		t.Fatalf("got %v", err)
	}
	if err := b.WriteFrame([]byte("still")); err != nil {
		t.Fatal(err)
	}
	if got, err := a.ReadFrame(); string(got) != "still" || err != nil {
		t.Fatalf("got %s, %v", got, err)
	}
	a.Close()
	if err := b.WriteFrame(nil); err != frame.ErrClosed {
		t.Fatalf("got %v", err)
	}
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe.New(0)
		go func() {
			synctest.Wait()
			b.Interrupt()
			synctest.Wait()
			a.WriteFrame([]byte("first"))
			a.WriteFrame([]byte("second"))
		}()
		if _, err := b.ReadFrame(); err != frame.ErrInterrupted {
			t.Fatalf("got %v", err)
		}
		if got, err := b.ReadFrame(); string(got) != "first" || err != nil {
			t.Fatalf("got %s, %v", got, err)
		}
		synctest.Wait() // until the second one is written, which comes before the interruption then
		b.Interrupt()
		if got, err := b.ReadFrame(); string(got) != "second" || err != nil {
			t.Fatalf("got %s, %v", got, err)
		}
		a.Close()
		if _, err := b.ReadFrame(); err != frame.ErrClosed {
			t.Fatalf("got %v", err)
		}
	})
}
