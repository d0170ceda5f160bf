package workbench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openPlayground opens the static page and waits for the first answer.
func openPlayground(t *testing.T, fragment string) (*tab, string) {
	t.Helper()
	url := serve(t, http.FileServer(http.Dir(built(t))))
	b := newTab(t)
	b.visit(url + "/" + fragment)
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
	eval[any](b, `document.querySelector('#right ul.list button').click()`)
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
	again.visit(url + "/" + link)
	again.wait(`Number(document.body.dataset.answers || 0) > 0`)
	if got := eval[string](again, `document.querySelector('#left textarea').value`); got != text {
		t.Errorf("the link opens %q", got)
	}
	for _, broken := range []string{link[:len(link)/2], "#v1=%%%", "#other"} {
		again.visit("about:blank")
		again.visit(url + "/" + broken)
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

// TestPlaygroundEndless: large, deep and repetitive texts are answered while the page goes on, and a text that takes long makes way for a newer one.
func TestPlaygroundEndless(t *testing.T) {
	const head, most = "rpcgen: v1\npackage: p\ntypes:\n", 4 << 20
	b, _ := openPlayground(t, "")
	eval[any](b, `window.longest = 0; window.last = performance.now(); setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 50)`)
	for _, c := range []struct{ name, text string }{
		{"one word", strings.Repeat("x", most-10)},
		{"deep JSON", strings.Repeat(`{"a":`, 700_000)},
		{"deep YAML", head + "  A: " + strings.Repeat("{a: ", 100_000)},
		{"deep type", head + "  A: {fields: {a: " + strings.Repeat("list<", 200_000) + "string" + strings.Repeat(">", 200_000) + "}}\n"},
		{"aliases", aliases()},
		{"many errors", head + repeated(100_000, "  A%d: {fields: {a: strin}}\n")},
		{"endless pattern", head + `  A: {fields: {a: {type: string, pattern: '^(\p{L}\p{L}|\w){1,30}$'}, b: {type: string, pattern: '` + strings.Repeat("(a+)+", 1000) + "'}}}\n"},
		{"many types", head + repeated(40_000, "  A%d: {fields: {a: list<A0>}}\n")},
		{"many patterns", head + repeated(20_000, `  A%d: {fields: {a: {type: string, pattern: '^(\p{L}|\w{1,20}|x){1,30}$'}}}`+"\n")},
		{"many values", head + "  A: {enum: [" + repeated(380_000, "v%d,") + "]}\n"},
	} {
		eval[any](b, fmt.Sprintf(`window.before = Number(document.body.dataset.answers); (() => { const area = document.querySelector('#left textarea'); area.value = %q; area.dispatchEvent(new Event('input')); })()`, c.text))
		b.wait(`Number(document.body.dataset.answers) > window.before || document.getElementById('status').textContent === 'Compiling ...'`)
		t.Logf("%s: %s; the page has stood for %.0f ms at most", c.name, eval[string](b, `document.getElementById('status').textContent`), eval[float64](b, `longest`))
	}
	b.put("rpcgen: v1\npackage: newer\ntypes:\n  A: {fields: {a: strin}}\n")
	b.wait(`document.querySelector('#right').innerText.includes('UnknownType')`)
	b.quiet()
}

// TestPlaygroundStops: when the compiler has stopped, for want of memory, the page says so once it has started another.
func TestPlaygroundStops(t *testing.T) {
	files := http.FileServer(http.Dir(built(t)))
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/wasm_exec.js":
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, `self.Go = class { importObject = {}; run() { self.rpcgenCompile = () => undefined; self.rpcgenReady('[{"title":"one"},{"title":"two"}]'); return new Promise(() => {}); } }`)
		case "/compiler.wasm.gz":
			z := gzip.NewWriter(w)
			io.WriteString(z, "\x00asm\x01\x00\x00\x00")
			z.Close()
		default:
			files.ServeHTTP(w, r)
		}
	}))
	b := newTab(t)
	b.visit(url + "/")
	for range 2 {
		b.wait(`document.getElementById('example').length === 2`)
		eval[any](b, `(() => { const area = document.querySelector('#left textarea'); area.value += 'x'; area.dispatchEvent(new Event('input')); })()`)
		b.wait(`document.getElementById('status').textContent.startsWith('The compiler stopped on this text')`)
	}
	b.quiet()
}

// repeated returns a text n times, each with its number.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i)
	}
	return b.String()
}

// aliases returns YAML that is small, and has more values than fit into any memory when its aliases are followed.
func aliases() string {
	text := "a0: &a0 [x]\n"
	for i := range 12 {
		text += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 8), i)
	}
	return text
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
