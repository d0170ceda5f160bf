package mcpauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
)

// proofs makes proofs of possession of a key (RFC 9449). It remembers the nonces of servers.
type proofs struct {
	key *Key
	jwk map[string]any // the public key (RFC 7517)

	mu     sync.Mutex
	nonces map[string]string // by origin
}

const proofAlgorithm = "ES256"

// newKey makes a key in the form of [Record.Key].
func newKey() (Secret, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return Secret(base64.StdEncoding.EncodeToString(der)), err
}

// newProofs reads a key in the form of [Record.Key].
func newProofs(key Secret) (*proofs, error) {
	der, err := base64.StdEncoding.DecodeString(string(key))
	if err != nil {
		return nil, fmt.Errorf("the stored key cannot be read")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	private, ok := parsed.(*ecdsa.PrivateKey)
	if err != nil || !ok || private.Curve != elliptic.P256() {
		return nil, fmt.Errorf("the stored key is not an ECDSA key on P-256")
	}
	point, err := private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return nil, err
	}
	jwk := map[string]any{"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])}
	return &proofs{key: &Key{Signer: private}, jwk: jwk, nonces: make(map[string]string)}, nil
}

// thumbprint identifies the key (RFC 7638).
func (p *proofs) thumbprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, p.jwk["x"], p.jwk["y"]))
	return encode(sum[:])
}

// proof returns the header DPoP of one request. The token is empty for requests to an authorization
// server.
func (p *proofs) proof(method string, u *url.URL, token Secret) (string, error) {
	claims := map[string]any{"jti": random(), "htm": method, "htu": target(u), "iat": time.Now().Unix()}
	if nonce := p.nonce(u); nonce != "" {
		claims["nonce"] = nonce
	}
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = encode(sum[:])
	}
	return p.key.sign(curves[256], map[string]any{"typ": "dpop+jwt", "jwk": p.jwk}, claims)
}

// target returns a URL without query and fragment.
func target(u *url.URL) string {
	c := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return c.String()
}

// origin identifies a server: scheme, host and port.
func origin(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

func (p *proofs) nonce(u *url.URL) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nonces[origin(u)]
}

// remember keeps the nonce that a server sent, if it did, and reports whether it is a new one.
func (p *proofs) remember(u *url.URL, nonce string) bool {
	const most = 1 << 10 // bytes
	if nonce == "" || len(nonce) > most {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	isNew := p.nonces[origin(u)] != nonce
	p.nonces[origin(u)] = nonce
	return isNew
}
