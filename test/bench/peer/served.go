package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	coder "github.com/coder/websocket"
	geth "github.com/ethereum/go-ethereum/rpc"
	gorilla "github.com/gorilla/rpc/v2"
	"github.com/gorilla/rpc/v2/json2"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/websocket"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// Served is a contestant that answers the typical call on a port of this machine.
type Served struct {
	Name      string
	Message   []byte // names of methods and the place of params differ
	HTTP      http.Handler
	WebSocket http.Handler // nil: it has none
	Close     func()       // nil: there is nothing to close
}

// Stop ends what the contestant has running.
func (s Served) Stop() {
	if s.Close != nil {
		s.Close()
	}
}

// ServedAll returns the contestants, rpcgen first, and last a server that reads a message and answers bytes that are there.
func ServedAll() []Served {
	typical := work.Find(work.Typical)
	answer := RPCGen().Dispatch(context.Background(), nil, typical.Bytes)
	return []Served{rpcgenServed(typical.Bytes), gethServed(typical.Bytes), gorillaServed(typical.Bytes),
		{Name: "canned bytes", Message: typical.Bytes, HTTP: Canned(answer), WebSocket: cannedSocket(answer)}}
}

func rpcgenServed(msg []byte) Served {
	options := runtime.Options{Logger: Quiet}
	sockets := websocket.NewHandler(Handler(), websocket.Options{Runtime: options})
	return Served{Name: "rpcgen", Message: msg, HTTP: rpchttp.NewHandler(Handler(), rpchttp.Options{Runtime: options}), WebSocket: sockets,
		Close: func() { sockets.Close() }}
}

// gethServed is the rpc package of go-ethereum, whose params are positional.
func gethServed(msg []byte) Served {
	s := geth.NewServer()
	must(s.RegisterName("weather", gethOffice{}))
	msg = bytes.Replace(msg, []byte("weather/forecast"), []byte("weather_forecast"), 1)
	msg = bytes.Replace(msg, []byte(`"params":{`), []byte(`"params":[{`), 1)
	msg = append(bytes.TrimSuffix(msg, []byte("}}")), "}]}"...)
	return Served{Name: "go-ethereum/rpc", Message: msg, HTTP: s, WebSocket: s.WebsocketHandler([]string{"*"}), Close: s.Stop}
}

type gethOffice struct{}

// Forecast answers the typical call.
func (gethOffice) Forecast(p work.ForecastParams) (work.Forecast, error) {
	return checkService(&p, work.WeekForecast)
}

// gorillaServed is gorilla/rpc with its codec of JSON-RPC 2.0.
func gorillaServed(msg []byte) Served {
	s := gorilla.NewServer()
	s.RegisterCodec(json2.NewCodec(), "application/json")
	must(s.RegisterService(gorillaOffice{}, "weather"))
	return Served{Name: "gorilla/rpc", Message: bytes.Replace(msg, []byte("weather/forecast"), []byte("weather.Forecast"), 1), HTTP: s}
}

type gorillaOffice struct{}

// Forecast answers the typical call.
func (gorillaOffice) Forecast(_ *http.Request, p *work.ForecastParams, f *work.Forecast) (err error) {
	*f, err = checkService(p, work.WeekForecast)
	return err
}

// cannedSocket answers every message with the same bytes.
func cannedSocket(answer []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := coder.Accept(w, r, nil)
		if err != nil {
			return
		}
		for {
			kind, _, err := c.Read(context.Background())
			if err != nil || c.Write(context.Background(), kind, answer) != nil {
				c.CloseNow()
				return
			}
		}
	})
}

// Socket is a client of a server of WebSocket. All contestants have the same one.
type Socket struct{ conn *coder.Conn }

// Dial connects to a server.
func (w *Web) Dial() (*Socket, error) {
	c, _, err := coder.Dial(context.Background(), "ws"+strings.TrimPrefix(w.url, "http"), nil)
	return &Socket{c}, err
}

// Call sends a message and returns the answer.
func (s *Socket) Call(msg []byte) ([]byte, error) {
	if err := s.conn.Write(context.Background(), coder.MessageText, msg); err != nil {
		return nil, err
	}
	_, answer, err := s.conn.Read(context.Background())
	return answer, err
}

// Close ends the connection.
func (s *Socket) Close() error { return s.conn.CloseNow() }

// CheckTypical returns why an answer is not that of the typical call, or nil.
func CheckTypical(answer []byte) error {
	var got struct {
		ID     int
		Result work.Forecast
	}
	want := work.Forecast{City: "San Francisco, California, United States", Unit: "fahrenheit", Days: work.Week}
	if err := json.Unmarshal(answer, &got); err != nil || got.ID != 42 || !reflect.DeepEqual(got.Result, want) {
		return fmt.Errorf("%w: %.300s", err, answer)
	}
	return nil
}
