package faulty

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	library "github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/verify/faulty/rpc"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// firstBooks is the number of books of a new library: three pages of search_books.
const firstBooks = 25

// shelves implements library.Server. Every library starts with the same books.
type shelves struct {
	library.UnimplementedServer
	mu    sync.Mutex
	books map[library.BookID]entry
	added int // by add_book
}

// entry is a book and the time at which it was added, which depends on no clock so that equal calls have equal answers.
type entry struct {
	library.Book
	added time.Time
}

var opened = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

// NewLibrary returns an MCP server of library.rpc.yaml with 25 books, in both eras of the protocol.
func NewLibrary(o mcp.Options) *mcp.Server {
	s := &shelves{books: map[library.BookID]entry{}}
	genres := []library.Genre{library.GenreEssay, library.GenreNovel, library.GenrePoetry, library.GenreTravel}
	languages := []library.Language{library.LanguageDe, library.LanguageEn, library.LanguageFr}
	for i := range firstBooks {
		id := library.BookID(fmt.Sprintf("bk-%04d", i+1))
		s.books[id] = entry{library.Book{
			ID: id, Title: "Volume " + strconv.Itoa(i+1), Author: runtime.Some("A. Writer"), Genre: genres[i%len(genres)], Language: languages[i%len(languages)],
			Pages: int32(100 + i), Price: float64(i) + 0.5, Tags: []string{"shelf", strconv.Itoa(i % 5)},
			Place: &library.Place{Room: "hall", Shelf: int32(i + 1)},
		}, opened}
	}
	return library.NewServer(s, o)
}

// SearchBooks implements library.Server.
func (s *shelves) SearchBooks(_ context.Context, in library.SearchBooksInput) (library.SearchBooksOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := ""
	if cursor, ok := in.Cursor.Get(); ok {
		var known bool
		if after, known = strings.CutPrefix(cursor, "after-"); !known {
			return library.SearchBooksOutput{}, &library.CursorUnknownError{Cursor: cursor}
		}
	}
	out := library.SearchBooksOutput{Books: []library.Book{}}
	for _, id := range slices.Sorted(maps.Keys(s.books)) {
		switch b := s.books[id]; {
		case string(id) <= after || !matches(b, in):
		case len(out.Books) == int(in.Limit):
			out.NextCursor = runtime.Some("after-" + string(out.Books[len(out.Books)-1].ID))
			return out, nil
		default:
			out.Books = append(out.Books, b.Book)
		}
	}
	return out, nil
}

// matches reports whether a search finds a book.
func matches(b entry, in library.SearchBooksInput) bool {
	author, since := in.Author.Or(""), in.Since.Or(time.Time{})
	var where library.SearchBooksInputWhere
	if in.Where != nil {
		where = *in.Where
	}
	return strings.Contains(strings.ToLower(b.Title), strings.ToLower(in.Query.Or(""))) &&
		(len(in.Genres) == 0 || slices.Contains(in.Genres, b.Genre)) && (author == "" || b.Author.Or("") == author) && b.added.After(since) &&
		where.Language.Or(b.Language) == b.Language && b.Pages <= where.Pages.Or(b.Pages)
}

// book returns a book, or the declared error.
func (s *shelves) book(id library.BookID) (library.Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.books[id]
	if !ok {
		return library.Book{}, &library.BookUnknownError{ID: id}
	}
	return b.Book, nil
}

// GetBook implements library.Server.
func (s *shelves) GetBook(_ context.Context, in library.GetBookInput) (library.Book, error) {
	return s.book(in.ID)
}

// CountBooks implements library.Server.
func (s *shelves) CountBooks(context.Context) (library.CountBooksOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := library.CountBooksOutput{Total: int32(len(s.books)), Genres: map[string]int32{}}
	for _, b := range s.books {
		out.Genres[string(b.Genre)]++
	}
	return out, nil
}

// TakeStock implements library.Server.
func (s *shelves) TakeStock(ctx context.Context) (library.TakeStockOutput, error) {
	select {
	case <-ctx.Done():
		return library.TakeStockOutput{}, context.Cause(ctx)
	case <-time.After(time.Second / 3):
	}
	out, err := s.CountBooks(ctx)
	return library.TakeStockOutput{Counted: out.Total}, err
}

// CiteBook implements library.Server.
func (s *shelves) CiteBook(_ context.Context, in library.CiteBookInput) (mcp.TextContent, error) {
	b, err := s.book(in.ID)
	return mcp.TextContent{Text: fmt.Sprintf("%s: %s, %d pp. (%s)", b.Author.Or("anonymous"), b.Title, b.Pages, in.Style)}, err
}

// Cover implements library.Server.
func (s *shelves) Cover(_ context.Context, in library.CoverInput) (mcp.ImageContent, error) {
	b, err := s.book(in.ID)
	return mcp.ImageContent{Data: []byte("<svg><title>" + b.ID + "</title></svg>"), MimeType: "image/svg+xml"}, err
}

// AddBook implements library.Server.
func (s *shelves) AddBook(_ context.Context, in library.AddBookInput) (library.Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added++
	b := library.Book{
		ID: library.BookID(fmt.Sprintf("bk-%04d", 1000+s.added%9000)), Title: in.Title, Author: in.Author, Genre: in.Genre, Language: in.Language,
		Pages: in.Pages, Price: in.Price, Tags: in.Tags, Place: in.Place,
	}
	s.books[b.ID] = entry{b, opened.Add(time.Hour)}
	return b, nil
}

// SetPrice implements library.Server.
func (s *shelves) SetPrice(_ context.Context, in library.SetPriceInput) (library.Book, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.books[in.ID]
	if !ok {
		return library.Book{}, &library.BookUnknownError{ID: in.ID}
	}
	b.Price = in.Price
	s.books[in.ID] = b
	return b.Book, nil
}

// DeleteBook implements library.Server.
func (s *shelves) DeleteBook(_ context.Context, in library.DeleteBookInput) (library.DeleteBookOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.books[in.ID]
	delete(s.books, in.ID)
	return library.DeleteBookOutput{Deleted: there}, nil
}

// ReadRules implements library.Server.
func (s *shelves) ReadRules(context.Context) (string, error) { return "Bring the books back.", nil }

// ReadBook implements library.Server.
func (s *shelves) ReadBook(_ context.Context, params library.BookParams) (library.Book, error) {
	b, err := s.book(params.ID)
	if err != nil {
		return b, fmt.Errorf("%w: %w", err, mcp.ErrNotFound)
	}
	return b, nil
}

// Recommend implements library.Server.
func (s *shelves) Recommend(_ context.Context, args library.RecommendArguments) (mcp.GetPromptResult, error) {
	return mcp.GetPromptResult{Messages: []mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Recommend a book: " + string(args.Genre) + "."}},
	}}, nil
}
