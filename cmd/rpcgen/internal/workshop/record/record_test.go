package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/transcript"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestMain lets the test program be a server that answers each line with two.
func TestMain(m *testing.M) {
	if os.Getenv("RECORD_PEER") != "" {
		in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
		for {
			line, err := in.ReadString('\n')
			if line != "" {
				fmt.Fprintf(out, "{\"answer\":%s}\n", strings.TrimSuffix(line, "\n"))
			}
			if err != nil {
				fmt.Fprint(out, "the end")
				out.Flush()
				os.Exit(0)
			}
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
	}
	os.Exit(m.Run())
}

func newTest(t testing.TB, o transcript.WriterOptions) (*recorder, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.txtar")
	file, err := create(name)
	if err != nil {
		t.Fatal(err)
	}
	if o.Redactor == nil {
		o.Redactor = transcript.NewRedactor(transcript.RedactOptions{})
	}
	return newRecorder(file, o, func(err error) { t.Errorf("the recording stopped: %v", err) }), name
}

// TestPipe: both directions are equal byte for byte, whatever is sent; the recording has every message in its order.
func TestPipe(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	var in, want bytes.Buffer
	for i := range n {
		fmt.Fprintf(&in, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"echo\",\"params\":{\"password\":\"pass%d\"}}\n", i, i%3)
		fmt.Fprintf(&want, "{\"answer\":{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"echo\",\"params\":{\"password\":\"pass%d\"}}}\n", i, i%3)
	}
	want.WriteString("the end")
	t.Setenv("RECORD_PEER", "1")
	r, name := newTest(t, transcript.WriterOptions{})
	var out bytes.Buffer
	p := &pipe{command: []string{os.Args[0]}, in: &in, out: &out, err: io.Discard, grace: time.Minute}
	if err := p.run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes came back, and not the %d that were sent", out.Len(), want.Len())
	}
	recorded, err := transcript.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range recorded.Sections {
		for _, line := range s.Lines {
			if s.Name == transcript.Client && !bytes.Contains(line, fmt.Appendf(nil, `"id":%d,`, counts[s.Name])) {
				t.Fatalf("message %d is %s", counts[s.Name], line)
			}
			counts[s.Name]++
			if bytes.Contains(line, []byte(`"pass`)) && bytes.Contains(line, []byte(`:"pass`)) {
				t.Fatalf("a secret is in the recording: %s", line)
			}
		}
	}
	if counts[transcript.Client] != n || counts[transcript.Server] != n+1 || recorded.Redacted != 3 {
		t.Error(counts, recorded.Redacted)
	}
}

// TestLeftBehind: a process that the command leaves keeps the output open, the recording ends with the command, and the process with the recording.
func TestLeftBehind(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	r, _ := newTest(t, transcript.WriterOptions{})
	defer r.close()
	left := filepath.Join(t.TempDir(), "process") // what it prints may be cut, for the reading ends after 50 ms
	p := &pipe{command: []string{sh, "-c", `sleep 600 & echo $! >"$0"; exit 3`, left}, in: strings.NewReader(""), out: io.Discard, err: io.Discard, grace: 50 * time.Millisecond}
	var exit *exec.ExitError
	if err := p.run(t.Context(), r); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Error(err)
	}
	number, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	ends(t, string(number))
}

// TestLauncher: who stops the recording stops what a launcher has started, too, which does not pass on signals.
func TestLauncher(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	r, _ := newTest(t, transcript.WriterOptions{})
	defer r.close()
	from, to := io.Pipe()
	defer to.Close()
	ctx, stop := context.WithCancel(t.Context())
	line := make(chan string)
	read, write := io.Pipe()
	go func() {
		text, _ := bufio.NewReader(read).ReadString('\n')
		line <- text
		stop()
		io.Copy(io.Discard, read)
	}()
	p := &pipe{command: []string{sh, "-c", "trap : TERM; sh -c 'echo $$; exec sleep 600' & wait; wait"}, in: from, out: write, err: io.Discard, grace: time.Minute}
	done := make(chan error)
	go func() { done <- p.run(ctx, r) }()
	left := <-line
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ends(t, left)
	write.Close()
}

// ends waits until the process of which the number was printed is no more, or a zombie of which the parent is gone: what is killed may take a moment.
func ends(t *testing.T, printed string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(printed))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if process, err := os.FindProcess(pid); t.Failed() && err == nil {
			process.Kill()
		}
	})
	await.Until(t, fmt.Sprintf("process %d ends", pid), func() bool {
		state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
		return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
	})
}

// TestFullDisk: the recording stops, and the traffic does not.
func TestFullDisk(t *testing.T) {
	file, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	stopped := make(chan error, 10)
	r := newRecorder(file, transcript.WriterOptions{}, func(err error) { stopped <- err })
	t.Setenv("RECORD_PEER", "1")
	var out bytes.Buffer
	in := strings.Repeat("{\"a\":1}\n", 20_000)
	p := &pipe{command: []string{os.Args[0]}, in: strings.NewReader(in), out: &out, err: io.Discard, grace: time.Minute}
	if err := p.run(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.close()
	if got := strings.Count(out.String(), "\n"); got != 20_000 || len(stopped) != 1 {
		t.Errorf("%d answers; it stopped %d times", got, len(stopped))
	}
}

func TestCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	os.WriteFile(name, []byte("package a\n"), 0o600)
	if _, err := create(name); err == nil || !strings.Contains(err.Error(), "is not a recording") {
		t.Error(err)
	}
	os.WriteFile(name, []byte("rpcgen transcript v1\n-- client --\n{}\n"), 0o600)
	file, err := create(name)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := file.Stat(); info.Size() != 0 {
		t.Error(info.Size())
	}
	file.Close()
}

// TestProxy: responses of all kinds pass unchanged, as soon as they come, and are recorded without secrets.
func TestProxy(t *testing.T) {
	event := make(chan bool)
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Mcp-Session-Id", "session")
		w.Header().Set("Set-Cookie", "planted-cookie")
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, "{\n \"got\": %s}", body)
		case "/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": hello\nid: 1\ndata: \n\nid: 2\nevent: message\ndata: {\"n\":1}\n\n")
			w.(http.Flusher).Flush()
			<-event
			fmt.Fprint(w, "data: {\"n\":\ndata: 2}\r\n\r\n")
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer back.Close()
	r, name := newTest(t, transcript.WriterOptions{NoTimes: true, Transport: "http"})
	target, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- (&proxy{target: target, recorder: r}).serve(ctx, l, log.New(io.Discard, "", 0)) }()
	post := func(path, body string) *http.Response {
		req, _ := http.NewRequest(http.MethodPost, "http://"+l.Addr().String()+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer planted-authorization")
		req.Header.Set("Mcp-Param-Token", "planted-parameter")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	resp := post("/json", `{"secret":"planted-secret"}`)
	if body, _ := io.ReadAll(resp.Body); string(body) != "{\n \"got\": {\"secret\":\"planted-secret\"}}" {
		t.Errorf("%s", body)
	}
	resp = post("/stream", `{"id":1}`)
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if lines.Text() == `data: {"n":1}` {
			break
		}
	}
	close(event) // the first event has come before the second one was sent
	rest := ""
	for lines.Scan() {
		rest += lines.Text() + "\n"
	}
	if rest != "\ndata: {\"n\":\ndata: 2}\n\n" {
		t.Errorf("%q", rest)
	}
	post("/else", `{"id":2}`)
	req, _ := http.NewRequest(http.MethodGet, "http://"+l.Addr().String()+"/json", nil)
	req.Host = "evil.example"
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Error(resp, err)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(name)
	const want = `rpcgen transcript v1
redacted: 2
-- client --
# 1 POST; content-type: application/json; mcp-param-token: [redacted:1]
{"secret":"[redacted:2]"}
-- server --
# 1 200; content-type: application/json; mcp-session-id: session
base64:ewogImdvdCI6IHsic2VjcmV0IjoiW3JlZGFjdGVkOjJdIn19
-- client --
# 2 POST; content-type: application/json; mcp-param-token: [redacted:1]
{"id":1}
-- server --
# 2 200; content-type: text/event-stream; mcp-session-id: session
{"n":1}
base64:eyJuIjoKMn0=
-- client --
# 3 POST; content-type: application/json; mcp-param-token: [redacted:1]
{"id":2}
-- server --
# 3 202; mcp-session-id: session
`
	if string(text) != want {
		t.Errorf("got\n%s", text)
	}
	if strings.Contains(string(text), "planted") {
		t.Error("a secret is in the recording")
	}
}

// TestProxyEarlyAnswer: an answer that begins before the server has read the request is not cut.
func TestProxyEarlyAnswer(t *testing.T) {
	more := make(chan bool)
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if err := c.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: 1\n\n")
		c.Flush()
		<-more
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "data: %d %v\n\n", n, err)
	}))
	defer back.Close()
	r, _ := newTest(t, transcript.WriterOptions{NoTimes: true, Transport: "http"})
	target, err := url.Parse(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := proxy{target: target, recorder: r}
	front := httptest.NewServer(p.handler(log.New(t.Output(), "", 0)))
	defer front.Close()
	const size = 32 << 20 // more than sockets hold
	resp, err := http.Post(front.URL, "application/json", bytes.NewReader(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(resp.Body)
	first, _ := lines.ReadString('\n')
	close(more)
	rest, err := io.ReadAll(lines)
	if err != nil || first+string(rest) != fmt.Sprintf("data: 1\n\ndata: %d <nil>\n\n", size) {
		t.Errorf("%q %q, %v", first, rest, err)
	}
	if err := r.close(); err != nil {
		t.Error(err)
	}
}

// BenchmarkAdded measures a call over a pipe through the recorder and without it. The metric added-p99-ns is the difference of the 99th
// percentiles.
func BenchmarkAdded(b *testing.B) {
	measure := func(run func(in io.Reader, out io.Writer)) (p50, p99 time.Duration) {
		toIn, toOut := io.Pipe()
		fromIn, fromOut := io.Pipe()
		go func() { run(toIn, fromOut); fromOut.Close() }()
		lines := bufio.NewReader(fromIn)
		var all []time.Duration
		for range b.N {
			began := time.Now()
			io.WriteString(toOut, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"text\":\"some words\"}}\n")
			if _, err := lines.ReadString('\n'); err != nil {
				b.Error(err)
				break
			}
			all = append(all, time.Since(began))
		}
		toOut.Close()
		io.Copy(io.Discard, fromIn)
		slices.Sort(all)
		return all[len(all)/2], all[len(all)*99/100]
	}
	b.Setenv("RECORD_PEER", "1")
	r, _ := newTest(b, transcript.WriterOptions{})
	with50, with99 := measure(func(in io.Reader, out io.Writer) {
		p := &pipe{command: []string{os.Args[0]}, in: in, out: out, err: io.Discard, grace: grace}
		p.run(b.Context(), r)
	})
	r.close()
	plain50, plain99 := measure(func(in io.Reader, out io.Writer) {
		direct(b, in, out)
	})
	b.ReportMetric(float64((with50 - plain50).Nanoseconds()), "added-p50-ns")
	b.ReportMetric(float64((with99 - plain99).Nanoseconds()), "added-p99-ns")
}

// direct runs the peer with a copy of the bytes in each direction, as the recorder does it, and no recorder.
func direct(b *testing.B, in io.Reader, out io.Writer) {
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	to, _ := cmd.StdinPipe()
	from, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Error(err)
		return
	}
	go func() { io.Copy(to, in); to.Close() }()
	io.Copy(out, from)
	cmd.Wait()
}
