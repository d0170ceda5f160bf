// Package notes uses rpcgen the way any repository does: a tool line in go.mod, a go:generate line next to the schema, and the
// generated files checked in.
package notes

import (
	"context"
	"sync"

	"example.com/downstream/rpc"
)

// Book keeps notes in memory; it implements [rpc.Server].
type Book struct {
	rpc.UnimplementedServer

	mu    sync.Mutex
	notes []rpc.Note
}

// NoteAdd keeps a note.
func (b *Book) NoteAdd(_ context.Context, p rpc.NoteAddParams) (rpc.Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	note := rpc.Note{ID: int64(len(b.notes) + 1), Text: p.Text, Tags: p.Tags}
	b.notes = append(b.notes, note)
	return note, nil
}

// NoteGet finds a note.
func (b *Book) NoteGet(_ context.Context, p rpc.NoteGetParams) (rpc.Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.ID < 1 || p.ID > int64(len(b.notes)) {
		return rpc.Note{}, &rpc.NoteNotFoundError{ID: p.ID}
	}
	return b.notes[p.ID-1], nil
}
