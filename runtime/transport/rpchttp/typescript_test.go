package rpchttp_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
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

var scripts = flag.String("typescript", "", "folder of test/typescript with its packages installed and its programs compiled: play the transcripts by them")

// exchange is a message and its answer.
type exchange struct {
	Ask  string `json:"ask"`
	Want string `json:"want"`
}

// TestTypeScript plays the transcripts of package runtime over the HTTP transport of generated TypeScript, in Node, and in Deno, Bun
// and Chromium where they are.
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
		t.Run(name, func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(text)
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
	text, err = json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/rpc", rpchttp.NewHandler(weather.NewHandler(server), rpchttp.Options{Runtime: o}))
	mux.Handle("/out/", http.StripPrefix("/out/", http.FileServer(http.Dir(filepath.Join(*scripts, "out")))))
	mux.HandleFunc("/exchanges.json", func(w http.ResponseWriter, _ *http.Request) { w.Write(text) })
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><body><script type="module" src="/out/transcripts.js"></script>`)
	})
	web := httptest.NewServer(mux)
	defer web.Close()
	program := filepath.Join(*scripts, "out", "transcripts.js")
	for name, args := range map[string][]string{
		"node": {program, web.URL}, "deno": {"run", "--allow-all", "--no-config", program, web.URL}, "bun": {program, web.URL},
		"chromium": {"--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000", "--dump-dom", web.URL + "/page"},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := exec.LookPath(name)
			if local := filepath.Join(*scripts, "node_modules", ".bin", name); err != nil {
				if path, err = exec.LookPath(local); err != nil {
					t.Skipf("there is no %s", name)
				}
			}
			out, err := exec.Command(path, args...).Output()
			if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d exchanges, 0 differ", len(all))) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
