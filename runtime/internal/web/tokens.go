package web

import (
	"crypto/sha256"
	"crypto/subtle"
)

// Tokens are fixed bearer tokens with the ids of the principals that they were given to.
type Tokens []issuedTag

type issuedTag struct {
	hash [sha256.Size]byte
	id   string
}

// NewTokens returns the tokens of a map from token to id. It keeps hashes of the tokens only.
func NewTokens(ids map[string]string) Tokens {
	all := make(Tokens, 0, len(ids))
	for token, id := range ids {
		all = append(all, issuedTag{sha256.Sum256([]byte(token)), id})
	}
	return all
}

// Find returns the id of a token's principal. It compares the token with all that there are, so that the time that it takes says nothing of
// them.
func (t Tokens) Find(token string) (id string, ok bool) {
	hash := sha256.Sum256([]byte(token))
	for i := range t {
		if subtle.ConstantTimeCompare(hash[:], t[i].hash[:]) == 1 {
			id, ok = t[i].id, true
		}
	}
	return id, ok
}
