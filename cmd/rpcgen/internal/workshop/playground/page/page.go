// Package page is the page of the playground, and a server of it for one machine, in which the compiler of the command itself answers in place of
// the one for browsers.
//
//test:sequential
package page

import (
	"embed"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/playground"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

//go:embed *.html *.js local
var files embed.FS

// Handler returns the server of the page. It answers requests for a host that hosts allows, and of its own pages alone.
func Handler(guard *explorer.Guard) http.Handler {
	mux := http.NewServeMux()
	own, look := http.FileServerFS(files), http.FileServerFS(explorer.Look())
	local, err := fs.Sub(files, "local")
	if err != nil {
		panic(err) // the folder is embedded
	}
	mux.Handle("GET /", own)
	mux.Handle("GET /worker.js", http.FileServerFS(local))
	mux.Handle("GET /look.css", look)
	mux.Handle("GET /dom.js", look)
	mux.HandleFunc("POST /compile", compile)
	mux.HandleFunc("GET /examples", func(w http.ResponseWriter, _ *http.Request) { answer(w, playground.Examples()) })
	return guard.Wrap(mux)
}

// compile answers a request of the page's worker.
func compile(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 8*playground.MostText))
	if err != nil {
		http.Error(w, "the request is too large, or was cut off", http.StatusRequestEntityTooLarge)
		return
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		http.Error(w, "the Content-Type is not application/json", http.StatusUnsupportedMediaType)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(playground.CompileJSON(body))
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
