package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Counted returns a number of things, with their noun in the singular or with an s.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// spokenVowel finds nouns that begin with the sound of a vowel: letters of an abbreviation are read one by one, and u, eu and one may begin as in unit.
var spokenVowel = Pattern(`^([AEFHILMNORSX]([A-Z]|$)|(?i:[ai]|e([^u]|$)|o([^n]|$|n([^ce]|$))|hour|honou?r|honest|heir)|[Uu]([glmp]|n([^i]|$|i[dmn])))`)

// Article returns a noun with a or an; null has neither.
func Article(noun string) string {
	switch {
	case noun == "null":
		return noun
	case spokenVowel().MatchString(noun):
		return "an " + noun
	}
	return "a " + noun
}

// Thousands returns a number with commas.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Unescaped decodes the percent signs of a fragment.
func Unescaped(fragment string) string {
	var b strings.Builder
	for i := 0; i < len(fragment); i++ {
		if fragment[i] == '%' && i+2 < len(fragment) {
			if c, err := strconv.ParseUint(fragment[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(fragment[i])
	}
	return b.String()
}

// Clip returns the first letters of a text, with dots if there are more.
func Clip(s string, most int) string {
	if letters := []rune(s); len(letters) > most {
		return string(letters[:most]) + "..."
	}
	return s
}
