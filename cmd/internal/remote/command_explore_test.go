package remote

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestExploreService: the page of a service that a file describes has the title of that, and calls the service over each transport. The title is that of the
// schema without a server, too.
func TestExploreService(t *testing.T) {
	all := services(t, notes{})
	all["none"], all["mcp"] = &Server{}, &Server{}
	for name, s := range all {
		known := described(t, notesDocument)
		if name == "mcp" { // whose export has the name of a package for a title
			known.Document = bytes.Replace(known.Document, []byte(`"title":"Notes"`), []byte(`"title":"rpc"},"x-mcp":{"name":"notes","title":"Notes"`), 1)
		}
		h, err := (&Flags{Server: *s}).page(new(cobra.Command), known, false)
		if err != nil {
			t.Fatal(name, err)
		}
		site := httptest.NewServer(h)
		_, token, _ := strings.Cut(h.URL(""), "#token=")
		ask := func(method, path, page, body string) *http.Response {
			r, err := http.NewRequestWithContext(t.Context(), method, site.URL+"/api/"+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(name, err)
			}
			r.Header = http.Header{"Authorization": {"Bearer " + token}, "Explorer-Page": {page}, "Content-Type": {"application/json"}}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(name, err)
			}
			return resp
		}
		about, _ := io.ReadAll(ask(http.MethodGet, "about", "", "").Body)
		if !strings.Contains(string(about), `"name":"Notes"`) || !strings.Contains(string(about), "note/add") {
			t.Errorf("%s: the page knows %s", name, about)
		}
		if s.URL != "" || s.Command != nil {
			stream := ask(http.MethodGet, "stream", "", "")
			page := ""
			for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
				data, ok := strings.CutPrefix(lines.Text(), "data: ")
				if ok && page == "" {
					page = data
					ask(http.MethodPost, "send", page, `{"jsonrpc":"2.0","id":7,"method":"note/add","params":{"text":"milk"}}`).Body.Close()
				} else if ok {
					if data != `{"jsonrpc":"2.0","id":7,"result":{"text":"milk"}}` {
						t.Errorf("%s: the answer is %s", name, data)
					}
					break
				}
			}
			stream.Body.Close()
		}
		http.DefaultClient.CloseIdleConnections()
		site.Close()
	}
}

// TestTakeService: a file that describes the service comes before its URL, or its tool if there is a command; other words are not taken for one.
func TestTakeService(t *testing.T) {
	for line, want := range map[string]string{
		"a.yaml":                         "a.yaml | | ",
		"a.yaml tcp://h:1 m x=1":         "a.yaml | tcp://h:1 | m x=1",
		"a.JSON ws://h m":                "a.JSON | ws://h | m",
		"http://h/a.yaml m":              " | http://h/a.yaml | m",
		"localhost:4000 m":               " | localhost:4000 | m",
		"a.yaml m x=1 -- program a.yaml": "a.yaml | | m x=1",
		"m x=a.yaml -- program":          " | | m x=a.yaml",
	} {
		var f Flags
		var got string
		c := &cobra.Command{RunE: func(c *cobra.Command, args []string) error {
			file := ""
			rest, service, err := f.takeService(c, args, func(_ *cobra.Command, name string) (*Service, error) {
				file = name
				return &Service{}, nil
			})
			if (service != nil) != (file != "") {
				t.Errorf("%s: the description is %v", line, service)
			}
			got = strings.Join([]string{file, f.URL, strings.Join(rest, " ")}, " | ")
			return err
		}}
		f.AddTo(c, "")
		c.SetArgs(strings.Fields(line))
		if err := c.Execute(); err != nil || strings.ReplaceAll(got, "  ", " ") != want {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
}
