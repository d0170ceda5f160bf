package peer

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// Web is a server on a port of this machine, and a client of it.
type Web struct {
	Name   string
	url    string
	header http.Header // of every request
	client *http.Client
	stop   func() // ends the server
}

// NewWeb serves h, to a client of JSON-RPC.
func NewWeb(name string, h http.Handler) *Web {
	url, stop := serveHTTP(h)
	return &Web{Name: name, url: url, header: http.Header{"Content-Type": {"application/json"}}, stop: stop,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}}
}

// NewToolWeb serves h, to a stateless client of MCP.
func NewToolWeb(name string, h http.Handler) *Web {
	w := NewWeb(name, h)
	w.header["Accept"] = []string{"application/json, text/event-stream"}
	w.header["Mcp-Protocol-Version"] = []string{"2026-07-28"}
	w.header["Mcp-Method"] = []string{"tools/call"}
	w.header["Mcp-Name"] = []string{work.ToolCurrent}
	return w
}

// Canned answers every request with the same bytes, once it has read it.
func Canned(answer []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.Write(answer)
	})
}

// Call sends a message, and appends the answer to dst.
func (w *Web) Call(dst, msg []byte) ([]byte, error) {
	r, err := http.NewRequest(http.MethodPost, w.url, bytes.NewReader(msg))
	if err != nil {
		return dst, err
	}
	maps.Copy(r.Header, w.header)
	answer, err := w.client.Do(r)
	if err != nil {
		return dst, err
	}
	defer answer.Body.Close()
	body := bytes.NewBuffer(dst)
	if _, err := body.ReadFrom(answer.Body); err != nil {
		return dst, err
	}
	if answer.StatusCode != http.StatusOK {
		return dst, fmt.Errorf("%s: %s: %s", w.Name, answer.Status, body.Bytes()[len(dst):])
	}
	return body.Bytes(), nil
}

// Check returns why the answer to m is not what m asks for, or nil.
func (w *Web) Check(m *work.Message) error {
	answer, err := w.Call(nil, m.Bytes)
	if err == nil {
		_, err = parseTool(answer, m)
	}
	if err != nil {
		return fmt.Errorf("%s over HTTP: %w: %.300s", w.Name, err, answer)
	}
	return nil
}

// Close ends the server.
func (w *Web) Close() {
	w.client.CloseIdleConnections()
	w.stop()
}
