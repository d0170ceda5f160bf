package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpauth"
)

// What the suite expects of a client that logs people in. Neither URL is requested.
const (
	redirectURI = "http://localhost:3000/callback"
	metadataURL = "https://conformance-test.local/client-metadata.json"
)

// identity is what the context of a scenario says of the client.
type identity struct {
	ClientID         string         `json:"client_id"`
	ClientSecret     mcpauth.Secret `json:"client_secret"`
	Issuer           string         `json:"issuer"`
	PrivateKey       string         `json:"private_key_pem"`
	JWT              mcpauth.Secret `json:"valid_jwt"`
	IDToken          mcpauth.Secret `json:"idp_id_token"`
	Provider         string         `json:"idp_issuer"`
	ProviderClientID string         `json:"idp_client_id"`
	ProviderEndpoint string         `json:"idp_token_endpoint"`
}

// authorization returns what authorizes the requests of a scenario.
func authorization(url string, s Scenario) (*mcpauth.Transport, error) {
	var told identity
	if s.Context != "" {
		if err := json.Unmarshal([]byte(s.Context), &told); err != nil {
			return nil, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	o := mcpauth.Options{
		AllowParentResource: true, // auth/metadata-var2 has metadata about the root of the site

		Grant:  &mcpauth.Login{Agent: headless{}},
		Client: mcpauth.Client{ID: told.ClientID, Secret: told.ClientSecret, Issuer: told.Issuer, MetadataURL: metadataURL},
	}
	if told.PrivateKey != "" {
		key, err := mcpauth.ParseKey([]byte(told.PrivateKey))
		if err != nil {
			return nil, err
		}
		o.Client.Key = key
	}
	switch s.Name {
	case "auth/client-credentials-jwt", "auth/client-credentials-basic":
		o.Grant = &mcpauth.ClientCredentials{}
	case "auth/wif-jwt-bearer":
		o.Grant = &mcpauth.Workload{Assertion: func(context.Context, string) (mcpauth.Secret, error) { return told.JWT, nil }}
	case "auth/enterprise-managed-authorization":
		o.Grant = &mcpauth.Enterprise{
			Issuer: told.Provider, TokenEndpoint: told.ProviderEndpoint, Client: mcpauth.Client{ID: told.ProviderClientID},
			IDToken: func(context.Context) (mcpauth.Secret, error) { return told.IDToken, nil },
		}
	}
	return mcpauth.New(url, o)
}

// headless is an agent without a person: the suite's authorization servers redirect at once.
type headless struct{}

func (headless) Begin(context.Context, string) (mcpauth.Visit, error) { return headless{}, nil }
func (headless) RedirectURI() string                                  { return redirectURI }
func (headless) Close() error                                         { return nil }

func (headless) Go(ctx context.Context, authorizationURL string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizationURL, nil)
	if err != nil {
		return "", err
	}
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return resp.Header.Get("Location"), nil
}
