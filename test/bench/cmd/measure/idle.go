package main

import (
	"context"
	"runtime"
	"time"

	rpcruntime "github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"

	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/rpc"
)

// idle is the memory of an idle session, including its end of the pipe.
type idle struct {
	Calls      int // before it waits
	Bytes      float64
	Goroutines float64
}

func measureIdle(calls int) idle {
	const pairs = 500
	h := peer.Handler()
	sessions := make([]*rpcruntime.Session, 0, 2*pairs)
	goroutines, before := runtime.NumGoroutine(), memory()
	for range pairs {
		a, b := pipe.New(0)
		server := rpcruntime.NewSession(context.Background(), b, h, rpcruntime.Options{Logger: peer.Quiet})
		client := rpcruntime.NewSession(context.Background(), a, nil, rpcruntime.Options{Logger: peer.Quiet})
		sessions = append(sessions, server, client)
		for range calls {
			_, err := rpc.NewClient(client).WeatherCurrent(context.Background(),
				rpc.WeatherCurrentParams{City: "Oslo", Unit: rpc.UnitKelvin, Hours: 1})
			must(err)
		}
	}
	time.Sleep(time.Second) // what is kept for the next call is given back
	after := memory()
	result := idle{calls, float64(after-before) / (2 * pairs), float64(runtime.NumGoroutine()-goroutines) / (2 * pairs)}
	for _, s := range sessions {
		s.Close()
		must(s.Wait())
	}
	return result
}

// memory returns the bytes in use by the heap and by stacks.
func memory() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
