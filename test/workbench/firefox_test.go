package workbench

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// firefox drives the browser by WebDriver BiDi: JSON over a WebSocket, with a page whose id is Context.
type firefox struct {
	conn    net.Conn
	b       *tab
	Context string `json:"context"`

	mu      sync.Mutex
	last    int
	waiting map[int]chan<- reply
	ended   chan struct{} // closed when no message comes any more
}

// reply is a message of the browser: an answer if it has an id, and an event otherwise.
type reply struct {
	ID             int             `json:"id"`
	Result         json.RawMessage `json:"result"`
	Error, Message string
	Method         string
	Params         struct {
		Type, Level, Text string
		Request           struct{ URL string }
	}
}

// prefs keep the browser from showing and asking for anything else.
const prefs = `user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("remote.active-protocols", 1);
`

// newFirefox starts the browser, which Debian calls firefox-esr; FIREFOX names another one.
func newFirefox(t *testing.T, b *tab) driver {
	t.Helper()
	path := found(t, "Firefox", os.Getenv("FIREFOX"), "firefox", "firefox-esr")
	profile, err := os.MkdirTemp("", "firefox") // which the browser may still write into when it is killed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) })
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0")
	says, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	lines, address := bufio.NewScanner(says), ""
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "WebDriver BiDi listening on ")
	}
	if address == "" {
		t.Fatal("Firefox cannot be driven")
	}
	go io.Copy(io.Discard, says)
	conn, _, _, err := ws.Dial(t.Context(), address+"/session")
	if err != nil {
		t.Fatal(err)
	}
	f := &firefox{conn: conn, b: b, waiting: map[int]chan<- reply{}, ended: make(chan struct{})}
	t.Cleanup(func() {
		conn.Close()
		<-f.ended
	})
	go f.read()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	err = errors.Join(f.call(ctx, "session.new", `{"capabilities":{}}`, nil),
		f.call(ctx, "session.subscribe", `{"events":["log.entryAdded","network.beforeRequestSent"]}`, nil),
		f.call(ctx, "browsingContext.create", `{"type":"window"}`, f)) // keys press no buttons in the window that is there
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// read takes messages until the connection ends.
func (f *firefox) read() {
	defer close(f.ended)
	for {
		text, err := wsutil.ReadServerText(f.conn)
		if err != nil {
			return
		}
		var r reply
		if err := json.Unmarshal(text, &r); err != nil {
			f.b.complains("Firefox says what cannot be read: " + err.Error())
		}
		switch {
		case r.Method == "network.beforeRequestSent":
			f.b.asks(r.Params.Request.URL)
		case r.Method == "log.entryAdded" && (r.Params.Type == "console" || r.Params.Level == "error"):
			f.b.complains(r.Params.Text)
		case r.ID > 0:
			f.mu.Lock()
			f.waiting[r.ID] <- r
			f.mu.Unlock()
		}
	}
}

// call sends a command, and reads its result into v unless that is nil. CONTEXT in the parameters stands for the page.
func (f *firefox) call(ctx context.Context, method, params string, v any) error {
	answered := make(chan reply, 1)
	f.mu.Lock()
	f.last++
	id := f.last
	f.waiting[id] = answered
	err := wsutil.WriteClientText(f.conn, fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s}`, id, method, strings.Replace(params, "CONTEXT", f.Context, 1)))
	f.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case r := <-answered:
		if r.Error != "" {
			return fmt.Errorf("%s: %s: %s", method, r.Error, r.Message)
		}
		if v == nil {
			return nil
		}
		return json.Unmarshal(r.Result, v)
	case <-f.ended:
		return fmt.Errorf("%s: Firefox has gone", method)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

func (f *firefox) open(ctx context.Context, url string) error {
	return f.call(ctx, "browsingContext.navigate", fmt.Sprintf(`{"context":"CONTEXT","wait":"complete","url":%s}`, quoted(url)), nil)
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	b, _ := json.Marshal(text)
	return b
}

func (f *firefox) evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	var said struct {
		Type             string
		Result           remote
		ExceptionDetails struct{ Text string }
	}
	err := f.call(ctx, "script.evaluate", fmt.Sprintf(`{"target":{"context":"CONTEXT"},"awaitPromise":true,"userActivation":true,"expression":%s}`, quoted(expression)), &said)
	if err == nil && said.Type != "success" {
		err = errors.New(said.ExceptionDetails.Text)
	}
	if err != nil {
		return json.RawMessage("null"), err
	}
	return said.Result.json(), nil
}

// remote is a value of the page.
type remote struct {
	Type  string
	Value json.RawMessage
}

// json returns the value as JSON. What JSON does not have is null.
func (r remote) json() json.RawMessage {
	switch r.Type {
	case "string", "boolean", "number":
		return r.Value
	case "array":
		var all []remote
		var texts []string
		json.Unmarshal(r.Value, &all)
		for _, one := range all {
			texts = append(texts, string(one.json()))
		}
		return json.RawMessage("[" + strings.Join(texts, ",") + "]")
	}
	return json.RawMessage("null")
}

func (f *firefox) resize(ctx context.Context, width int64) error {
	size := "null"
	if width > 0 {
		size = fmt.Sprintf(`{"width":%d,"height":900}`, width)
	}
	return f.call(ctx, "browsingContext.setViewport", `{"context":"CONTEXT","viewport":`+size+`}`, nil)
}

// scheme does nothing: BiDi cannot choose one.
func (f *firefox) scheme(context.Context, string) error { return nil }

func (f *firefox) screenshot(ctx context.Context) ([]byte, error) {
	var picture struct{ Data []byte }
	err := f.call(ctx, "browsingContext.captureScreenshot", `{"context":"CONTEXT"}`, &picture)
	return picture.Data, err
}

func (f *firefox) press(ctx context.Context, keys string) error {
	var actions []string
	for _, key := range keys {
		value := quoted(cmp.Or(map[rune]string{'\t': "\ue004", '\r': "\ue006"}[key], string(key)))
		actions = append(actions, fmt.Sprintf(`{"type":"keyDown","value":%s},{"type":"keyUp","value":%s}`, value, value))
	}
	return f.call(ctx, "input.performActions", `{"context":"CONTEXT","actions":[{"type":"key","id":"keys","actions":[`+strings.Join(actions, ",")+`]}]}`, nil)
}
