package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	rpc "github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

const (
	rate = 100                   // calls a second that the server allows each session, once it limits them
	pace = 50 * time.Millisecond // between two calls of a client that keeps to the rate
)

// limit has the server limit the rate of each session from now on.
func (r *remote) limit() error {
	resp, err := http.Get("http://" + r.address + "/limit")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// flooded has clients call within the rate, first alone, then while others flood, and compares how long their calls take.
func flooded(ctx context.Context, r *remote, p plan) error {
	if p.flooding == 0 {
		return nil
	}
	if err := r.limit(); err != nil {
		return err
	}
	modest, err := open(ctx, p.modest, r.session)
	if err != nil {
		return err
	}
	floods, err := open(ctx, p.flooding, r.session)
	if err != nil {
		return err
	}
	defer func() {
		for _, s := range append(modest, floods...) {
			s.Close()
		}
	}()
	alone, err := callAll(ctx, modest, p.time, pace)
	if err != nil {
		return fmt.Errorf("a call within the rate failed: %w", err)
	}
	var refused int64
	var fault error
	var wg sync.WaitGroup
	wg.Go(func() { refused, fault = overflow(ctx, floods, p.time) })
	among, err := callAll(ctx, modest, p.time, pace)
	wg.Wait()
	if err != nil {
		return fmt.Errorf("a call within the rate failed while others flooded: %w", err)
	}
	fmt.Printf("%d clients within the rate: %s\nwhile %d others flood, %.0f of whose calls are refused a second: %s\n",
		p.modest, latencies(alone), p.flooding, float64(refused)/p.time.Seconds(), latencies(among))
	if fault == nil && refused == 0 {
		return errors.New("no call over the rate is refused")
	}
	return fault
}

// overflow has sessions send batches of calls for d, one batch after the other, and counts the calls that are refused.
func overflow(ctx context.Context, sessions []*rpc.Session, d time.Duration) (refused int64, err error) {
	all, err := each(ctx, sessions, d, func(ctx context.Context, s *rpc.Session) (all int64, err error) {
		for ctx.Err() == nil && err == nil {
			n := int64(0)
			n, err = batch(context.WithoutCancel(ctx), weather.NewClient(s))
			all += n
		}
		return all, err
	})
	for _, n := range all {
		refused += n
	}
	return refused, err
}

// batch makes calls in a batch, and returns how many of them were refused. A wrong answer is an error.
func batch(ctx context.Context, c *weather.Client) (refused int64, err error) {
	b := c.Batch()
	reports, errs := make([]weather.Report, 50), make([]func() error, 50)
	for i := range errs {
		errs[i] = b.WeatherCurrent(weather.WeatherCurrentParams{City: "Paris"}, &reports[i]).Err
	}
	if err := b.Send(ctx); err != nil {
		return 0, err
	}
	for i, errOf := range errs {
		err := check(reports[i], errOf())
		if failed, ok := errors.AsType[*rpc.Error](err); ok && failed.Code == when.CodeOverloaded && failed.Message == "Rate limited" {
			refused++
		} else if err != nil {
			return refused, err
		}
	}
	return refused, nil
}
