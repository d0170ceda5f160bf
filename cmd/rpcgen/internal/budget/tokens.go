// Package budget estimates what a list of tools costs a model.
//
//test:sequential
package budget

import (
	"math"
	"unicode"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// What an estimate is made of: a vocabulary of 200,000 tokens has whole words, and pieces of longer ones. The numbers were fitted to nine lists of tools
// with the vocabulary o200k: their sum is 1 % too low, and each list is right to 5 %.
const (
	wordLetters  = 9     // letters of a word that are one token; so many more are another
	numberDigits = 3     // digits that are one token
	signs        = 3     // other characters that are one token
	fitted       = 0.877 // tokens for each piece
)

// Tokens estimates how many tokens a text has.
func Tokens(text string) int { return int(math.Round(Pieces(text) * fitted)) }

// kind is the kind of a character in an estimate.
type kind uint8

const (
	other kind = iota
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
	return other
}

// Pieces counts the pieces of a text: words with the blank before them, numbers, and runs of other characters. A long word is several.
func Pieces(text string) (n float64) {
	runes := []rune(text)
	for i := 0; i < len(runes); {
		k, start := kindOf(runes[i]), i
		if runes[i] == ' ' && i+1 < len(runes) && kindOf(runes[i+1]) == letter {
			i, k, start = i+1, letter, i+1
		}
		for i < len(runes) && kindOf(runes[i]) == k && (k != other || i == start || runes[i] != ' ' || i+1 == len(runes) || kindOf(runes[i+1]) != letter) {
			i++
		}
		length := i - start
		switch k {
		case letter:
			n += 1 + math.Ceil(float64(max(0, length-wordLetters))/wordLetters)
		case digit:
			n += math.Ceil(float64(length) / numberDigits)
		default:
			n += max(1, float64(length)/signs)
		}
	}
	return n
}

// seen are the members of a tool that a model sees, and those that hosts show it which write code from them.
var seen, seenAsCode = []string{"name", "description", "inputSchema"}, []string{"name", "description", "inputSchema", "outputSchema"}

// Seen returns the members of a tool that a model sees, as JSON without space: with code, as hosts show it to models that write code.
func Seen(tool ir.Value, code bool) string {
	shown := ir.Value{Kind: ir.Object}
	names := seen
	if code {
		names = seenAsCode
	}
	for _, name := range names {
		for _, m := range tool.Fields {
			if m.Name == name {
				shown.Fields = append(shown.Fields, m)
			}
		}
	}
	return shown.String()
}
