// Package secretname knows the names that secrets have in messages, forms and environments.
package secretname

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// secrets matches names of secrets, folded.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(passwords?|passwort|passwordhash|passwd|passphrase|passcode|pwd|secrets?|secretvalue|` +
		`(secret|api|access|account|private|signing|encryption|master|auth|session|storage)keys?|(access|refresh|api|auth|bearer|session)tokens|` +
		`token|authorization|cookies?|credentials?|connectionstring|(amz|goog)signature|codeverifier|clientassertion)$`)
})

// plain matches those of them that are none.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(progress|page|cursor|continuation|sync|next|previous|max|stop)token$|^oldpwd$`)
})

var (
	wholeNames = []string{"pw", "pass", "auth", "jwt", "bearer", "otp", "pin", "cvv", "cvc", "ssn", "sig"} // secrets where they are the whole name
	last       = []string{"pw", "pass", "jwt", "otp", "cvv", "cvc", "ssn"}                                 // and where they are the last word of it

	// forms are the words after the name of a secret that say in which form it is.
	forms = []string{"value", "values", "pem", "der", "jwk", "base", "base64", "b64", "hex", "hash", "raw", "plain", "plaintext", "encoded", "encrypted",
		"string", "data"}
)

// Is reports whether a name is that of a secret.
func Is(name string) bool {
	words := split(name)
	for {
		folded := strings.Join(words, "")
		if plain().MatchString(folded) {
			return false
		}
		if secrets().MatchString(folded) || slices.Contains(wholeNames, folded) || len(words) > 1 && slices.Contains(last, words[len(words)-1]) {
			return true
		}
		if numbered := strings.TrimRight(folded, "0123456789"); numbered != folded && secrets().MatchString(numbered) && !plain().MatchString(numbered) {
			return true
		}
		if len(words) < 2 || !slices.Contains(forms, words[len(words)-1]) {
			return false
		}
		words = words[:len(words)-1]
	}
}

// IsList reports whether texts with this name are secrets, but numbers are none, which say how many there are.
func IsList(name string) bool {
	words := split(name)
	return len(words) > 0 && words[len(words)-1] == "tokens"
}

// Fold returns a name in lower case, without what separates words.
func Fold(name string) string { return strings.Join(split(name), "") }

// split returns the words of a name in lower case: a capital letter begins one, as do _, -, a dot and a space.
func split(name string) []string {
	var words []string
	var word []rune
	all := []rune(name)
	end := func() {
		if len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
	}
	for i, c := range all {
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			end()
			continue
		case unicode.IsUpper(c) && i > 0 && (!unicode.IsUpper(all[i-1]) || i+1 < len(all) && unicode.IsLower(all[i+1])):
			end()
		}
		word = append(word, c)
	}
	end()
	return words
}
