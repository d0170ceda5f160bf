package peer

import (
	"context"
	"net"
	"net/http"
	netrpc "net/rpc"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"

	"github.com/rpcgen-go/rpcgen/test/bench/pb"
	"github.com/rpcgen-go/rpcgen/test/bench/rpc"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// The contestants of transports. OverTCP is the one that the others are compared with.
const (
	OverTCP       = "rpcgen, TCP"
	OverWebSocket = "rpcgen, WebSocket"
	OverHTTP      = "rpcgen, HTTP"
	OverGathered  = "rpcgen, HTTP, gathered"
	OverGRPC      = "gRPC"
	OverConnect   = "connect"
	OverNetRPC    = "net/rpc"
)

// Transports connects typed clients to servers on ports of this machine, rpcgen over TCP first. Their servers have the same limits as
// in production: the defaults. All clients over HTTP/1.1 keep as many idle connections.
func Transports() []Caller {
	return []Caller{overTCP(), overWebSocket(), overHTTP(OverHTTP, nil), overHTTP(OverGathered, func(string) bool { return true }),
		overGRPC(), overConnect(), overNetRPC()}
}

// listen listens on a free port of this machine.
func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	return l
}

// serveHTTP serves h at the returned URL until the returned function is called.
func serveHTTP(h http.Handler) (url string, stop func()) {
	l := listen()
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go s.Serve(l)
	return "http://" + l.Addr().String() + "/rpc", func() { s.Close() }
}

// webClient returns the client over HTTP/1.1 that all contestants use.
func webClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
}

// generatedCaller is a caller with the generated client.
func generatedCaller(name string, conn runtime.Conn, stop func()) Caller {
	client := rpc.NewClient(conn)
	return Caller{Name: name, Close: stop, Call: func(ctx context.Context, p *work.CurrentParams) (work.Report, error) {
		r, err := client.WeatherCurrent(ctx, rpc.WeatherCurrentParams{City: p.City, Unit: rpc.Unit(p.Unit), Hours: p.Hours, Exact: *p.Exact})
		return work.Report{City: r.City, Degrees: r.Degrees, Unit: work.Unit(r.Unit), Humidity: r.Humidity, Summary: r.Summary}, err
	}}
}

func overTCP() Caller {
	l := listen()
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	options := tcp.WithOptions(runtime.Options{Logger: Quiet})
	go func() {
		tcp.Serve(ctx, l, Handler(), options)
		close(done)
	}()
	session, err := tcp.Dial(ctx, l.Addr().String(), nil, options)
	must(err)
	return generatedCaller(OverTCP, session, func() {
		session.Close()
		session.Wait()
		end()
		<-done
	})
}

func overWebSocket() Caller {
	options := runtime.Options{Logger: Quiet}
	h := websocket.NewHandler(Handler(), websocket.Options{Runtime: options})
	url, stop := serveHTTP(h)
	session, err := websocket.Dial(context.Background(), "ws"+url[len("http"):], nil, websocket.ClientOptions{Runtime: options})
	must(err)
	return generatedCaller(OverWebSocket, session, func() {
		session.Close()
		session.Wait()
		h.Close()
		stop()
	})
}

func overHTTP(name string, gather func(string) bool) Caller {
	url, stop := serveHTTP(rpchttp.NewHandler(Handler(), rpchttp.Options{Runtime: runtime.Options{Logger: Quiet}}))
	client := webClient()
	conn, err := rpchttp.Dial(url, rpchttp.ClientOptions{HTTP: client, Gather: gather})
	must(err)
	return generatedCaller(name, conn, func() {
		conn.Close()
		client.CloseIdleConnections()
		stop()
	})
}

// callerPB is a caller whose client sends Protocol Buffers.
func callerPB(name string, current func(context.Context, *pb.CurrentParams) (*pb.Report, error), stop func()) Caller {
	return checkingCaller(name, func(ctx context.Context, p *work.CurrentParams, r *work.Report) error {
		got, err := current(ctx, &pb.CurrentParams{City: p.City, Unit: string(p.Unit), Hours: p.Hours, Exact: p.Exact})
		if err == nil {
			*r = work.Report{City: got.City, Degrees: got.Degrees, Unit: work.Unit(got.Unit), Humidity: got.Humidity, Summary: got.Summary}
		}
		return err
	}, stop)
}

// currentPB is the service on the messages of Protocol Buffers.
func currentPB(p *pb.CurrentParams) (*pb.Report, error) {
	r, err := checkService(&work.CurrentParams{City: p.City, Unit: work.Unit(p.Unit), Hours: p.Hours, Exact: p.Exact}, work.Current)
	return &pb.Report{City: r.City, Degrees: r.Degrees, Unit: string(r.Unit), Humidity: r.Humidity, Summary: r.Summary}, err
}

// grpcOffice is the service for gRPC.
type grpcOffice struct{ pb.UnimplementedWeatherServer }

// Current answers the small call.
func (grpcOffice) Current(_ context.Context, p *pb.CurrentParams) (*pb.Report, error) {
	return currentPB(p)
}

func overGRPC() Caller {
	l := listen()
	s := grpc.NewServer()
	pb.RegisterWeatherServer(s, grpcOffice{})
	go s.Serve(l)
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	client := pb.NewWeatherClient(conn)
	return callerPB(OverGRPC, func(ctx context.Context, p *pb.CurrentParams) (*pb.Report, error) { return client.Current(ctx, p) }, func() {
		conn.Close()
		s.Stop()
	})
}

// overConnect is connect with its own protocol, over HTTP/1.1.
func overConnect() Caller {
	h := connect.NewUnaryHandler(pb.Weather_Current_FullMethodName, func(_ context.Context,
		r *connect.Request[pb.CurrentParams]) (*connect.Response[pb.Report], error) {
		report, err := currentPB(r.Msg)
		return connect.NewResponse(report), err
	})
	url, stop := serveHTTP(h)
	web := webClient()
	client := connect.NewClient[pb.CurrentParams, pb.Report](web, url)
	return callerPB(OverConnect, func(ctx context.Context, p *pb.CurrentParams) (*pb.Report, error) {
		got, err := client.CallUnary(ctx, connect.NewRequest(p))
		if err != nil {
			return nil, err
		}
		return got.Msg, nil
	}, func() {
		web.CloseIdleConnections()
		stop()
	})
}

// netOffice is the service for net/rpc.
type netOffice struct{}

// Current answers the small call.
func (netOffice) Current(p *work.CurrentParams, r *work.Report) (err error) {
	*r, err = checkService(p, work.Current)
	return err
}

// overNetRPC is net/rpc with gob over TCP.
func overNetRPC() Caller {
	l := listen()
	s := netrpc.NewServer()
	must(s.RegisterName("Weather", netOffice{}))
	go func() { // Accept of net/rpc logs that the listener is closed
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.ServeConn(c)
		}
	}()
	client, err := netrpc.Dial("tcp", l.Addr().String())
	must(err)
	return checkingCaller(OverNetRPC, func(_ context.Context, p *work.CurrentParams, r *work.Report) error {
		return client.Call("Weather.Current", p, r)
	}, func() {
		client.Close()
		l.Close()
	})
}
