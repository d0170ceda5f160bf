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

// Article returns a noun with a or an.
func Article(noun string) string {
	if strings.ContainsAny(noun[:min(1, len(noun))], "aeiouAEIO") || strings.HasPrefix(noun, "Un") && !strings.HasPrefix(noun, "Uni") {
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
