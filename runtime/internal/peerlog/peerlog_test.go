package peerlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestRate: of a flood, a few records are logged in each window, and the count of the others.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, nil))
		for range 1000 {
			For(log).Warn("spoofed")
			For(log).Debug("quiet")
		}
		For(log).Warn("other")
		For(log).Error("fault", "stack", Stack(strings.Repeat("main.go:1 ", 100)))
		if !strings.Contains(out.String(), "level=ERROR msg=fault stack=\""+strings.Repeat("main.go:1 ", 100)) {
			t.Errorf("a stack was cut: %s", out.String())
		}
		if n := strings.Count(out.String(), "\n"); n != Burst+2 {
			t.Errorf("%d records:\n%s", n, out.String())
		}
		out.Reset()
		time.Sleep(Window)
		For(log).Warn("spoofed")
		For(log).Warn("spoofed")
		if got, want := out.String(), fmt.Sprintf("omitted=%d", 1000-Burst); strings.Count(got, "omitted") != 1 || !strings.Contains(got, want) {
			t.Errorf("want one record with %s, got\n%s", want, got)
		}
	})
}

// TestClean: what came from a peer is short, and has no control characters, in texts and in errors.
func TestClean(t *testing.T) {
	var out bytes.Buffer
	log := For(slog.New(slog.NewJSONHandler(&out, nil)))
	huge := "\x1b[2J\u202e\n" + strings.Repeat("é", 1<<20)
	log.Warn("m", "name", huge, "error", fmt.Errorf("about %s: %w", huge, io.EOF), "n", 1)
	if s := out.String(); len(s) > 1<<10 || strings.ContainsAny(s, "\x1b\u202e") || strings.Count(s, "\n") != 1 {
		t.Errorf("%d bytes: %q", len(s), s)
	}
	for in, want := range map[string]string{
		"plain, with \"quotes\" and \\": "plain, with \"quotes\" and \\",
		"a\x00b\r\n":                    `a\x00b\r\n`,
		"\xff":                          `\xff`,
		strings.Repeat("x", MaxText+1):  strings.Repeat("x", MaxText) + "...",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q", in, got)
		}
	}
	if got := Value(strings.Repeat("\x1b", 1<<20)); len(got) > MaxError+len("...") {
		t.Errorf("%d bytes of a panic", len(got))
	}
	if err := Error(fmt.Errorf("%s: %w", huge, io.EOF)); !errors.Is(err, io.EOF) || len(err.Error()) > MaxError+len("...") {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
}

// TestForgotten: a logger that is not used any more is forgotten.
func TestForgotten(t *testing.T) {
	count := func() (n int) {
		loggers.Range(func(any, any) bool { n++; return true })
		return n
	}
	kept := slog.New(slog.DiscardHandler)
	if first, second := For(kept), For(kept); first != second {
		t.Error("a logger has two")
	}
	before := count()
	for range 100 {
		For(slog.New(slog.DiscardHandler)).Debug("x")
	}
	await.Until(t, "those of unused loggers are forgotten", func() bool {
		runtime.GC()
		return count() <= before
	})
	runtime.KeepAlive(kept)
}

// TestClip: a text of a peer is cut between characters, so that what is made of it stays valid UTF-8.
func TestClip(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		strings.Repeat("x", MaxText):   strings.Repeat("x", MaxText),
		strings.Repeat("x", MaxText+1): strings.Repeat("x", MaxText) + "...",
		"x" + strings.Repeat("日", 40):  "x" + strings.Repeat("日", 33) + "...", // 1 + 99 bytes
		strings.Repeat("日", 40):        strings.Repeat("日", 33) + "...",       // and not a third of the next one
	} {
		if got := Clip(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
