package allkinds_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
	compact "github.com/rpcgen-go/rpcgen/test/allkinds/rpc/compact"
)

// full answers with what it is asked, in the full codec.
type full struct{ allkinds.UnimplementedServer }

func (full) AllStruct(_ context.Context, p allkinds.AllStructParams) (allkinds.AllStructResult, error) {
	if p.Name == "Paris" {
		return allkinds.AllStructResult{}, &allkinds.CityNotFoundError{}
	}
	return allkinds.AllStructResult{Total: int64(len(p.Name) + len(p.Level))}, nil
}

func (full) AllScalar(_ context.Context, p allkinds.AllScalarParams) (int64, error) { return p.N, nil }

func (full) AllRef(_ context.Context, p allkinds.Point) (allkinds.Scalars, error) {
	return allkinds.Scalars{Ratio: p.X, Text: fmt.Sprint(p.Y)}, nil
}

func (full) AllNamedList(_ context.Context, p allkinds.Tags) (allkinds.Tags, error) { return p, nil }

func (full) AllEnum(context.Context) (allkinds.Level, error) { return "none of them", nil }

// small does the same in the compact one.
type small struct{ compact.UnimplementedServer }

func (small) AllStruct(_ context.Context, p compact.AllStructParams) (compact.AllStructResult, error) {
	if p.Name == "Paris" {
		return compact.AllStructResult{}, &compact.CityNotFoundError{}
	}
	return compact.AllStructResult{Total: int64(len(p.Name) + len(p.Level))}, nil
}

func (small) AllScalar(_ context.Context, p compact.AllScalarParams) (int64, error) { return p.N, nil }

func (small) AllRef(_ context.Context, p compact.Point) (compact.Scalars, error) {
	return compact.Scalars{Ratio: p.X, Text: fmt.Sprint(p.Y)}, nil
}

func (small) AllNamedList(_ context.Context, p compact.Tags) (compact.Tags, error) { return p, nil }

func (small) AllEnum(context.Context) (compact.Level, error) { return "none of them", nil }

// TestCompactAnswers sends the same requests, good ones and bad ones, to servers of both codecs: the answers are the same bytes.
func TestCompactAnswers(t *testing.T) {
	count := 200_000
	switch {
	case testing.Short() && raceEnabled:
		count = 2000
	case testing.Short():
		count = 20_000
	}
	quiet := runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	one, other := runtime.NewDispatcher(allkinds.NewHandler(full{}), quiet), runtime.NewDispatcher(compact.NewHandler(small{}), quiet)
	w := newRequestWriter(t)
	for i := range count {
		msg := w.request()
		if i%8 == 0 {
			msg = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, w.one("all/namedList", "all/enum", "all/map", "all/union"),
				w.one(`["a","b"]`, `["a","a"]`, `[]`, `{}`, `[1]`, `{"kind":"circle","radius":1}`, `{"a":1.5}`))
		}
		want, got := one.Dispatch(t.Context(), nil, bytes.Clone(msg)), other.Dispatch(t.Context(), nil, bytes.Clone(msg))
		if !bytes.Equal(want, got) {
			t.Fatalf("%q\nfull:    %s\ncompact: %s", msg, want, got)
		}
	}
}

// TestCompactCalls makes the same calls with clients of both codecs: they send the same and return the same, whatever goes wrong.
func TestCompactCalls(t *testing.T) {
	quiet := runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	one := &direct{d: runtime.NewDispatcher(allkinds.NewHandler(full{}), quiet)}
	other := &direct{d: runtime.NewDispatcher(allkinds.NewHandler(full{}), quiet)}
	a, b := allkinds.NewClient(one), compact.NewClient(other)
	same := func(what string, want any, wantErr error, got any, gotErr error) {
		t.Helper()
		w, g := fmt.Sprintf("%v %v", want, wantErr), fmt.Sprintf("%v %v", got, gotErr)
		if w != g {
			t.Errorf("%s\nfull:    %s\ncompact: %s", what, w, g)
		}
		if fmt.Sprintf("%T", wantErr) != fmt.Sprintf("%T", gotErr) {
			t.Errorf("%s: %T and %T", what, wantErr, gotErr)
		}
	}
	for _, name := range []string{"Rome", "Paris", "", "\xff", "東京"} {
		for _, level := range []string{"", "low", "none"} {
			r, err := a.AllStruct(t.Context(), allkinds.AllStructParams{Name: name, Level: allkinds.Level(level)})
			s, fault := b.AllStruct(t.Context(), compact.AllStructParams{Name: name, Level: compact.Level(level)})
			same(name+level, r, err, s, fault)
		}
	}
	for _, x := range []float64{0, 1.5, math.NaN()} {
		r, err := a.AllRef(t.Context(), allkinds.Point{X: x})
		s, fault := b.AllRef(t.Context(), compact.Point{X: x})
		same(fmt.Sprint(x), r, err, s, fault)
	}
	if len(one.sent) == 0 || strings.Join(one.sent, "\n") != strings.Join(other.sent, "\n") {
		t.Errorf("sent by full:\n%s\nby compact:\n%s", strings.Join(one.sent, "\n"), strings.Join(other.sent, "\n"))
	}
}

// compactCodecs are the types that have the compact codec as well, or the fast one in a compact file.
var compactCodecs = map[string]func() holder{
	"Circle":       of[compact.Circle](),
	"Deep":         of[compact.Deep](),
	"FlatPart":     of[compact.FlatPart](),
	"Loose":        of[compact.Loose](),
	"LoosePart":    of[compact.LoosePart](),
	"NamedPart":    of[compact.NamedPart](),
	"NumberedPart": of[compact.NumberedPart](),
	"Place":        of[compact.Place](),
	"PlainCount":   of[compact.PlainCount](),
	"PlainText":    of[compact.PlainText](),
	"Point":        of[compact.Point](),
	"Polygon":      of[compact.Polygon](),
	"RoundPart":    of[compact.RoundPart](),
	"Row":          of[compact.Row](),
	"Scalars":      of[compact.Scalars](),
	"SealedPart":   of[compact.SealedPart](),
	"Square":       of[compact.Square](),
	"Tags":         of[compact.Tags](),
	"Shape":        union(compact.DecodeShape, compact.AppendShape, compact.CheckShape),
	"PartLoose":    union(compact.DecodePartLoose, compact.AppendPartLoose, compact.CheckPartLoose),
	"PartSealed":   union(compact.DecodePartSealed, compact.AppendPartSealed, compact.CheckPartSealed),
	"PartNamed":    union(compact.DecodePartNamed, compact.AppendPartNamed, compact.CheckPartNamed),
	"PartNumbered": union(compact.DecodePartNumbered, compact.AppendPartNumbered, compact.CheckPartNumbered),
	"PartNested":   union(compact.DecodePartNested, compact.AppendPartNested, compact.CheckPartNested),
	"PartOther":    union(compact.DecodePartOther, compact.AppendPartOther, compact.CheckPartOther),
}

// TestCompactTexts reads texts such as those of TestTexts with both codecs: they accept the same, refuse the rest for the same reasons, and write the same.
func TestCompactTexts(t *testing.T) {
	for _, c := range codecs {
		small := compactCodecs[c.name]
		if small == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := respell(t, spell(t, fitting(t, definitions()[c.name])))
				first, err := decoded(c, text)
				other, otherErr := decoded(codec{c.name, small}, text)
				if fmt.Sprint(err) != fmt.Sprint(otherErr) || err == nil && !bytes.Equal(first.Append(nil), other.Append(nil)) {
					t.Fatalf("%s\nfull: %s, %v\ncompact: %s, %v", text, first.Append(nil), err, other.Append(nil), otherErr)
				}
			})
		})
	}
}
