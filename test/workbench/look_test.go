package workbench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

// axe fails for each rule of accessibility that the page breaks, by axe-core, in light and dark.
func (b *tab) axe(what string) {
	b.Helper()
	script, err := os.ReadFile(filepath.Join("..", "..", "bin", "workbench", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		b.Skip("axe-core is not installed: make workbench installs it")
	}
	for _, scheme := range []string{"light", "dark"} {
		b.do(func(ctx context.Context) error { return b.scheme(ctx, scheme) })
		eval[bool](b, string(script)+"; true")
		found := eval[[]string](b, `axe.run(document).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join('\n')))`)
		for _, one := range found {
			b.Errorf("%s, %s: %.600s", what, scheme, one)
		}
	}
}

// TestAxe: axe finds nothing on either page.
func TestAxe(t *testing.T) {
	h, _ := newBox()
	b, _ := openExplorer(t, h)
	b.axe("the explorer")
	b.open("search_items")
	b.json(`{"query": "", "limit": 99, "near": {"distance": 1}}`)
	b.press("Call")
	b.shows("expected at least 1 character")
	b.axe("a tool with violations")
	b.open("place_order")
	b.json(`{"sku": "ABC-0001", "count": 2, "payment": {"kind": "cash"}}`)
	b.press("Call")
	b.shows("Order 2 x ABC-0001?")
	eval[bool](b, `document.getElementById('showtrace').click() ?? true`)
	b.axe("a question, and the messages")
	b.picture("explorer-messages")
	p, _ := openPlayground(t, "")
	p.axe("the playground")
	p.put("rpcgen: v1\npackage: p\ntypes:\n  A: {fields: {a: strin}}\n")
	p.axe("the playground with a fault")
}

// formJS is how tests reach the modules of the page.
const formJS = `const { form, fits } = await import('/form.js'); const { parse, print, from } = await import('/json.js');`

// TestForms: every example of a schema with every kind of type makes the trip from JSON into the form and back unchanged, and so does what
// other tools are known to change: null against absent, unions, nested ones too, escapes and line breaks, large numbers, and special names.
func TestForms(t *testing.T) {
	b := newTab(t)
	b.visit(serve(t, explorer.NewHandler(nil, explorer.Options{})) + "/")
	document, err := os.ReadFile("../../cmd/rpcgen/internal/language/openrpc/testdata/allkinds.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(string(document))
	if err != nil {
		t.Fatal(err)
	}
	changed := eval[[]string](b, fmt.Sprintf(`(async () => { %s
		const document = parse(%s);
		const bad = [];
		let seen = 0;
		const components = document.get('components');
		for (const m of document.get('methods')) {
			for (const e of m.get('examples') || []) {
				for (const [i, p] of (e.get('params') || []).entries()) {
					const declared = (m.get('params') || []).find((one) => one.get('name') === p.get('name')) || (m.get('params') || [])[i];
					if (!declared) continue;
					const schema = new Map(declared.get('schema')).set('components', components);
					const f = form(schema, () => {});
					f.set(p.get('value'));
					seen++;
					if (print(f.get()) !== print(p.get('value'))) bad.push(m.get('name') + ' ' + p.get('name') + ': ' + print(p.get('value')) + ' became ' + print(f.get()));
				}
			}
		}
		return [String(seen), ...bad];
	})()`, formJS, quoted))
	t.Logf("%s values made the trip", changed[0])
	for _, one := range changed[1:] {
		t.Errorf("%.300s", one)
	}
	for schema, values := range map[string][]string{
		`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":"string"}}}`: {`{}`, `{"a":null}`, `{"a":""}`, `{"a":"x","b":""}`, `{"b":5}`, `{"b":null}`},
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:               {`{"a":"line\nbreak \\ \"quoted\" \t \u0000"}`, `{"a":"\r\n"}`, `{}`, `{"a":null}`, `{"a":[1]}`},
		`{"type":"object","properties":{"n":{"type":"integer"}}}`:                               {`{"n":9007199254740993}`, `{"n":-0}`, `{"n":1e400}`, `{"n":1.50}`, `{"n":"seven"}`},
		`{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"b"},"y":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"number"}}]}},"required":["kind"]}]}`: {
			`{"kind":"a","x":"1"}`, `{"kind":"b","y":"1"}`, `{"kind":"b","y":[1,2.0]}`, `{"kind":"c"}`, `5`},
		`{"anyOf":[{"type":"string"},{"type":"null"},{"type":"boolean"}]}`:                                                                             {`null`, `"x"`, `false`, `3`},
		`{"type":"object","additionalProperties":{"type":"integer"}}`:                                                                                  {`{"__proto__":1,"constructor":2,"toString":3}`, `{}`},
		`{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}`:                                               {`{"__proto__":"a","constructor":"b"}`},
		`{"type":"array","items":{"type":"array","items":{"type":["integer","null"]}}}`:                                                                {`[]`, `[[],[1,null]]`, `{}`},
		`{"$defs":{"T":{"type":"object","properties":{"next":{"$ref":"#/$defs/T"}}}},"$ref":"#/$defs/T"}`:                                              {`{"next":{"next":{}}}`, `{}`},
		`{"enum":["a",1,null,{"b":[]}]}`:                                                                                                               {`"a"`, `1`, `null`, `{"b":[]}`, `"other"`},
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                                                          {`{"a":"x","unknown":1}`},
		`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"required":["a","b"]}`:                                                      {`{"a":{"a":{},"b":{}},"b":{}}`},
		`{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`:                                                                                                        {`1`},
		`{"oneOf":[{"$ref":"#"},{"$ref":"#"},{"type":"array","items":{"$ref":"#"}},{"type":"string"}]}`:                                                {`"x"`, `[[["x"],"y"]]`},
		`{"type":"object","properties":[],"required":5,"items":7,"enum":"x","pattern":"(","minLength":"a","oneOf":{}}`:                                 {`{}`},
		`{"type":"string","pattern":"^(a+)+$","$ref":"#/%"}`:                                                                                           {`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"`},
		`{"$defs":{"A":{"oneOf":[{"$ref":"#/$defs/B"},{"type":"string"}]},"B":{"oneOf":[{"$ref":"#/$defs/A"},{"type":"number"}]}},"$ref":"#/$defs/A"}`: {`"x"`, `1`, `{}`},
		`true`:                       {`[1,{"a":null}]`},
		`{"$ref":"#/$defs/missing"}`: {`{"a":1}`},
	} {
		for _, value := range values {
			got := eval[string](b, fmt.Sprintf(`(async () => { %s
				const schema = parse(%q);
				const f = form(schema instanceof Map ? schema : new Map(), () => {});
				f.set(parse(%q));
				return print(f.get());
			})()`, formJS, schema, value))
			want := eval[string](b, fmt.Sprintf(`(async () => { %s return print(parse(%q)); })()`, formJS, value))
			if got != want {
				t.Errorf("of %s, %s became %s", schema, want, got)
			}
		}
	}
	b.quiet()
}

// TestKinds opens the form of each method of a schema with every kind of type, at the width of a telephone: none is wider than the window.
func TestKinds(t *testing.T) {
	document, err := os.ReadFile("../../cmd/rpcgen/internal/language/openrpc/testdata/allkinds.openrpc.json")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := openExplorer(t, explorer.NewHandler(nil, explorer.Options{Name: "All kinds", Document: document}))
	b.wide(360)
	for _, name := range eval[[]string](b, `[...document.querySelectorAll('#entries button')].map((one) => one.textContent)`) {
		b.open(name)
		if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%s: the page is %d wider than the window", name, wide)
		}
		if presets := eval[int](b, `(() => { const all = [...document.querySelectorAll('main section > .row:first-child button')]; all[0]?.click(); return all.length; })()`); presets > 0 {
			if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("%s, with an example: the page is %d wider than the window", name, wide)
			}
		}
		if name == "all/union" && eval[bool](b, `document.querySelector('main').innerText.includes('nothing to enter')`) {
			t.Error("params that are a union have no form")
		}
		if name == "all/struct" || name == "all/union" {
			b.picture("explorer-" + strings.ReplaceAll(name, "/", "-"))
			b.wide(360)
		}
	}
	b.quiet()
}

// TestHostileServer: markup in every text is text, a description of 10 MB is cut, and 10,000 tools are listed a part at a time.
func TestHostileServer(t *testing.T) {
	const markup = `<img src=x onerror=alert(1)><script>alert(1)</script>`
	tools := []map[string]any{{"name": markup, "title": markup, "description": markup + strings.Repeat("long ", 2<<20), "inputSchema": map[string]any{
		"type": "object", "properties": map[string]any{"__proto__": map[string]any{"type": "string", "description": markup, "default": markup}, markup: map[string]any{"enum": []string{markup}}}}}}
	for i := range 10_000 {
		tools = append(tools, map[string]any{"name": fmt.Sprintf("tool_%d", i), "inputSchema": map[string]any{"type": "object"}})
	}
	document, err := json.Marshal(map[string]any{"tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := openExplorer(t, explorer.NewHandler(nil, explorer.Options{Name: markup, Document: document}))
	b.open(markup)
	if n := eval[int](b, `document.querySelectorAll('img, main script, nav script').length`); n > 0 {
		t.Errorf("the page has %d elements from texts of the server", n)
	}
	if n := eval[int](b, `document.body.innerText.length`); n > 100_000 {
		t.Errorf("the page shows %d characters", n)
	}
	b.picture("explorer-hostile")
	took := eval[float64](b, `(() => { const s = document.getElementById('search'); s.value = 'tool_9999'; const t = performance.now(); s.dispatchEvent(new Event('input')); return performance.now() - t; })()`)
	t.Logf("a search among 10,000 tools takes %.0f ms", took)
	b.open("tool_9999")
	b.quiet()
}

// TestExplorerFigures prints the sizes and times that the page has goals for: at most 150 kB compressed, and 200 ms to the first view.
func TestExplorerFigures(t *testing.T) {
	h, _ := newBox()
	size := int64(0)
	for _, name := range []string{"index.html", "look.css", "dom.js", "json.js", "form.js", "check.js", "client.js", "copies.js", "content.js", "caps.js", "picture.js", "explorer.js"} {
		resp, err := http.Get(serve(t, h) + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		size += resp.ContentLength
		resp.Body.Close()
	}
	b, url := openExplorer(t, h)
	// What a machine takes for any page with a script, at the same time, tells the page from the load.
	empty := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<!doctype html><p>Text</p><script type="module" src="script.js"></script>`)
			return
		}
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, `document.body.dataset.ready = 'true';`)
	}))
	views := map[string][]float64{}
	for range 5 {
		for _, page := range []string{h.URL(url + "/"), empty + "/"} {
			b.visit("about:blank")
			b.visit(page)
			views[page] = append(views[page], eval[float64](b, `new Promise((done) => new PerformanceObserver((list) => {
				for (const e of list.getEntriesByName('first-contentful-paint')) done(e.startTime);
			}).observe({type: 'paint', buffered: true}))`))
		}
	}
	middle := func(page string) float64 { slices.Sort(views[page]); return views[page][2] }
	t.Logf("the page has %d bytes, not compressed; the first view comes %.0f ms after it was asked for, %.1f times what an empty page takes", size,
		middle(h.URL(url+"/")), middle(h.URL(url+"/"))/middle(empty+"/"))
	if size > 150_000 {
		t.Errorf("the page has %d bytes", size)
	}
	tools := strings.Repeat(`{"name":"other","description":"Does something.","inputSchema":{"type":"object"}},`, 999) + `{"name":"last","inputSchema":{"type":"object"}}`
	b, _ = openExplorer(t, explorer.NewHandler(nil, explorer.Options{Document: []byte(`{"tools":[` + tools + `]}`)}))
	t.Logf("with 1,000 tools, the longest task while the page loads and a person searches takes %.0f ms (0: none above 50)", eval[float64](b, `new Promise((done) => {
		let most = 0;
		new PerformanceObserver((list) => { for (const e of list.getEntries()) most = Math.max(most, e.duration); }).observe({type: 'longtask', buffered: true});
		const search = document.getElementById('search');
		let n = 0;
		const timer = setInterval(() => {
			search.value = 'last'.slice(0, ++n);
			search.dispatchEvent(new Event('input'));
			if (n < 4) return;
			clearInterval(timer);
			setTimeout(() => done(most), 300);
		}, 50);
	})`))
}

// TestLost: when the server has gone, the page says so, and it can connect again. What was typed stays: arguments, a text that is not JSON yet, and the
// answer to a question, which cannot be given any more.
func TestLost(t *testing.T) {
	h, _ := newBox()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	b := newTab(t)
	b.visit(h.URL(s.URL + "/"))
	b.wait(`document.body.dataset.ready === 'true'`)
	b.open("search_items")
	b.json(`{"query": "typed by hand"}`)
	b.open("reserve")
	b.json(`{"sku": "half`)
	b.open("place_order")
	b.json(`{"sku": "ABC-0001", "count": 2}`)
	b.press("Call")
	b.shows("Order 2 x ABC-0001?")
	b.typed("note", "not before ten")
	s.CloseClientConnections()
	b.shows("This cannot be answered any more: the connection has ended")
	b.picture("explorer-lost")
	if got := b.copied("Copy what was typed"); !strings.Contains(got, "not before ten") {
		t.Errorf("what was typed is copied as %s", got)
	}
	b.press("Close")
	b.press("Connect again")
	b.shows("Connected")
	b.open("reserve")
	b.press("Call")
	b.shows("Not JSON: line 1, column 9")
	if got := eval[string](b, `document.querySelector('[aria-label="The arguments as JSON"]').value`); got != `{"sku": "half` {
		t.Errorf("the text that is not JSON yet is %q", got)
	}
	b.open("search_items")
	if got := eval[string](b, `document.querySelector('[aria-label="The arguments as JSON"]').value`); !strings.Contains(got, "typed by hand") {
		t.Errorf("the JSON is %q", got)
	}
	b.press("Call")
	b.shows("9007199254740993")
}
