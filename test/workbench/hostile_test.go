package workbench

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/x/explorer"
)

// hostile is a server that says what it wants: the members of its answers, by the methods.
type hostile map[string]string

func (hostile) NextID(int) (int64, error) { return 0, errors.New("no ids are needed") }

func (h hostile) Call(_ context.Context, id int64, msg []byte) ([]byte, error) {
	var m struct {
		Method string
		Params struct{ Name string }
	}
	if err := json.Unmarshal(msg, &m); err != nil {
		return nil, err
	}
	said, ok := h[m.Method]
	if own, some := h[m.Params.Name]; some {
		said, ok = own, true
	}
	if !ok {
		said = `"error":{"code":-32601,"message":"no"}`
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,%s}`, id, said), nil
}

func (hostile) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errors.New("no batches are sent")
}

func (hostile) Notify(context.Context, []byte) error { return nil }

// page opens the page of a server with a tool for each text that has no slash in its name.
func (h hostile) page(t *testing.T) *tab {
	t.Helper()
	h["server/discover"] = `"result":{"capabilities":{"tools":{},"resources":{}}}`
	if h["tools/list"] == "" {
		var tools []string
		for name := range h {
			if !strings.Contains(name, "/") {
				tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, name))
			}
		}
		h["tools/list"] = `"result":{"tools":[` + strings.Join(tools, ",") + `]}`
	}
	b, _ := openExplorer(t, explorer.NewRelay(func(context.Context, runtime.Handler) (runtime.Conn, error) { return h, nil }, explorer.Options{Runtime: runtime.Options{Logger: silent}}))
	return b
}

// called calls a tool, and waits until the answer shows a text.
func (b *tab) called(name, shows string) {
	b.Helper()
	b.open(name)
	b.press("Call")
	b.wait(fmt.Sprintf(`document.querySelector('[aria-label="Answer"]').innerText.includes(%q)`, shows))
}

// TestHostileLists: entries that cannot be read, or would take for ever, hide no other one, and each can be opened. What takes time in proportion to the
// square of these sizes does not end within the patience of a test.
func TestHostileLists(t *testing.T) {
	field := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	var all, values []string
	for i := range 100_000 {
		all = append(all, fmt.Sprintf(`{"properties":{"p%d":{}}}`, i))
		values = append(values, fmt.Sprintf(`"v%d"`, i))
	}
	schemas := map[string]string{
		"fine":      field(`{"type":"string"}`),
		"pattern":   field(`{"type":"string","pattern":"` + strings.Repeat("a+", 2_000_000) + `"}`),
		"allOf":     `{"type":"object","allOf":[` + strings.Join(all, ",") + `]}`,
		"enum":      field(`{"enum":[` + strings.Join(values, ",") + `]}`),
		"reference": field(`{"$ref":"#` + strings.Repeat("/a", 200_000) + `"}`),
		"deep":      field(strings.Repeat(`{"items":`, 600) + "{}" + strings.Repeat("}", 600)),
		"twice":     `{"type":"object","type":"string"}`,
	}
	var tools []string
	for name, schema := range schemas {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, schema))
	}
	b := hostile{
		"tools/list":               `"result":{"tools":[` + strings.Join(tools, ",") + `,{"name":"` + strings.Repeat("n", 1<<20) + `"}]}`,
		"resources/templates/list": `"result":{"resourceTemplates":[{"name":"template","uriTemplate":"` + strings.Repeat("{", 1_000_000) + `"},{"name":"short","uriTemplate":"x:{a,b*}{c"}]}`,
		"resources/list":           `"result":{"resources":[]}`,
	}.page(t)
	for name := range schemas {
		if name == "deep" || name == "twice" {
			b.open(name + " (cannot be read)")
			b.shows("This entry cannot be read")
			continue
		}
		b.open(name)
		b.wait(`document.querySelector('main h2').textContent === ` + fmt.Sprintf("%q", name) + ` && document.querySelector('[aria-label="The arguments as JSON"]')`)
	}
	b.open("pattern")
	b.typed("a", "aaaa")
	b.wait(`document.querySelector('[aria-label="The arguments as JSON"]').value.includes('aaaa')`)
	b.open("enum")
	b.choose("a", "value")
	b.shows("99,000 more values are in the JSON only.")
	b.open("template")
	b.open("short")
	b.wait(`[...document.querySelectorAll('main label')].map((one) => one.textContent).join() === 'a,b'`)
	b.quiet()
}

// TestHostileLength: of a list of 150,000 tools, some are shown, and that there are more, beside what is wrong with other lists.
func TestHostileLength(t *testing.T) {
	b := hostile{"tools/list": `"result":{"tools":[` + strings.Repeat(`{"name":"one"},`, 149_999) + `{"name":"last"}]}`}.page(t)
	b.shows("tools/list: only the first 20,000 entries are shown.")
	b.shows("resources/list: no")
	b.shows("resources/templates/list: no")
	b.shows("Show more: 19")
	b.quiet()
}

// picture is the beginning of a PNG image of a size.
func picture(width, height uint32) string {
	head := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(head, width), height))
}

// TestHostileAnswers: what answers say is shown in part, and nothing of it is taken for what the page's own server says.
func TestHostileAnswers(t *testing.T) {
	image := func(kind, data string) string {
		return fmt.Sprintf(`{"type":"image","mimeType":"image/%s","data":%q}`, kind, data)
	}
	long := strings.Repeat("x", 9<<20)
	b := hostile{
		"pictures": `"result":{"content":[` + strings.Join([]string{image("svg+xml", base64.StdEncoding.EncodeToString([]byte("<svg/>"))), image("png", picture(20_000, 20_000)),
			image("png", dot), image("gif", "R0lGODdhAQABAAAAACwAAAAA////AAA="), image("png", "AAAA")}, ",") + `]}`,
		"error":      `"error":{"code":-1,"message":"` + long + `"}`,
		"violations": `"error":{"code":-1,"message":"bad","data":{"violations":[` + strings.Repeat(`{"pointer":"/a","expected":"text"},`, 60_000) + `{"pointer":"` + strings.Repeat("/a", 200_000) + `"}]}}`,
		"ended":      `"explorerEnded":"the end","result":{"content":[{"type":"text","text":"ended not"}]}`,
		"page":       `"explorerPage":"another","result":{"content":[{"type":"text","text":"another not"}]}`,
		"twice":      `"result":{"content":[{"type":"text","text":"shown","text":"shown again"}]}`,
		"deep":       `"result":{"structuredContent":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	}.page(t)
	b.called("pictures", "because 20000 x 20000 is too large")
	b.wait(`document.querySelectorAll('.content img').length === 1 && document.querySelector('.content').innerText.includes('does not say its size')`)
	b.called("error", "more characters are not shown")
	if n := eval[int](b, `document.querySelector('[aria-label="Answer"]').innerText.length`); n > 10_000 {
		t.Errorf("the error is shown with %d characters", n)
	}
	b.called("violations", "60001 values are not as the schema has them; 100 are shown.")
	b.called("ended", "ended not")
	b.called("page", "another not")
	b.called("twice", `the name "text" stands here twice`)
	b.called("deep", "the value is nested too deep")
	b.called("ended", "ended not")
	b.quiet()
}

// TestSizes: the sizes of pictures are looked up in all formats that are shown.
func TestSizes(t *testing.T) {
	b := newTab(t)
	b.visit(serve(t, explorer.NewHandler(nil, explorer.Options{})) + "/")
	got := eval[string](b, `Promise.all([import('/picture.js')]).then(async ([{size}]) => {
		const canvas = document.createElement('canvas');
		[canvas.width, canvas.height] = [300, 70];
		canvas.getContext('2d').fillRect(0, 0, 20, 20);
		const all = ['png', 'jpeg', 'webp'].map((kind) => canvas.toDataURL('image/' + kind, 0.5).split(',')[1]);
		all.push('R0lGODdhLAFGAAAAACwAAAAALAFGAAAA', '', 'AAAA', '/9j/4AAQ');
		return all.map((one) => String(size(one))).join(' ');
	})`)
	if got != "300,70 300,70 300,70 300,70 null null null" {
		t.Error(got)
	}
}

// TestHostileTrace: the messages that the page keeps are bounded in sum.
func TestHostileTrace(t *testing.T) {
	b := newTab(t)
	b.visit(serve(t, explorer.NewHandler(nil, explorer.Options{})) + "/")
	kept := eval[[]int](b, `Promise.all([import('/client.js'), import('/caps.js')]).then(([{Client}, {caps}]) => {
		const c = new Client('t', {trace() {}});
		for (let i = 0; i < 40; i++) c.note(false, 'x'.repeat(1000000));
		return [c.trace.reduce((sum, one) => sum + one.text.length, 0), caps.trace, c.trace.length];
	})`)
	if kept[0] > kept[1] || kept[2] < 10 {
		t.Errorf("of 40 messages of 10^6 characters, %d with %d characters are kept", kept[2], kept[0])
	}
}

// asks is a tool that asks to open an address.
var asks = hostile{"ask": `"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","url":"https://evil.example","message":"Go"}}}}`}

// TestQuestionWaits: a question that appears takes no focus, and its buttons do nothing until a person can have seen it.
func TestQuestionWaits(t *testing.T) {
	b := asks.page(t)
	b.open("ask")
	eval[any](b, `window.later = []; window.setTimeout = (f, wait) => later.push([f, wait])`)
	eval[any](b, `document.getElementById('search').focus(); [...document.querySelectorAll('button')].find((one) => one.textContent === 'Call').click()`)
	b.shows("https://evil.example")
	state := func() string {
		return eval[string](b, `document.activeElement.id + ' ' + [...document.querySelectorAll('fieldset .row button')].filter((one) => /opened|Decline/.test(one.textContent)).map((one) => one.disabled)`)
	}
	if got := state(); got != "search true,true" {
		t.Errorf("when the question appears: %s", got)
	}
	eval[any](b, `for (const [f, wait] of later) if (wait === 1000) f()`)
	if got := state(); got != "search false,false" {
		t.Errorf("a second later: %s", got)
	}
	b.quiet()
}

// TestManyQuestions: of many questions, some are open, and the others are answered with an error.
func TestManyQuestions(t *testing.T) {
	b := asks.page(t)
	for range 22 {
		b.open("ask")
		b.press("Call")
	}
	b.shows("Too many questions are open")
	b.wait(`document.querySelectorAll('[aria-label="Questions of the server"] fieldset').length === 20`)
	b.quiet()
}

// TestManyChanges: a server that tells of many changes of its lists, and then does not say what they are, is not asked for each change.
func TestManyChanges(t *testing.T) {
	near, far := pipe.New(0)
	t.Cleanup(func() { far.Close() })
	var asked atomic.Int32
	go func() {
		for {
			text, err := far.ReadFrame()
			if err != nil {
				return
			}
			var q struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal(text, &q); err != nil {
				t.Error(err)
				return
			}
			said, after := "", 0
			switch {
			case q.Method == "initialize":
				said = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"changing","version":"1"}}`
			case q.Method == "tools/list" && asked.Add(1) == 1:
				said, after = `{"tools":[]}`, 1000
			default:
				continue
			}
			all := []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, said)}
			for range after {
				all = append(all, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			if after > 0 {
				all = append(all, `{"jsonrpc":"2.0","method":"notifications/these-are-all"}`)
			}
			for _, one := range all {
				if far.WriteFrame([]byte(one)) != nil {
					return
				}
			}
		}
	}()
	b, _ := openExplorer(t, explorer.NewRelay(func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		return runtime.NewSession(context.WithoutCancel(ctx), near, inbound, runtime.Options{Logger: silent}), nil
	}, explorer.Options{Runtime: runtime.Options{Logger: silent}}))
	b.shows("notifications/these-are-all")
	eval[any](b, `fetch('api/about', { headers: { Authorization: 'Bearer ' + sessionStorage.getItem('explorerToken') } }).then(() => true)`) // after the requests before it
	if n := asked.Load(); n > 3 {
		t.Errorf("the server is asked %d times for a list", n)
	}
	b.quiet()
}
