package allkinds_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
	compact "github.com/rpcgen-go/rpcgen/test/allkinds/rpc/compact"
)

// answered is a connection that answers the calls of each batch with the same results.
type answered struct {
	direct
	results []string
}

func (c *answered) CallBatch(_ context.Context, first int64, n int, _ []byte) ([][]byte, error) {
	answers := make([][]byte, n)
	for i := range answers {
		answers[i] = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, first+int64(i), c.results[i])
	}
	return answers, nil
}

// TestCompactBatches reads results into the variables that were given for them, with both codecs. A result without one is skipped, and
// the error of a result that cannot be read is that of its call alone.
func TestCompactBatches(t *testing.T) {
	conn := &answered{results: []string{
		`{"total":1}`, `{"total":"2"}`, `{"total":"3"}`, `{"kind":"circle","radius":4}`, `{"kind":"circle"}`, `7`, `"7"`, `"8"`,
	}}
	full, small := allkinds.NewClient(conn).Batch(), compact.NewClient(conn).Batch()
	var (
		struct1, struct2   allkinds.AllStructResult
		union              allkinds.Shape
		scalar1, scalar2   int64
		cstruct1, cstruct2 compact.AllStructResult
		cunion             compact.Shape
		cscalar1, cscalar2 int64
	)
	circle, ccircle := &allkinds.Circle{Radius: 1}, &compact.Circle{Radius: 1}
	params, cparams := allkinds.AllStructParams{Name: "x", Level: allkinds.LevelMid}, compact.AllStructParams{Name: "x", Level: compact.LevelMid}
	all := []*gen.Pending{
		full.AllStruct(params, &struct1), full.AllStruct(params, &struct2), full.AllStruct(params, nil),
		full.AllUnion(circle, &union), full.AllUnion(circle, nil),
		full.AllScalar(allkinds.AllScalarParams{}, &scalar1), full.AllScalar(allkinds.AllScalarParams{}, &scalar2), full.AllScalar(allkinds.AllScalarParams{}, nil),
	}
	call := []*gen.Pending{
		small.AllStruct(cparams, &cstruct1), small.AllStruct(cparams, &cstruct2), small.AllStruct(cparams, nil),
		small.AllUnion(ccircle, &cunion), small.AllUnion(ccircle, nil),
		small.AllScalar(compact.AllScalarParams{}, &cscalar1), small.AllScalar(compact.AllScalarParams{}, &cscalar2), small.AllScalar(compact.AllScalarParams{}, nil),
	}
	for i := range all {
		if all[i].Err() != gen.ErrPending || call[i].Err() != gen.ErrPending {
			t.Errorf("before the batch is sent, the errors of %d are %v and %v", i, all[i].Err(), call[i].Err())
		}
	}
	if err := errors.Join(full.Send(t.Context()), small.Send(t.Context())); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if wrong := i == 1 || i == 6; (all[i].Err() != nil) != wrong || fmt.Sprint(all[i].Err()) != fmt.Sprint(call[i].Err()) {
			t.Errorf("the errors of %d are %v and %v", i, all[i].Err(), call[i].Err())
		}
	}
	point, _ := union.(*allkinds.Circle)
	cpoint, _ := cunion.(*compact.Circle)
	if struct1.Total != 1 || cstruct1.Total != 1 || scalar1 != 7 || cscalar1 != 7 || point == nil || point.Radius != 4 || cpoint == nil || cpoint.Radius != 4 {
		t.Errorf("got %v, %v, %v, %v, %v and %v", struct1, cstruct1, scalar1, cscalar1, union, cunion)
	}
}

// batches is a connection that keeps the batches that it is to send.
type batches struct {
	direct
	sent [][]byte
}

func (c *batches) CallBatch(_ context.Context, _ int64, _ int, msg []byte) ([][]byte, error) {
	c.sent = append(c.sent, msg)
	return nil, runtime.ErrClosed
}

// TestCompactPositions sends the same arrays in batches, with both codecs.
func TestCompactPositions(t *testing.T) {
	conn := new(batches)
	full, small := allkinds.NewClient(conn).Batch(), compact.NewClient(conn).Batch()
	full.AllPosition(allkinds.AllPositionParams{Name: "a", Limit: runtime.Some[int32](3)}, nil)
	full.AllPositionRef(allkinds.Point{X: 1}, nil)
	full.AllTellPosition(allkinds.Point{X: 2})
	small.AllPosition(compact.AllPositionParams{Name: "a", Limit: runtime.Some[int32](3)}, nil)
	small.AllPositionRef(compact.Point{X: 1}, nil)
	small.AllTellPosition(compact.Point{X: 2})
	full.Send(t.Context()) // the connection keeps the message and fails
	small.Send(t.Context())
	if len(conn.sent) != 2 || string(conn.sent[0]) != string(conn.sent[1]) {
		t.Fatalf("got %q", conn.sent)
	}
	var params []string
	for message := range wire.PeekAt(conn.sent[0]).Elements() {
		raw := message.In("params").JSON()
		params = append(params, string(raw))
	}
	if got := strings.Join(params, " "); got != `["a",3] [1,0] [2,0]` {
		t.Errorf("got %s", got)
	}
}
