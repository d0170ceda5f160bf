package peer_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bytedance/sonic"

	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/rpc"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
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

// TestSameToolAnswers: every MCP server calls and lists the same tools, and refuses the same arguments.
func TestSameToolAnswers(t *testing.T) {
	all := peer.ToolServers()
	for _, m := range work.ToolMessages() {
		if err := peer.SameToolAnswers(t.Context(), all, &m); err != nil {
			t.Error(err)
		}
		t.Logf("%-28s %6d bytes in, %6d bytes out", m.Work, len(m.Bytes), len(all[0].Dispatch(t.Context(), nil, m.Bytes)))
	}
	for _, s := range all {
		if s.Close != nil {
			s.Close()
		}
	}
}

// TestSameDocuments: every contestant reads and writes the documents that are measured by themselves in the same way.
func TestSameDocuments(t *testing.T) {
	sameDocument(t, work.ParamsValue, &rpc.WeatherForecastParams{})
	sameDocument(t, work.ResultValue, &rpc.Forecast{})
	sameDocument(t, work.List{Items: work.Items}, &rpc.CatalogListResult{})
	for _, name := range work.Texts {
		var v work.Text
		if err := json.Unmarshal(work.TextDocument(name), &v); err != nil {
			t.Fatal(err)
		}
		sameDocument(t, v, &rpc.TextEchoResult{})
	}
}

func sameDocument[T any](t *testing.T, value T, ours json.Unmarshaler) {
	t.Helper()
	doc := work.Document(value)
	var bySonic T
	if err := sonic.Unmarshal(doc, &bySonic); err != nil || !reflect.DeepEqual(bySonic, value) {
		t.Errorf("sonic reads %+v, %v", bySonic, err)
	}
	if err := ours.UnmarshalJSON(doc); err != nil {
		t.Error(err)
	}
	for name, marshal := range map[string]func() ([]byte, error){
		"rpcgen": func() ([]byte, error) { return json.Marshal(ours) },
		"sonic":  func() ([]byte, error) { return sonic.Marshal(&value) },
	} {
		var again T
		b, err := marshal()
		if err == nil {
			err = json.Unmarshal(b, &again)
		}
		if err != nil || !reflect.DeepEqual(again, value) {
			t.Errorf("%s writes %.300s, %v", name, b, err)
		}
	}
}

// TestSameCalls: every client gets the same result, and sends no params that break a rule.
func TestSameCalls(t *testing.T) {
	for _, c := range append(peer.Callers(), peer.Transports()...) {
		if err := peer.SameCall(t.Context(), &c); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}
