package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// office issues tokens: to people who are logged in already, and to the client robot with the
// password sesame.
type office struct {
	url string

	mu     sync.Mutex
	tokens map[string]string // ids of principals by tokens
}

func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		json.NewEncoder(w).Encode(map[string]any{
			"issuer": o.url, "authorization_endpoint": o.url + "/authorize", "token_endpoint": o.url + "/token", "registration_endpoint": o.url + "/register",
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_post"},
		})
	case "/register":
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"client_id":"someone"}`)
	case "/authorize":
		q := r.URL.Query()
		back := url.Values{"code": {"code-of-ann"}, "state": {q.Get("state")}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		o.issue(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (o *office) issue(w http.ResponseWriter, r *http.Request) {
	owner := "ann"
	switch grant := r.FormValue("grant_type"); {
	case grant == "authorization_code" && r.FormValue("code") == "code-of-ann" && r.FormValue("code_verifier") != "":
	case grant == "client_credentials" && r.FormValue("client_id") == "robot" && r.FormValue("client_secret") == "sesame":
		owner = "robot"
	default:
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_client"}`)
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	token := fmt.Sprintf("token-%d-of-%s", len(o.tokens), owner)
	o.tokens[token] = owner
	fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer"}`, token)
}

// verify returns the owner of a token.
func (o *office) verify(_ context.Context, token string, _ *http.Request) (mcphttp.Principal, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	owner, ok := o.tokens[token]
	if !ok {
		return mcphttp.Principal{}, errors.New("not issued here")
	}
	return mcphttp.Principal{ID: owner}, nil
}

// toolboxWithLogin returns the URL of a toolbox that requires tokens.
func toolboxWithLogin(t *testing.T) string {
	o := &office{tokens: make(map[string]string)}
	issuer := httptest.NewServer(o)
	o.url = issuer.URL
	site := httptest.NewUnstartedServer(nil)
	at := "http://" + site.Listener.Addr().String() + "/mcp"
	h := mcphttp.NewHandler(newToolbox(), mcphttp.Options{Auth: &mcphttp.Auth{Resource: at, AuthorizationServers: []string{issuer.URL}, Verify: o.verify}})
	site.Config.Handler = h
	site.Start()
	t.Cleanup(func() {
		h.Close()
		site.Close()
		issuer.Close()
	})
	return at
}

// browse is the program browser: it opens the page at a URL, and follows its redirects.
func browse() {
	resp, err := http.Get(os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	resp.Body.Close()
}
