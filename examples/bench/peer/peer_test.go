package peer_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/examples/bench/peer"
	"github.com/rpcgen-go/rpcgen/examples/bench/work"
)

// TestSameAnswers: every contestant answers every message with the same JSON.
func TestSameAnswers(t *testing.T) {
	all := peer.Dispatchers()
	for _, m := range work.Messages() {
		if err := peer.SameAnswers(t.Context(), all, &m); err != nil {
			t.Error(err)
		}
		answer := all[0].Dispatch(t.Context(), nil, m.Bytes)
		t.Logf("%-28s %6d bytes in, %6d bytes out", m.Name(), len(m.Bytes), len(answer))
	}
	t.Logf("params of %d bytes, a result of %d bytes", len(work.Document(work.ParamsValue)), len(work.Document(work.ResultValue)))
	for _, d := range all {
		if d.Close != nil {
			d.Close()
		}
	}
}

// TestSameCalls: every client gets the same result.
func TestSameCalls(t *testing.T) {
	exact := true
	p := work.CurrentParams{City: "Oslo", Unit: "kelvin", Hours: 1, Exact: &exact}
	for _, c := range peer.Callers() {
		got, err := c.Call(t.Context(), &p)
		if err != nil || got != work.Current(&p) {
			t.Errorf("%s: %+v, %v", c.Name, got, err)
		}
		if _, err := c.Call(t.Context(), &work.CurrentParams{City: "Oslo", Unit: "kelvin", Exact: &exact}); err == nil {
			t.Errorf("%s: params that break a rule are sent", c.Name)
		}
		c.Close()
	}
}
