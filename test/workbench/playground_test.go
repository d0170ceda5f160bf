package workbench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// openPlayground opens the static page and waits for the first answer.
func openPlayground(t *testing.T, fragment string) (*tab, string) {
	t.Helper()
	url := serve(t, http.FileServer(http.Dir(built(t))))
	b := newTab(t)
	b.do(chromedp.Navigate(url + "/" + fragment))
	b.wait(`Number(document.body.dataset.answers || 0) > 0`)
	return b, url
}

// put replaces the source, and waits for the answer.
func (b *tab) put(text string) {
	b.Helper()
	b.wait(fmt.Sprintf(`(() => {
		const n = Number(document.body.dataset.answers || 0);
		const area = document.querySelector('#left textarea');
		area.value = %q;
		area.dispatchEvent(new Event('input'));
		window.before = n;
		return true;
	})()`, text))
	b.wait(`Number(document.body.dataset.answers) > window.before`)
}

// TestPlayground: a person sees an example, a fault with its place, and the outputs; nothing is requested after the page has loaded.
func TestPlayground(t *testing.T) {
	b, _ := openPlayground(t, "")
	b.asked()
	b.picture("playground-findings")
	b.put("rpcgen: v1\npackage: p\ntypes:\n  A: {fields: {a: strin}}\n")
	b.wait(`document.querySelector('#right').innerText.includes('did you mean') || document.querySelector('#right').innerText.includes('UnknownType')`)
	b.do(chromedp.Click(`#right ul.list button`, chromedp.ByQuery))
	if got := eval[string](b, `(() => { const a = document.querySelector('#left textarea'); return a.value.slice(a.selectionStart, a.selectionEnd); })()`); got != "strin" {
		t.Errorf("a click on the finding selects %q", got)
	}
	b.picture("playground-fault")
	eval[bool](b, `(() => { const s = document.getElementById('example'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); return true; })()`)
	for tab, want := range map[string]string{"Go": "package rpc", "tools/list": `"inputSchema"`, "Reference": "write_note", "Changes": "earlier version"} {
		eval[bool](b, fmt.Sprintf(`[...document.querySelectorAll('[role=tab]')].find((t) => t.textContent === %q).click() ?? true`, tab))
		b.wait(fmt.Sprintf(`document.querySelector('#right').innerText.includes(%q)`, want))
		b.picture("playground-" + strings.ToLower(strings.ReplaceAll(tab, "/", "-")))
	}
	if all := b.asked(); len(all) > 0 {
		t.Errorf("after the page has loaded it asks for %q", all)
	}
	b.quiet()
}

// TestPlaygroundExamples: each example gives Go without errors.
func TestPlaygroundExamples(t *testing.T) {
	b, _ := openPlayground(t, "")
	n := eval[int](b, `document.getElementById('example').length`)
	if n < 5 {
		t.Fatalf("there are %d examples", n)
	}
	for i := range n {
		eval[bool](b, fmt.Sprintf(`(() => { window.before = Number(document.body.dataset.answers); const s = document.getElementById('example'); s.selectedIndex = %d; s.dispatchEvent(new Event('change')); return true; })()`, i))
		b.wait(`Number(document.body.dataset.answers) > window.before`)
		if status := eval[string](b, `document.getElementById('status').innerText`); !strings.Contains(status, "Checked in") {
			t.Errorf("example %d: %s", i, status)
		}
	}
	b.quiet()
}

// TestPlaygroundLink: a link holds the texts, and a link that was cut off is said to be so.
func TestPlaygroundLink(t *testing.T) {
	b, url := openPlayground(t, "")
	const text = "rpcgen: v1\npackage: linked # \u00e9\u20ac\n"
	b.put(text)
	eval[bool](b, `document.getElementById('link').click() ?? true`)
	b.wait(`location.hash.length > 10`)
	link := eval[string](b, `location.hash`)
	again := newTab(t)
	again.do(chromedp.Navigate(url + "/" + link))
	again.wait(`Number(document.body.dataset.answers || 0) > 0`)
	if got := eval[string](again, `document.querySelector('#left textarea').value`); got != text {
		t.Errorf("the link opens %q", got)
	}
	for _, broken := range []string{link[:len(link)/2], "#v1=%%%", "#other"} {
		again.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url+"/"+broken))
		again.wait(`document.getElementById('status').innerText.includes('cannot be read') || document.body.dataset.answers > 0`)
	}
	again.quiet()
}

// TestPlaygroundHostile: markup in every text is text.
func TestPlaygroundHostile(t *testing.T) {
	b, _ := openPlayground(t, "")
	b.put("rpcgen: v1\npackage: p\ntypes:\n  '<img src=x onerror=alert(1)>': {fields: {__proto__: string, '<script>alert(1)</script>': stri}}\n")
	b.wait(`document.querySelector('#right').innerText.includes('<img')`)
	b.picture("playground-hostile")
	if n := eval[int](b, `document.querySelectorAll('main img, main script').length`); n > 0 {
		t.Errorf("the page has %d elements from the text", n)
	}
	b.put(strings.Repeat("x", 5<<20))
	b.wait(`document.querySelector('#right').innerText.includes('at most')`)
	b.quiet()
}

// schemaOf returns a schema of about 500 lines.
func schemaOf(lines int) string {
	var b strings.Builder
	b.WriteString("rpcgen: v1\npackage: large\nmethods:\n")
	for i := 0; strings.Count(b.String(), "\n") < lines; i++ {
		fmt.Fprintf(&b, "  area%d/do%d:\n    description: Does the thing number %d.\n    params:\n      id: {type: int64, minimum: 1}\n      name: {type: string, minLength: 1, maxLength: 80}\n      tags?: {type: list<string>, maxItems: 10}\n      limit?: {type: int32, minimum: 1, maximum: 50, default: 10}\n    result:\n      total: int64\n      more: boolean\n", i/20, i, i)
	}
	return b.String()
}

// TestPlaygroundFigures prints the sizes and times that the page has goals for: at most 4 MB compressed, and 300 ms from a key to the findings.
func TestPlaygroundFigures(t *testing.T) {
	folder := built(t)
	size := int64(0)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files { // as servers send them: compressed
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(f.Name()) != ".gz" {
			var small bytes.Buffer
			w := gzip.NewWriter(&small)
			w.Write(text)
			w.Close()
			text = small.Bytes()
		}
		size += int64(len(text))
	}
	compiler, err := os.Stat(filepath.Join(folder, "compiler.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("compiler, gzip: %.2f MB; the whole page, compressed: %.3f MB", float64(compiler.Size())/1e6, float64(size)/1e6)
	if size > 4_000_000 {
		t.Errorf("the page has %d bytes, compressed", size)
	}
	b, _ := openPlayground(t, "")
	text := schemaOf(500)
	for range 5 {
		text += "# key\n"
		b.put(text)
		t.Logf("500 lines: the findings are shown %d ms after a key, of which the compiler takes %d ms",
			eval[int](b, `Number(document.body.dataset.shown)`), eval[int](b, `Number(document.body.dataset.took)`))
	}
}
