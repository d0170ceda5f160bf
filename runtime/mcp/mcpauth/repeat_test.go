package mcpauth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// written collects what is written about a login, and looks for secrets in it.
type written struct {
	bytes.Buffer
}

// log returns a logger that writes everything.
func (w *written) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// note writes an error in all ways, with the fields of those errors that it wraps which servers fill.
func (w *written) note(err error) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
		fmt.Fprintf(w, verb+"\n", err)
	}
	if e, ok := errors.AsType[*mcphttp.StatusError](err); ok {
		fmt.Fprintf(w, "%+v %+v\n", *e, e.Challenge)
	}
	if e, ok := errors.AsType[*runtime.Error](err); ok {
		fmt.Fprintf(w, "%+v %s\n", *e, e.Data)
	}
	if e, ok := errors.AsType[*mcpclient.ToolFailure](err); ok {
		fmt.Fprintf(w, "%+v %s\n", *e, e.Data)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		fmt.Fprintf(w, "%+v\n", *e)
	}
	if e, ok := errors.AsType[*ServerError](err); ok {
		fmt.Fprintf(w, "%+v\n", *e)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		fmt.Fprintf(w, "%+v\n", *e)
	}
}

var escapes = regexp.MustCompile(`\\+u[0-9a-fA-F]{4}|%[0-9a-fA-F]{2}|&#[0-9]+;|\\+/`)

// find returns where a secret is written, in any spelling, or "".
func (w *written) find(secrets []string) string {
	text := w.String()
	plain := escapes.ReplaceAllStringFunc(text, func(escape string) string {
		digits := strings.Trim(escape, `\u%&#;`)
		base := 16
		if escape[0] == '&' {
			base = 10
		}
		if n, err := strconv.ParseUint(digits, base, 32); err == nil {
			return string(rune(n))
		}
		return digits // a slash
	})
	for _, secret := range secrets {
		for _, text := range []string{text, plain} {
			if at := strings.Index(text, secret); at >= 0 && secret != "" {
				return fmt.Sprintf("%s in: %s", secret, text[max(0, at-300):min(len(text), at+len(secret)+50)])
			}
		}
	}
	return ""
}

// spell writes a token with an escape of JSON or of a URL in the place of its last character.
func spell(token, format string) string {
	last := len(token) - 1
	return token[:last] + fmt.Sprintf(format, token[last])
}

// repeats are ways in which an MCP server repeats the token of a request with an id.
var repeats = map[string]func(w http.ResponseWriter, r *http.Request, id, token string){
	"error, message": func(w http.ResponseWriter, _ *http.Request, id, token string) {
		repeatJSON(w, 200, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32000,"message":"bad token `+token+`"}}`)
	},
	"error, message with an escape": func(w http.ResponseWriter, _ *http.Request, id, token string) {
		repeatJSON(w, 200, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32000,"message":"bad token `+spell(token, `\u%04x`)+`"}}`)
	},
	"error, data": func(w http.ResponseWriter, _ *http.Request, id, token string) {
		repeatJSON(w, 400, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32000,"message":"no","data":{"`+token+`":["`+spell(token, "%%%02x")+`"]}}}`)
	},
	"error without an id": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatJSON(w, 404, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"bad token `+token+`","data":"`+token+`"}}`)
	},
	"error of a stream": func(w http.ResponseWriter, _ *http.Request, id, token string) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"jsonrpc":"2.0","method":"`+token+`","id":"`+token+`"}`+"\n\n")
		io.WriteString(w, `data: {"jsonrpc":"2.0","method":"`+spell(token, `\u%04x`)+`"}`+"\n\n")
		io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"`+token+`"}}`+"\n\n")
		io.WriteString(w, `data: {"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32000,"message":"bad token `+token+`"}}`+"\n\n")
	},
	"failure of a tool": func(w http.ResponseWriter, _ *http.Request, id, token string) {
		repeatJSON(w, 200, `{"jsonrpc":"2.0","id":`+id+`,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"bad token `+token+`"}]}}`)
	},
	"200 without a response": func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatRaw(w, "200 "+token, "", "") },
	"500, the beginning":     func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatText(w, 500, "bad token "+token) },
	"500, the end": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatText(w, 500, strings.Repeat(" ", 70<<10)+"bad token "+token)
	},
	"500, an escape": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatText(w, 500, spell(token, `\u%04x`))
	},
	"500, a URL": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatText(w, 500, spell(token, "%%%02x"))
	},
	"500, HTML": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatText(w, 500, spell(token, "&#%d;"))
	},
	"500, as PHP":      func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatText(w, 500, `"a\/`+token+`"`) },
	"403, the body":    func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatText(w, 403, "bad token "+token) },
	"401, the body":    func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatText(w, 401, "bad token "+token) },
	"a redirect":       repeatRedirect,
	"a strange answer": func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatRaw(w, token, "", "") },
	"a strange header": func(w http.ResponseWriter, _ *http.Request, _, token string) { repeatRaw(w, "200 OK", token, "") },
	"a strange size": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatRaw(w, "200 OK", "Content-Length: "+token, "")
	},
	"a strange address": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		repeatRaw(w, "307 Moved", "Location: http://%zz"+token, "")
	},
	"resource metadata": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="other", resource_metadata="https://192.168.1.1/?`+token+`"`)
		repeatText(w, 403, "no")
	},
	"a scope": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+token+`"`)
		repeatText(w, 403, "no")
	},
	"a description": func(w http.ResponseWriter, _ *http.Request, _, token string) {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_request", error_description="`+token+`", resource_metadata="https://a/?`+token+`", scope="`+token+`"`)
		repeatText(w, 403, "no")
	},
}

func repeatJSON(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

func repeatText(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// repeatRaw answers with what net/http does not write.
func repeatRaw(w http.ResponseWriter, status, header, body string) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(rw, "HTTP/1.1 %s\r\n%s\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n%s", status, header, body)
	rw.Flush()
}

// repeatRedirect redirects to an address of the same server that does not answer.
func repeatRedirect(w http.ResponseWriter, r *http.Request, _, token string) {
	if r.URL.RawQuery != "" {
		repeatRaw(w, "?", "", "")
		return
	}
	http.Redirect(w, r, r.URL.Path+"?"+token, http.StatusTemporaryRedirect)
}

// serveRepeats answers requests that have a token in one of the ways, and others as before.
func (a *authority) serveRepeats(way func(w http.ResponseWriter, r *http.Request, id, token string)) {
	before := a.mcp.Config.Handler
	a.mcp.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, token, some := strings.Cut(r.Header.Get("Authorization"), " ")
		if !some || r.URL.Path != "/mcp" {
			before.ServeHTTP(w, r)
			return
		}
		var msg struct {
			ID json.RawMessage `json:"id"`
		}
		json.NewDecoder(r.Body).Decode(&msg)
		way(w, r, string(msg.ID), token)
	})
}

// TestRepeatedToken: a token that an MCP server repeats is in no error of a client, in no record of its log at any level, and not in the
// address of a login page, however the server repeats it, and wherever the client has the token from.
func TestRepeatedToken(t *testing.T) {
	const fixed = "SECRET-TOKEN.with~some+more_characters-1"
	for name, way := range repeats {
		for _, from := range []string{"a login", "Token", "Header"} {
			for _, era := range []mcp.Era{0, mcp.Stateless} {
				t.Run(fmt.Sprint(name, ", ", from, ", ", era), func(t *testing.T) {
					a, w := newAuthority(t), new(written)
					a.serveRepeats(way)
					o := mcphttp.ClientOptions{Runtime: runtime.Options{Logger: w.log()}}
					switch from {
					case "a login":
						o.HTTP = a.transport(Options{Grant: &Login{Agent: &Loopback{Open: func(ctx context.Context, page string) error {
							u, _ := url.Parse(page)
							q := u.Query()
							q.Del("state") // which belongs there
							u.RawQuery = q.Encode()
							fmt.Fprintln(w, u)
							return follow(ctx, page)
						}}}}).Client()
					case "Token":
						o.Token = func(context.Context, *mcphttp.Challenge) (string, error) { return fixed, nil }
					case "Header":
						o.Header = http.Header{"Authorization": {"Bearer " + fixed}}
					}
					if !useRepeating(t, a, w, o, era) {
						t.Error("no error")
					}
					if found := w.find(append(a.secrets, fixed)); found != "" {
						t.Error(found)
					}
				})
			}
		}
	}
}

// useRepeating uses a server, and notes the errors. It reports whether there was one.
func useRepeating(t *testing.T, a *authority, w *written, o mcphttp.ClientOptions, era mcp.Era) (failed bool) {
	conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(a.mcp.URL+"/mcp", o), mcpclient.Options{
		Era: era, Logger: w.log(), OnLog: func(_ context.Context, m mcpclient.LogMessage) { fmt.Fprintln(w, m.Data) },
	})
	w.note(err)
	if err == nil {
		_, err = toolbox.NewClient(conn).LookUp(t.Context(), toolbox.Query{Text: "tea"})
		w.note(err)
		conn.Close()
	}
	_, old := mcphttp.DialSSE(a.mcp.URL+"/mcp", o)(t.Context(), nil)
	w.note(old)
	return err != nil && old != nil
}

// TestRepeatedForm: what an authorization server repeats of a request for a token is in no error.
func TestRepeatedForm(t *testing.T) {
	const password = "S3cret+word/with=signs"
	failWith := func(text func(r *http.Request) string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			description, _ := json.Marshal(text(r))
			repeatJSON(w, 400, `{"error":"invalid_request","error_description":`+string(description)+`}`)
			return true
		}
	}
	secretOf := func(r *http.Request) string {
		return r.PostForm.Get("code") + r.PostForm.Get("client_assertion") + password
	}
	answerWith := func(member string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			doc := fields{"access_token": "a-token", "token_type": "Bearer", "issued_token_type": "x"}
			doc[member] = secretOf(r)
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(doc)
			return true
		}
	}
	for name, test := range map[string]struct {
		methods string
		token   func(http.ResponseWriter, *http.Request) bool
		change  func(a *authority)
	}{
		"the form":        {authPost, failWith(func(r *http.Request) string { return r.PostForm.Encode() }), nil},
		"the form, lower": {authPost, failWith(func(r *http.Request) string { return strings.ReplaceAll(r.PostForm.Encode(), "%2F", "%2f") }), nil},
		"a value":         {authPost, failWith(secretOf), nil},
		"the header":      {authBasic, failWith(func(r *http.Request) string { return r.Header.Get("Authorization") }), nil},
		"the password":    {authBasic, failWith(func(*http.Request) string { return password }), nil},
		"the type":        {authPost, answerWith("token_type"), nil},
		"the kind":        {authPost, answerWith("issued_token_type"), nil},
		"the page": {authPost, func(w http.ResponseWriter, r *http.Request) bool {
			repeatText(w, 500, secretOf(r))
			return true
		}, nil},
		"a redirect": {authPost, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "https://example.com/?"+secretOf(r), http.StatusTemporaryRedirect)
			return true
		}, nil},
		"a strange answer": {authPost, func(w http.ResponseWriter, r *http.Request) bool {
			repeatRaw(w, secretOf(r), secretOf(r), "")
			return true
		}, nil},
		"an issuer": {authPost, nil, func(a *authority) {
			a.redirect = func(_ *url.URL, q url.Values) { q.Set("iss", "https://a.example.com/"+q.Get("code")) }
		}},
		"an error": {authPost, nil, func(a *authority) {
			a.redirect = func(_ *url.URL, q url.Values) {
				q.Set("error", "x"+q.Get("code"))
				q.Set("error_description", q.Get("state"))
			}
		}},
		"a script": {authPost, nil, func(a *authority) { // when the client logs in again, the server knows its token
			a.metadata = func(doc fields) {
				for token := range a.valid {
					doc["authorization_endpoint"] = "https://auth.example.com/?" + token
					doc["registration_endpoint"] = "http://auth.example.com/?" + token
				}
			}
		}},
		"a login page": {authPost, nil, func(a *authority) {
			a.metadata = func(doc fields) {
				for token := range a.valid {
					doc["authorization_endpoint"] = a.issuer.URL + "/authorize?" + token
				}
			}
		}},
		"another resource": {authPost, nil, func(a *authority) {
			a.resource = func(doc fields) {
				for token := range a.valid {
					doc["resource"] = "https://a/" + token
				}
			}
		}},
		"an authorization server": {authPost, nil, func(a *authority) {
			a.resource = func(doc fields) {
				for token := range a.valid {
					doc["authorization_servers"] = []string{"https://192.168.1.1/" + token}
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, w := newAuthority(t), new(written)
			a.token = test.token
			a.metadata = func(doc fields) { doc["token_endpoint_auth_methods_supported"] = []string{test.methods} }
			if test.change != nil {
				test.change(a)
			}
			auth := a.transport(Options{
				Client: Client{ID: "me", Secret: password},
				Grant: &Login{Agent: &Loopback{Open: func(ctx context.Context, page string) error {
					u, _ := url.Parse(page)
					q := u.Query()
					q.Del("state")
					u.RawQuery = q.Encode()
					fmt.Fprintln(w, u)
					return follow(ctx, page)
				}}},
			})
			for range 2 {
				_, _, err := a.use(auth)
				w.note(err)
				a.accept = func(string, *http.Request) int { return http.StatusForbidden } // so that it logs in again
			}
			pair := url.QueryEscape("me") + ":" + url.QueryEscape(password)
			secrets := append(a.secrets, password, url.QueryEscape(password), base64.StdEncoding.EncodeToString([]byte(pair)))
			if found := w.find(secrets); found != "" {
				t.Error(found)
			}
			if !strings.Contains(w.String(), "mcpauth:") {
				t.Errorf("no error: %s", w)
			}
		})
	}
}
