package mcpauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
)

// A program that has a password gets a token from the authorization server that the MCP server names.
func ExampleNew() {
	site := httptest.NewServer(nil)
	defer site.Close()
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/mcp":
			if r.Header.Get("Authorization") != "Bearer issued" {
				w.WriteHeader(http.StatusUnauthorized)
			}
		case "/.well-known/oauth-protected-resource/mcp":
			fmt.Fprintf(w, `{"resource":"%s/mcp","authorization_servers":[%q]}`, site.URL, site.URL)
		case "/.well-known/oauth-authorization-server":
			fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":"%s/token"}`, site.URL, site.URL)
		case "/token":
			client, _, _ := r.BasicAuth()
			fmt.Println("a token for", client)
			fmt.Fprint(w, `{"access_token":"issued","token_type":"Bearer"}`)
		}
	})

	auth, err := mcpauth.New(site.URL+"/mcp", mcpauth.Options{
		Grant:  &mcpauth.ClientCredentials{},
		Client: mcpauth.Client{ID: "till", Secret: "password"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer auth.CloseIdleConnections()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, site.URL+"/mcp", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := auth.Client().Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	fmt.Println(response.Status)
	// Output:
	// a token for till
	// 200 OK
}
