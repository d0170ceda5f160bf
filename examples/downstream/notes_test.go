package notes_test

import (
	"context"
	"errors"
	"testing"

	notes "example.com/downstream"
	"example.com/downstream/rpc"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

func TestBook(t *testing.T) {
	ctx := t.Context()
	near, far := pipe.New(0)
	server := runtime.NewSession(ctx, far, rpc.NewHandler(new(notes.Book)), runtime.Options{})
	session := runtime.NewSession(ctx, near, nil, runtime.Options{})
	t.Cleanup(func() {
		session.Close()
		server.Close()
	})
	c := rpc.NewClient(session)

	added, err := c.NoteAdd(ctx, rpc.NoteAddParams{Text: "buy milk", Tags: []string{"home"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.NoteGet(ctx, rpc.NoteGetParams{ID: added.ID})
	if err != nil || got.Text != "buy milk" || len(got.Tags) != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = c.NoteGet(ctx, rpc.NoteGetParams{ID: 7})
	if missing, ok := errors.AsType[*rpc.NoteNotFoundError](err); !ok || missing.ID != 7 {
		t.Fatalf("got %v, want that note 7 is missing", err)
	}
	var invalid *runtime.ParamsError
	if _, err = c.NoteAdd(context.Background(), rpc.NoteAddParams{Tags: []string{"A", "A"}}); !errors.As(err, &invalid) {
		t.Fatalf("got %v, want broken rules", err)
	}
	if n := len(invalid.Violations); n != 4 { // an empty text, two bad tags, equal tags
		t.Fatalf("got %d violations: %v", n, err)
	}
}
