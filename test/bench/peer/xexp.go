package peer

import (
	"context"
	"io"

	"golang.org/x/exp/jsonrpc2"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// XExp takes the messages of golang.org/x/exp/jsonrpc2 without a connection.
func XExp() Dispatcher {
	return Dispatcher{Name: "x/exp/jsonrpc2", Dispatch: xexpDispatch, NoBatch: true, NoData: true}
}

func xexpDispatch(ctx context.Context, dst, msg []byte) []byte {
	m, err := jsonrpc2.DecodeMessage(msg)
	if err != nil {
		return dst
	}
	q, ok := m.(*jsonrpc2.Request)
	if !ok {
		return dst
	}
	result, failed := xexpHandle(ctx, q)
	r, err := jsonrpc2.NewResponse(q.ID, result, failed)
	if err != nil {
		return dst
	}
	answer, err := jsonrpc2.EncodeMessage(r)
	if err != nil {
		return dst
	}
	return append(dst, answer...)
}

func xexpHandle(_ context.Context, q *jsonrpc2.Request) (any, error) {
	result, failed := call(q.Method, &raw{q.Params})
	if failed != nil {
		return nil, jsonrpc2.NewError(failed.Code, failed.Message)
	}
	return result, nil
}

// XExpCaller connects two ends of golang.org/x/exp/jsonrpc2.
func XExpCaller() Caller {
	ctx := context.Background()
	there, back := make(chan []byte, 64), make(chan []byte, 64)
	l := &memoryListener{end: &memory{in: there, out: back}, done: make(chan struct{})}
	bind := jsonrpc2.ConnectionOptions{Framer: memoryFramer{}, Handler: jsonrpc2.HandlerFunc(xexpHandle)}
	server, err := jsonrpc2.Serve(ctx, l, bind)
	must(err)
	client, err := jsonrpc2.Dial(ctx, memoryDialer{&memory{in: back, out: there}}, bind)
	must(err)
	return checkingCaller("x/exp/jsonrpc2", func(ctx context.Context, p *work.CurrentParams, r *work.Report) error {
		return client.Call(ctx, work.MethodCurrent, p).Await(ctx, r)
	}, func() {
		close(there)
		close(back)
		close(l.done)
		server.Wait()
	})
}

// memory is one end of a connection that carries messages as they are: its framer takes the bytes of a message at a time.
type memory struct {
	in  <-chan []byte
	out chan<- []byte
}

// Read is never called.
func (*memory) Read([]byte) (int, error) { return 0, io.EOF }

// Write is never called.
func (*memory) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Close does nothing.
func (*memory) Close() error { return nil }

type memoryFramer struct{}

// Reader implements jsonrpc2.Framer.
func (memoryFramer) Reader(r io.Reader) jsonrpc2.Reader { return memoryReader{r.(*memory).in} }

// Writer implements jsonrpc2.Framer.
func (memoryFramer) Writer(w io.Writer) jsonrpc2.Writer { return memoryWriter{w.(*memory).out} }

type memoryReader struct{ in <-chan []byte }

// Read implements jsonrpc2.Reader.
func (r memoryReader) Read(context.Context) (jsonrpc2.Message, int64, error) {
	b, ok := <-r.in
	if !ok {
		return nil, 0, io.EOF
	}
	m, err := jsonrpc2.DecodeMessage(b)
	return m, int64(len(b)), err
}

type memoryWriter struct{ out chan<- []byte }

// Write implements jsonrpc2.Writer.
func (w memoryWriter) Write(_ context.Context, m jsonrpc2.Message) (int64, error) {
	b, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return 0, err
	}
	w.out <- b
	return int64(len(b)), nil
}

type memoryDialer struct{ end *memory }

// Dial implements jsonrpc2.Dialer.
func (d memoryDialer) Dial(context.Context) (io.ReadWriteCloser, error) { return d.end, nil }

// memoryListener accepts one connection.
type memoryListener struct {
	end  *memory
	done chan struct{}
}

// Accept implements jsonrpc2.Listener.
func (l *memoryListener) Accept(context.Context) (io.ReadWriteCloser, error) {
	if end := l.end; end != nil {
		l.end = nil
		return end, nil
	}
	<-l.done
	return nil, io.EOF
}

// Close implements jsonrpc2.Listener.
func (*memoryListener) Close() error { return nil }

// Dialer implements jsonrpc2.Listener.
func (*memoryListener) Dialer() jsonrpc2.Dialer { return nil }
