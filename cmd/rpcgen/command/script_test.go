package command

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

var exhaustive = flag.Bool("exhaustive", false, "try everything, and no sample of it")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rpcgen": run, "rpcgen-go": run, "toolbox": serveToolbox, "hostile": serveHostile, "browser": browse})
}

func run() { os.Exit(Run()) }

// TestScripts runs the command in scripts, as users do.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	url, guarded, documents, old := toolboxOverHTTP(t), toolboxWithLogin(t), documentsOverHTTP(t), toolboxOverSSE(t)
	program, err := exec.LookPath("toolbox")
	if err != nil {
		t.Fatal(err)
	}
	params := testscript.Params{
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"clean": clean},
		Dir:                 "testdata/script",
		WorkdirRoot:         overlay.Folder(t),
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Condition: func(name string) (bool, error) {
			if name != "exhaustive" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return *exhaustive, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("RPCGEN", root)
			env.Setenv("PROGRAM", program)
			env.Setenv("TOOLBOX", url)
			env.Setenv("GUARDED", guarded)
			env.Setenv("OLDTOOLBOX", old)
			env.Setenv("DOCUMENTS", documents)
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "GOGC", "HOME"} {
				if v := os.Getenv(name); v != "" {
					env.Setenv(name, v)
				}
			}
			if os.Getenv("GOCACHE") == "" {
				cache, err := os.UserCacheDir()
				if err != nil {
					return err
				}
				env.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
			}
			flags := "-count=1 " + os.Getenv("GOFLAGS")
			if !*exhaustive { // "make lint" vets what is generated
				flags = "-vet=off " + flags
			}
			env.Setenv("GOFLAGS", strings.TrimSpace(flags))
			return nil
		},
	}
	if raceEnabled { // only the commands that talk to others do something concurrently
		params.Dir = ""
		for _, name := range []string{"call", "check_tools", "import_remote", "install", "login", "server", "tools"} {
			params.Files = append(params.Files, "testdata/script/"+name+".txtar")
		}
	}
	testscript.Run(t, params)
}

// documentsOverHTTP returns the URL of a server of documents.
func documentsOverHTTP(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /types.json", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"definitions":{"Report":{"type":"object","properties":{"by":{"const":%q}}}}}`, r.Header.Get("X-Author"))
	})
	mux.HandleFunc("GET /refers.json", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"definitions":{"Report":{"$ref":"secrets.json#/definitions/All"}}}`)
	})
	mux.HandleFunc("GET /large.json", func(w http.ResponseWriter, _ *http.Request) {
		for blank := bytes.Repeat([]byte(" "), 1<<20); ; {
			if _, err := w.Write(blank); err != nil {
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// clean checks that stdout and stderr have no characters that a terminal hides.
func clean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: clean")
	}
	for _, name := range []string{"stdout", "stderr"} {
		if said := ts.ReadFile(name); !text.Clean(said) {
			ts.Fatalf("%s hides something: %q", name, said)
		}
	}
}
