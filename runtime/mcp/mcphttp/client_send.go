package mcphttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// do sends a request, and repeats it if the server has rejected its token and there is another one.
// The argument header holds additional headers; it may be nil.
func (c *client) do(ctx context.Context, method string, msg []byte, header http.Header) (*http.Response, error) {
	if c.o.Token == nil {
		return c.once(ctx, method, msg, header, "")
	}
	token, err := c.token(ctx, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.once(ctx, method, msg, header, token)
	if err != nil {
		return nil, err
	}
	challenge := challengeOf(resp)
	if resp.StatusCode != http.StatusUnauthorized && (resp.StatusCode != http.StatusForbidden || challenge.Error != web.InsufficientScope) {
		return resp, nil
	}
	other, err := c.token(ctx, challenge)
	if err == nil && other == token {
		return resp, nil
	}
	web.Discard(resp)
	if err != nil {
		return nil, err
	}
	return c.once(ctx, method, msg, header, other)
}

// token returns the token to send after a challenge, which is nil for the first one.
func (c *client) token(ctx context.Context, refused *Challenge) (string, error) {
	token, err := c.o.Token(ctx, refused)
	c.secrets.Add(token)
	return token, err
}

// once sends a request. It sends a copy of the message, because net/http may still read it when the
// response has arrived.
func (c *client) once(ctx context.Context, method string, msg []byte, header http.Header, token string) (*http.Response, error) {
	var body io.Reader
	if msg != nil {
		body = bytes.NewReader(bytes.Clone(msg))
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url, body)
	if err != nil {
		return nil, err
	}
	r.Header = c.o.Header.Clone()
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Set("Accept", typeJSON+", "+typeStream)
	if msg != nil {
		r.Header.Set("Content-Type", typeJSON)
	}
	c.describe(ctx, r.Header)
	maps.Copy(r.Header, header)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return c.secrets.Do(c.http, r)
}

// describe adds the headers that mirror the message, and, in the handshake era, the session.
func (c *client) describe(ctx context.Context, header http.Header) {
	headers := protocol.HeadersFrom(ctx)
	for _, h := range headers {
		name, value := http.CanonicalHeaderKey(h.Name), h.Value
		if name == "Mcp-Name" || strings.HasPrefix(name, "Mcp-Param-") {
			value = encodeValue(value)
		}
		header[name] = []string{value}
	}
	if stateless(headers) || ctx.Value(beginsKey{}) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if version := header.Get(headerVersion); version != "" {
		c.version = version
	} else if c.version != "" {
		header.Set(headerVersion, c.version)
	}
	if c.session != "" {
		header.Set(headerSession, c.session)
	}
}

// encodeValue returns a value in the form in which a header can hold it: it is base64 between
// markers if it contains characters that headers do not allow, or looks encoded itself
// (basic/transports/streamable-http, Value Encoding).
func encodeValue(value string) string {
	const prefix, suffix = "=?base64?", "?="
	plain := strings.Trim(value, " \t") == value && !(strings.HasPrefix(value, prefix) && strings.HasSuffix(value, suffix))
	for i := 0; plain && i < len(value); i++ {
		plain = ' ' <= value[i] && value[i] <= '~'
	}
	if plain {
		return value
	}
	return prefix + base64.StdEncoding.EncodeToString([]byte(value)) + suffix
}
