package text

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// TestDigest: of texts of each length around those of blocks, and of a long one, it is what crypto/sha256 has.
func TestDigest(t *testing.T) {
	text := bytes.Repeat([]byte("abc\x00\xff\x80\n"), 20_000)
	for n := range 300 {
		if Digest(text[n:2*n]) != sha256.Sum256(text[n:2*n]) {
			t.Errorf("of %d bytes it is another one", n)
		}
	}
	if Digest(text) != sha256.Sum256(text) {
		t.Error("of a long text it is another one")
	}
}
