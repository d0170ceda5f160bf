package natsrpc

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestDiscovery: the requests of package micro are answered, with the counts of each method.
func TestDiscovery(t *testing.T) {
	const document = `{"openrpc":"1.3.2","methods":[ {"name": "weather/current", "params": []}, {"name": "weather/ping"} ]}`
	s := newSite(t)
	s.serve(current(func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
		if p.Days == 1 {
			panic("one day")
		}
		time.Sleep(2 * time.Millisecond)
		return weather.Report{}, nil
	}), Options{Name: "office", Version: "1.2.3", Description: "reports", OpenRPC: []byte(document)})
	c := s.client(ClientOptions{})
	for days := range 3 {
		c.Current(t.Context(), weather.CurrentParams{City: "Paris", Days: int64(days)})
	}
	b := c.Batch()
	b.Current(paris, nil)
	b.Watch(paris) // which is not a method of the document
	if err := b.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	nc := s.connect()
	ask := func(subject string, v any) {
		t.Helper()
		m, err := nc.Request(subject, nil, patience)
		if err != nil {
			t.Fatal(subject, err)
		}
		if err := json.Unmarshal(m.Data, v); err != nil {
			t.Fatal(subject, err)
		}
	}
	var ping micro.Ping
	ask("$SRV.PING.office", &ping)
	if ping.Type != micro.PingResponseType || ping.Name != "office" || ping.Version != "1.2.3" {
		t.Errorf("got %+v", ping)
	}
	var info micro.Info
	ask("$SRV.INFO", &info)
	if len(info.Endpoints) != 3 || info.Description != "reports" {
		t.Fatalf("got %+v", info)
	}
	if e := info.Endpoints[0]; e.Name != "weather_current" || e.Subject != subject || e.QueueGroup != "q" ||
		e.Metadata["method"] != "weather/current" || e.Metadata["openrpc"] != `{"name":"weather/current","params":[]}` {
		t.Errorf("got %+v", e)
	}
	var stats micro.Stats
	ask("$SRV.STATS.office."+ping.ID, &stats)
	if e := stats.Endpoints[0]; e.NumRequests != 4 || e.NumErrors != 1 || e.LastError != "error -32603" || e.ProcessingTime < 6*time.Millisecond ||
		e.AverageProcessingTime != e.ProcessingTime/4 {
		t.Errorf("got %+v", e)
	}
	if e := stats.Endpoints[2]; e.Name != "other" || e.NumRequests != 1 {
		t.Errorf("got %+v", e)
	}
	if m, err := nc.Request(subject+".openrpc", nil, patience); err != nil || string(m.Data) != document {
		t.Errorf("got %v, %v", m, err)
	}
}
