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

// plainWord is what a shell takes as it is.
var plainWord = Pattern(`^[A-Za-z0-9_./:=@%+,-]+$`)

// ShellWord quotes a word for a shell.
func ShellWord(s string) string {
	if plainWord().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Sentences joins a description and what follows it.
func Sentences(description string, more ...string) string {
	description = strings.TrimRight(description, " \n")
	if description != "" && !strings.ContainsAny(description[len(description)-1:], ".!?:;") {
		description += "."
	}
	return strings.TrimSpace(description + " " + strings.Join(more, " "))
}

// Variable returns a name as that of an environment variable.
func Variable(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}

// Series writes words with commas, and with a word such as or before the last one.
func Series(words []string, last string) string {
	at := len(words) - 1
	if at < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:at], ", ") + " " + last + " " + words[at]
}

// EndParagraph adds an empty line after others.
func EndParagraph(lines []string) []string {
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	return lines
}
