package backendoauth

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

// sealer returns what logins are sealed with.
func sealer(key []byte) (cipher.AEAD, error) {
	const size = 32
	if len(key) != size {
		return nil, errors.New("it has to have 32 bytes")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// loginRecord is what another process needs to finish a login.
type loginRecord struct {
	Verifier, Browser string
	Ask               backend.Ask
	Until             time.Time
}

// seal returns the state of a login: the login, which only processes with the key can read.
func (l *Login) seal(p *pending) (string, error) {
	text, err := json.Marshal(loginRecord{p.verifier, p.browser, p.ask, p.until})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(l.sealed.Seal(nil, nil, text, []byte(l.o.ClientID))), nil
}

// find returns the login of a state; nil if there is none.
func (l *Login) find(state string) *pending {
	l.mu.Lock()
	p := l.pending[state]
	l.mu.Unlock()
	if p != nil || l.sealed == nil {
		return p
	}
	sealed, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		return nil
	}
	text, err := l.sealed.Open(nil, nil, sealed, []byte(l.o.ClientID))
	var b loginRecord
	if err != nil || json.Unmarshal(text, &b) != nil {
		return nil
	}
	return &pending{state: state, verifier: b.Verifier, browser: b.Browser, ask: b.Ask, until: b.Until, done: make(chan struct{}), foreign: true}
}
