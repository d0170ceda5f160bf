package natsrpc

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/transporttest"
)

func TestContract(t *testing.T) {
	transporttest.Run(t, transporttest.Transport{CallsBack: true, Calls: func(t testing.TB, h, callbacks runtime.Handler) runtime.Conn {
		s := newSite(t)
		limits := runtime.Options{MaxMessage: transporttest.MaxFrame}
		for range 2 { // which share the calls
			s.serve(h, Options{MaxMessage: transporttest.MaxFrame, Runtime: limits})
		}
		return s.dial(callbacks, ClientOptions{MaxMessage: transporttest.MaxFrame, Runtime: limits})
	}})
}
