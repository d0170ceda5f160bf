// Package budget estimates what a list of tools costs a model, and compares it with the budgets of a schema.
//
//test:sequential
package budget

import (
	"math"
	"unicode"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What an estimate is made of: a vocabulary of 200,000 tokens has whole words, and pieces of longer ones. Over 239 tools of nine servers, counted with
// the vocabulary o200k, the sum is 0.8 % too low, and each list is right to 3 %; see the module o200k below this folder.
const (
	wordLetters  = 9 // letters of a long word that are one token
	numberDigits = 3 // digits that are one token
	signs        = 3 // other characters that are one token
)

// Tokens estimates how many tokens a text has.
func Tokens(text string) int { return int(math.Round(pieces(text))) }

// kind is the kind of a character in an estimate.
type kind uint8

const (
	sign kind = iota
	letter
	digit
)

func kindOf(r rune) kind {
	switch {
	case unicode.IsLetter(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	}
	return sign
}

// pieces counts the pieces of a text: words with the blank before them, numbers, and runs of other characters. Long ones are several.
func pieces(text string) (n float64) {
	runes := []rune(text)
	opensWord := func(i int) bool { return runes[i] == ' ' && i+1 < len(runes) && kindOf(runes[i+1]) == letter }
	for i := 0; i < len(runes); {
		if opensWord(i) {
			i++
		}
		k, start := kindOf(runes[i]), i
		i++
		for i < len(runes) && kindOf(runes[i]) == k && !opensWord(i) {
			i++
		}
		switch length := i - start; k {
		case letter:
			n += float64(max(1, length/wordLetters))
		case digit:
			n += math.Ceil(float64(length) / numberDigits)
		default:
			n += max(1, float64(length)/signs)
		}
	}
	return n
}

// ModelView returns the members of a tool that a model sees, as JSON without space: with code, as hosts show it to models that write code, which also
// see its output.
func ModelView(tool ir.Value, code bool) string {
	shown := ir.Value{Kind: ir.Object}
	names := []string{"name", "description", "inputSchema", "outputSchema"}
	if !code {
		names = names[:3]
	}
	for _, name := range names {
		if v, ok := tool.Get(name); ok {
			shown.Fields = append(shown.Fields, ir.Member{Name: name, Value: v})
		}
	}
	return shown.String()
}

// foreign reports whether more than a tenth of the letters of a text are not ASCII, in which case an estimate is too low.
func foreign(text string) bool {
	letters, beyond := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r > unicode.MaxASCII {
				beyond++
			}
		}
	}
	return beyond*10 > letters
}
