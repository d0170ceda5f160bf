package mcpauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// Key signs assertions of a client (RFC 7523). It may be in hardware.
type Key struct {
	// Signer has an ECDSA key on the curves P-256, P-384 or P-521, an RSA key of at least 2048 bits,
	// or an Ed25519 key.
	Signer crypto.Signer

	// ID tells the authorization server which of several keys it is. It may be empty.
	ID string
}

// ParseKey reads a private key in PEM: PKCS #8, PKCS #1 or SEC 1. Its errors do not contain the key.
func ParseKey(text []byte) (*Key, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("mcpauth: the key is not PEM")
	}
	var key any
	var err error
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, fmt.Errorf("mcpauth: the key cannot be read: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("mcpauth: a key of type %T cannot sign", key)
	}
	k := &Key{Signer: signer}
	_, err = k.algorithm(nil)
	return k, err
}

// algorithm is a way to sign (RFC 7518 section 3.1, RFC 8037).
type algorithm struct {
	name string
	hash crypto.Hash       // 0 if the message is signed as it is
	opts crypto.SignerOpts // nil means hash
	size int               // of the numbers of an ECDSA signature, in bytes
}

var curves = map[int]algorithm{
	256: {name: "ES256", hash: crypto.SHA256, size: 32},
	384: {name: "ES384", hash: crypto.SHA384, size: 48},
	521: {name: "ES512", hash: crypto.SHA512, size: 66},
}

// algorithm returns the algorithm of the key, one of those that the server supports; nil means that
// these are not known.
func (k *Key) algorithm(supported []string) (algorithm, error) {
	const leastBits = 2048
	pss := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}
	var all []algorithm
	switch key := k.Signer.Public().(type) {
	case *ecdsa.PublicKey:
		if a, ok := curves[key.Curve.Params().BitSize]; ok {
			all = append(all, a)
		}
	case *rsa.PublicKey:
		if key.N.BitLen() >= leastBits {
			all = append(all, algorithm{name: "RS256", hash: crypto.SHA256}, algorithm{name: "PS256", hash: crypto.SHA256, opts: pss})
		}
	case ed25519.PublicKey:
		all = append(all, algorithm{name: "EdDSA"})
	}
	for _, a := range all {
		if supported == nil || slices.Contains(supported, a.name) {
			return a, nil
		}
	}
	if len(all) == 0 {
		return algorithm{}, fmt.Errorf("mcpauth: a key of type %T, or of its size, is not supported", k.Signer.Public())
	}
	return algorithm{}, fmt.Errorf("%w: the authorization server does not support signatures of this key (%s)", ErrClient, all[0].name)
}

// sign returns a JWT in compact form (RFC 7515 section 3.1).
func (k *Key) sign(a algorithm, header, claims map[string]any) (string, error) {
	header["alg"] = a.name
	if k.ID != "" {
		header["kid"] = k.ID
	}
	head, err := json.Marshal(header)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := encode(head) + "." + encode(body)
	signature, err := k.signature(a, []byte(text))
	return text + "." + encode(signature), err
}

func (k *Key) signature(a algorithm, message []byte) ([]byte, error) {
	if a.hash == 0 {
		return k.Signer.Sign(rand.Reader, message, crypto.Hash(0))
	}
	opts := a.opts
	if opts == nil {
		opts = a.hash
	}
	h := a.hash.New()
	h.Write(message)
	signature, err := k.Signer.Sign(rand.Reader, h.Sum(nil), opts)
	if err != nil || a.size == 0 {
		return signature, err
	}
	return fixedSignature(signature, a.size)
}

// fixedSignature returns an ECDSA signature as two numbers of a fixed size (RFC 7518 section 3.4).
func fixedSignature(der []byte, size int) ([]byte, error) {
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &numbers); err != nil {
		return nil, err
	}
	if numbers.R.BitLen() > 8*size || numbers.S.BitLen() > 8*size {
		return nil, errors.New("mcpauth: the signature is larger than its key")
	}
	out := make([]byte, 2*size)
	numbers.R.FillBytes(out[:size])
	numbers.S.FillBytes(out[size:])
	return out, nil
}

// encode returns base64url without padding.
func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// random returns an unguessable text: 256 bits.
func random() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return encode(b)
}
