package mcpauth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/turns"
)

// Store keeps a record for each MCP server, by its URL. Its methods may be called concurrently.
type Store interface {
	// Load returns the record of a server, or nil if there is none.
	Load(ctx context.Context, server string) (*Record, error)

	// Save keeps a record in place of an earlier one. It must not keep r itself.
	Save(ctx context.Context, server string, r *Record) error
}

// Record is what a client keeps about an MCP server. It contains secrets.
type Record struct {
	Issuer       string       `json:"issuer"`       // of the token and the registration
	Registration Registration `json:"registration"` // of the client
	Token        Token        `json:"token"`
	Key          Secret       `json:"key,omitempty"` // to which the token is bound: PKCS #8, as base64
}

// Registration is what an authorization server knows of a client.
type Registration struct {
	ClientID    string    `json:"client_id"`
	Secret      Secret    `json:"client_secret,omitempty"`
	AuthMethod  string    `json:"token_endpoint_auth_method,omitempty"`
	RedirectURI string    `json:"redirect_uri,omitempty"`
	Dynamic     bool      `json:"dynamic,omitempty"` // the client registered itself
	Expires     time.Time `json:"expires,omitzero"`  // of the secret; zero means never
}

// Token is an access token with what belongs to it.
type Token struct {
	Access    Secret   `json:"access_token"`
	Refresh   Secret   `json:"refresh_token,omitempty"`
	Type      string   `json:"token_type"`          // Bearer or DPoP
	Scopes    []string `json:"scopes,omitempty"`    // granted
	Requested []string `json:"requested,omitempty"` // scopes that were requested
}

// longestSecret limits what servers issue: tokens, identifiers and passwords of clients, in bytes.
const longestSecret = 16 << 10

// fault returns what is wrong with a token that was issued or stored, or "".
func (t *Token) fault() string {
	switch {
	case max(len(t.Access), len(t.Refresh)) > longestSecret:
		return fmt.Sprintf("it is longer than %d bytes", longestSecret)
	case strings.ContainsFunc(string(t.Access), func(r rune) bool { return r <= ' ' || r > '~' }):
		return "it has characters that no token has"
	}
	return ""
}

// MarshalJSON implements [json.Marshaler]. The JSON contains the secrets, so that a [Store] can keep
// it.
func (r Record) MarshalJSON() ([]byte, error) {
	return plainJSON(openRecord{
		Issuer: r.Issuer, Key: string(r.Key),
		Registration: openRegistration{hiddenRegistration(r.Registration), string(r.Registration.Secret)},
		Token:        openToken{hiddenToken(r.Token), string(r.Token.Access), string(r.Token.Refresh)},
	})
}

// plainJSON returns indented JSON without the escapes of HTML, which take six times their room.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// openRecord is a record whose JSON contains the secrets: texts take the place of the fields of the
// type [Secret].
type (
	openRecord struct {
		Issuer       string           `json:"issuer"`
		Registration openRegistration `json:"registration"`
		Token        openToken        `json:"token"`
		Key          string           `json:"key,omitempty"`
	}
	openRegistration struct {
		hiddenRegistration
		Secret string `json:"client_secret,omitempty"`
	}
	openToken struct {
		hiddenToken
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token,omitempty"`
	}
	hiddenRegistration Registration
	hiddenToken        Token
)

// LogValue implements [slog.LogValuer]: it has no secrets.
func (r Record) LogValue() slog.Value {
	return slog.GroupValue(slog.String("issuer", r.Issuer), slog.String("client", r.Registration.ClientID))
}

// clone returns a copy that shares nothing with r; it is a new record if r is nil.
func (r *Record) clone() *Record {
	if r == nil {
		return new(Record)
	}
	c := *r
	c.Token.Scopes, c.Token.Requested = slices.Clone(r.Token.Scopes), slices.Clone(r.Token.Requested)
	return &c
}

// Memory is a [Store] that forgets everything with the program. The zero value is empty.
type Memory struct {
	mu      sync.Mutex
	records map[string][]byte
	turns   turns.KeyLocks[string] // of servers
}

// Load implements [Store].
func (m *Memory) Load(_ context.Context, server string) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.records[server]
	if !ok {
		return nil, nil
	}
	r := new(Record)
	return r, json.Unmarshal(text, r)
}

// Save implements [Store].
func (m *Memory) Save(_ context.Context, server string, r *Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.records == nil {
		m.records = make(map[string][]byte)
	}
	m.records[server] = text
	return nil
}

// lock implements [locker].
func (m *Memory) lock(ctx context.Context, server string) (unlock func(), err error) {
	return m.turns.Lock(ctx, server)
}
