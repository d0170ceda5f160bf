package remote

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestExploreService: the page of a service that a file describes has the title of that, and calls the service over each transport.
func TestExploreService(t *testing.T) {
	all := services(t, notes{})
	all["none"] = &Server{}
	for name, s := range all {
		h, err := (&Flags{Server: *s}).page(new(cobra.Command), described(t, notesDocument), false)
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

// TestExploreRefused: a page whose server refuses the connection for the lack of a token says how one is sent.
func TestExploreRefused(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer site.Close()
	h, err := (&Flags{Server: Server{URL: "ws" + strings.TrimPrefix(site.URL, "http")}}).page(new(cobra.Command), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(h.URL(""), "#token=")
	r := httptest.NewRequest(http.MethodGet, "http://localhost/api/stream", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := w.Body.String(); !strings.Contains(got, "401 Unauthorized: send a token with -H 'Authorization: Bearer TOKEN'") {
		t.Errorf("the page gets %q", got)
	}
	_, client, err := (&Server{URL: site.URL}).HTTP(Terminal{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Get(site.URL); err == nil || !strings.HasSuffix(err.Error(), "the server requires a token: log in with --login browser, or send a token with -H 'Authorization: Bearer TOKEN'") {
		t.Errorf("over HTTP it gets %v", err)
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
