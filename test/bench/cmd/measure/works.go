package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"

	walks "github.com/rpcgen-go/rpcgen/runtime/gen/compact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/rpc"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// contestants outside of package peer.
const (
	rpcgenName = "rpcgen"
	floorValid = "sonic.Valid of the request"
	floorEcho  = "echo of canned bytes"
	singles    = "rpcgen, one at a time"
	overPipe   = "rpcgen, session"
	accepted   = "rpcgen, accepted"
	compact    = "rpcgen, compact codec"
	floorClock = "no timeout, but the clock read and 80 bytes allocated"
)

// dispatches measures every message, bytes to bytes.
func dispatches(s settings, only string) []row {
	ctx := context.Background()
	all := peer.Dispatchers()
	defer stopAll(all)
	var rows []row
	for _, m := range work.Messages() {
		id := "dispatch " + m.Name()
		if !strings.Contains(id, only) {
			continue
		}
		var list []contestant
		for _, d := range all {
			if m.Batch > 0 && d.NoBatch {
				continue
			}
			list = append(list, dispatch(ctx, d, m.Bytes, m.Batch))
		}
		switch {
		case m.Batch > 0:
			list = append(list, named(singles, dispatch(ctx, all[0], work.Find(work.Small).Bytes, 0)))
		case m.Code != 0:
			list = append(list, named(accepted, dispatch(ctx, all[0], work.Find(work.Small).Bytes, 0)))
		case m.Work == work.Small || m.Work == work.Typical:
			list = append(list, contestant{Name: floorValid, Run: func(n int) {
				for range n {
					sonic.Valid(m.Bytes)
				}
			}})
		}
		rows = append(rows, s.measure(id, m.Name(), list))
	}
	return rows
}

func dispatch(ctx context.Context, d peer.Dispatcher, msg []byte, batch int) contestant {
	buf := make([]byte, 0, 256<<10)
	return contestant{Name: d.Name, Per: batch, Run: func(n int) {
		for range n {
			buf = d.Dispatch(ctx, buf[:0], msg)
		}
	}}
}

// named is c with another name.
func named(name string, c contestant) contestant {
	c.Name = name
	return c
}

// timeouts measures the small call with and without a declared timeout, by dispatcher and by session.
func timeouts(s settings, only string) []row {
	var rows []row
	for _, d := range []peer.Dispatcher{peer.RPCGen(), peer.RPCGenSession()} {
		if id := "timeout " + d.Name; strings.Contains(id, only) {
			plain := dispatch(context.Background(), d, work.Find(work.Small).Bytes, 0)
			rows = append(rows, s.measure(id, d.Name+", a call with a declared timeout", []contestant{
				named("no timeout", plain), named("declared timeout", dispatch(context.Background(), d, work.Limited(), 0)), clocked(plain),
			}))
		}
		d.Stop()
	}
	return rows
}

// clocked also does what a deadline cannot do without: it reads the clock, and allocates a context.
func clocked(c contestant) contestant {
	var now time.Time
	var context *[80]byte
	return contestant{Name: floorClock, Run: func(n int) {
		for range n {
			now, context = time.Now(), new([80]byte)
			c.Run(1)
		}
		runtime.KeepAlive(now)
		runtime.KeepAlive(context)
	}}
}

// growth measures batches of growing size, to see that the price of one call stays.
func growth(s settings) []row {
	d := peer.RPCGen()
	var list []contestant
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		c := dispatch(context.Background(), d, work.Batch(n), n)
		c.Name = fmt.Sprintf("batch of %d", n)
		list = append(list, c)
	}
	return []row{s.measure("growth", "a call in a batch, by the size of the batch", list)}
}

// generated is what rpcgen writes for a type.
type generated interface {
	DecodeJSON(r *wire.Reader)
	AppendJSON(b []byte) []byte
}

// codecs measures typed values by themselves.
func codecs(s settings, only string) []row {
	var rows []row
	rows = append(rows, codec(s, only, "144 B params", &rpc.WeatherForecastParams{}, peer.CompactParams, work.ParamsValue)...)
	rows = append(rows, codec(s, only, "653 B result", &rpc.Forecast{}, peer.CompactResult, work.ResultValue)...)
	rows = append(rows, codec(s, only, "15 KB list", &rpc.CatalogListResult{}, peer.CompactList, work.List{Items: work.Items})...)
	for _, name := range work.Texts {
		var v work.Text
		if err := json.Unmarshal(work.TextDocument(name), &v); err != nil {
			panic(err)
		}
		rows = append(rows, codec(s, only, name, &rpc.TextEchoResult{}, peer.CompactText, v)...)
	}
	return rows
}

func codec[T any](s settings, only, title string, ours generated, listed walks.Walked, value T) []row {
	var rows []row
	doc := work.Document(value)
	if id := "decode " + title; strings.Contains(id, only) {
		var r wire.Reader
		var a, b, c T
		text := string(doc)
		list := []contestant{
			{Name: rpcgenName, Run: func(n int) {
				for range n {
					r.Reset(doc, 0, wire.MaxDepth)
					ours.DecodeJSON(&r)
					if r.Failed() {
						panic(title)
					}
				}
			}},
			{Name: "encoding/json", Run: func(n int) {
				for range n {
					must(json.Unmarshal(doc, &a))
				}
			}},
			{Name: "sonic", Run: func(n int) {
				for range n {
					must(sonic.Unmarshal(doc, &b))
				}
			}},
			{Name: "sonic, tuned", Run: func(n int) {
				for range n {
					must(sonic.ConfigFastest.UnmarshalFromString(text, &c))
				}
			}},
			{Name: "sonic.Valid", Run: func(n int) {
				for range n {
					sonic.Valid(doc)
				}
			}},
		}
		if listed != nil {
			list = slices.Insert(list, 1, contestant{Name: compact, Run: func(n int) {
				for range n {
					r.Reset(doc, 0, wire.MaxDepth)
					walks.WalkDecode(&r, listed)
				}
			}})
		}
		rows = append(rows, s.measure(id, "decode "+title, append(list, decodeV2[T](doc)...)))
	}
	if id := "encode " + title; strings.Contains(id, only) {
		var r wire.Reader
		r.Reset(doc, 0, wire.MaxDepth)
		ours.DecodeJSON(&r)
		buf := make([]byte, 0, 256<<10)
		list := []contestant{
			{Name: rpcgenName, Run: func(n int) {
				for range n {
					buf = ours.AppendJSON(buf[:0])
				}
			}},
			{Name: "encoding/json", Run: func(n int) {
				for range n {
					_, err := json.Marshal(&value)
					must(err)
				}
			}},
			{Name: "sonic", Run: func(n int) {
				for range n {
					_, err := sonic.Marshal(&value)
					must(err)
				}
			}},
			{Name: "sonic, tuned", Run: func(n int) {
				for range n {
					buf = buf[:0]
					must(encoder.EncodeInto(&buf, &value, encoder.NoQuoteTextMarshaler|encoder.NoValidateJSONMarshaler))
				}
			}},
		}
		if listed != nil {
			r.Reset(doc, 0, wire.MaxDepth)
			walks.WalkDecode(&r, listed)
			list = slices.Insert(list, 1, contestant{Name: compact, Run: func(n int) {
				for range n {
					buf = walks.WalkAppend(buf[:0], listed)
				}
			}})
		}
		rows = append(rows, s.measure(id, "encode "+title, append(list, encodeV2(value)...)))
	}
	return rows
}

// trips measures calls of a client that is connected to its server in memory.
func trips(s settings, only string) []row {
	var rows []row
	callers := peer.Callers()
	for _, n := range []int{1, 64} {
		id := fmt.Sprintf("round trip, callers=%d", n)
		if !strings.Contains(id, only) {
			continue
		}
		list := ir.Each(callers, func(c peer.Caller) contestant { return trip(c, n) })
		if n == 1 {
			list = append(list, echo())
		}
		rows = append(rows, s.measure(id, "round trip over memory, "+text.Counted(n, "caller"), list))
	}
	if id := "round trips side by side"; strings.Contains(id, only) {
		one, many := trip(callers[0], 1), trip(callers[0], 64)
		one.Name, many.Name = "1 caller", "64 callers"
		rows = append(rows, s.measure(id, "round trip of rpcgen, by the number of callers", []contestant{one, many}))
	}
	for _, c := range callers {
		c.Close()
	}
	return rows
}

func trip(c peer.Caller, callers int) contestant {
	exact := true
	p := work.CurrentParams{City: "San Francisco", Unit: "fahrenheit", Hours: 36, Exact: &exact}
	return contestant{Name: c.Name, Per: callers, Run: func(n int) {
		if callers == 1 {
			calls(c, &p, n)
			return
		}
		var group sync.WaitGroup
		for range callers {
			group.Go(func() { calls(c, &p, n) })
		}
		group.Wait()
	}}
}

func calls(c peer.Caller, p *work.CurrentParams, n int) {
	for range n {
		_, err := c.Call(context.Background(), p)
		must(err)
	}
}

// echo sends the bytes of the small call over rpcgen's pipe, and gets those of its answer back. Nobody looks at them.
func echo() contestant {
	near, far := pipe.New(0)
	request := work.Find(work.Small).Bytes
	response := peer.RPCGen().Dispatch(context.Background(), nil, request)
	go func() {
		for {
			if _, err := far.ReadFrame(); err != nil {
				return
			}
			must(far.WriteFrame(response))
		}
	}()
	return contestant{Name: floorEcho, Run: func(n int) {
		for range n {
			must(near.WriteFrame(request))
			_, err := near.ReadFrame()
			must(err)
		}
	}}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
