package rpchttp_test

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/txtar"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
)

var scripts = flag.String("typescript", "", "folder of test/typescript with its packages installed and its programs compiled: play the transcripts in Node")

// exchange is a message and its answer.
type exchange struct {
	Ask  string `json:"ask"`
	Want string `json:"want"`
}

// TestTypeScript plays the transcripts of package runtime over the HTTP transport of generated TypeScript, in Node.
func TestTypeScript(t *testing.T) {
	if *scripts == "" {
		t.Skip("it needs node and packages of npm; make typescript runs it")
	}
	files, err := filepath.Glob("../../testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if strings.HasPrefix(name, "spec") {
			continue // its server is one of package runtime
		}
		t.Run(name, func(t *testing.T) { playInNode(t, file) })
	}
}

func playInNode(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := runtime.Options{Logger: slog.New(slog.DiscardHandler)}
	server := &weather.Server{
		Way: runtime.Plain, Conditions: true,
		Current: func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
			if p.City != "Paris" {
				return weather.Report{}, &weather.CityNotFoundError{City: p.City}
			}
			return weather.Report{City: p.City, Degrees: 14}, nil
		},
		Ping:  func(context.Context) error { return nil },
		Watch: func(context.Context, weather.CurrentParams) error { return nil },
	}
	for word := range strings.FieldsSeq(string(archive.Comment)) {
		switch strings.TrimSuffix(word, ":") {
		case "strict":
			server.Way = runtime.Protocol{Name: "weather"}
		case "explain":
			o.Explain = true
		case "small":
			o.MaxBatch = 3
		}
	}
	var all []exchange
	for i := 0; i+1 < len(archive.Files); i += 2 {
		ask, want := archive.Files[i].Data, archive.Files[i+1].Data
		all = append(all, exchange{strings.TrimSuffix(string(ask), "\n"), strings.TrimSuffix(string(want), "\n")})
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	played := filepath.Join(t.TempDir(), "exchanges.json")
	if err := os.WriteFile(played, text, 0o666); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(rpchttp.NewHandler(weather.NewHandler(server), rpchttp.Options{Runtime: o}))
	defer web.Close()
	out, err := exec.Command("node", filepath.Join(*scripts, "out", "transcripts.js"), web.URL, played).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
