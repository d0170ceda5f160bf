package explorer

import (
	"embed"
	"io/fs"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

//go:embed page
var pageFolder embed.FS

// pageFiles are the files of the page.
var pageFiles = func() fs.FS {
	files, err := fs.Sub(pageFolder, "page")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}()

// Look returns the style sheet look.css and the script dom.js of the page, which the playground of rpcgen has as well.
func Look() fs.FS { return pageFiles }

// Guard keeps pages of other sites from using a page of this machine: it checks the Host and Origin headers, and tells browsers what the page may
// load and who may show it.
type Guard struct{ web web.Guard }

// NewGuard returns a guard that allows the names of this machine on loopback, and hosts.
func NewGuard(hosts ...string) *Guard {
	g := &Guard{web.NewGuard(hosts, nil)}
	g.web.Pages = true
	return g
}

// policy allows nothing but the files of the page, requests to its own server, and images and sound that an answer contains.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src data:; media-src data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Wrap returns a handler that refuses what the guard does not allow.
func (g *Guard) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wrong := g.web.Check(r); wrong != "" {
			http.Error(w, wrong, http.StatusForbidden)
			return
		}
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cache-Control", "no-cache")
		h.ServeHTTP(w, r)
	})
}
