package workbench

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// follow are the first lines of the scripts that use a page in Firefox: they wait for what the page shows, and tell the test.
const follow = `
const until = async (f) => { for (;;) { const v = f(); if (v) return v; await new Promise((r) => setTimeout(r, 50)); } };
const shows = (text) => until(() => document.body.innerText.includes(text));
const enter = (area, text) => { area.value = text; area.dispatchEvent(new Event('input')); };
const button = (text) => until(() => [...document.querySelectorAll('button')].find((one) => one.textContent === text && !one.disabled));
const tell = (text) => fetch('/told', { method: 'POST', body: text });
addEventListener('error', (event) => tell('error: ' + event.message));
addEventListener('securitypolicyviolation', (event) => tell('error: the policy refuses ' + event.blockedURI));
`

// TestFirefox: the explorer calls a tool, and the playground compiles, in Firefox. Its page gets one more script, which does what a person would.
func TestFirefox(t *testing.T) {
	firefox, err := exec.LookPath("firefox")
	if err != nil {
		t.Skip("there is no Firefox")
	}
	box, _ := newBox()
	for name, c := range map[string]struct {
		page   http.Handler
		token  string
		script string
	}{
		"explorer": {box, strings.TrimPrefix(box.URL(""), "#"), `
			await until(() => document.body.dataset.ready);
			(await button('search_items')).click();
			enter(await until(() => document.querySelector('[aria-label="The arguments as JSON"]')), '{"query": "tea"}');
			(await button('Call')).click();
			await shows('9007199254740993');
			tell('done');`},
		"playground": {http.FileServer(http.Dir(built(t))), "", `
			await until(() => Number(document.body.dataset.answers));
			enter(document.querySelector('#left textarea'), 'rpcgen: v1\npackage: p\ntypes:\n  A: {fields: {a: strin}}\n');
			await shows('UnknownType');
			tell('done, ' + document.body.dataset.shown + ' ms after a key');`},
	} {
		t.Run(name, func(t *testing.T) {
			told := make(chan string, 10)
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/told":
					text, _ := io.ReadAll(r.Body)
					told <- string(text)
				case "/follow.js":
					w.Header().Set("Content-Type", "text/javascript")
					io.WriteString(w, follow+c.script)
				case "/":
					page := httptest.NewRecorder()
					c.page.ServeHTTP(page, r)
					header := page.Header()
					for key := range header {
						w.Header().Set(key, header.Get(key))
					}
					w.Header().Del("Content-Length")
					w.Write(bytes.Replace(page.Body.Bytes(), []byte("</head>"), []byte(`<script type="module" src="follow.js"></script></head>`), 1))
				default:
					c.page.ServeHTTP(w, r)
				}
			}))
			profile := t.TempDir()
			if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(`user_pref("browser.shell.checkDefaultBrowser", false); user_pref("datareporting.policy.dataSubmissionEnabled", false);`), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(firefox, "--headless", "--no-remote", "--profile", profile, url+"/#"+c.token)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			defer command.Wait()
			defer command.Process.Kill()
			select {
			case text := <-told:
				t.Log(text)
				if !strings.HasPrefix(text, "done") {
					t.Error(text)
				}
			case <-time.After(patience):
				t.Error("nothing was shown")
			}
		})
	}
}
