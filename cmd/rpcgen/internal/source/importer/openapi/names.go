package openapi

import (
	"cmp"
	_ "embed"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// wordsOf splits a name into its words, in lower case: at what is not a letter or digit, and where capital letters begin words.
func wordsOf(s string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	runes := []rune(s)
	for i, r := range runes {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 {
			last, next := runes[i-1], rune(0)
			if i+1 < len(runes) {
				next = runes[i+1]
			}
			if !unicode.IsUpper(last) || next <= unicode.MaxASCII && unicode.IsLower(next) && !plural(runes, i) {
				end()
			}
		}
		word = append(word, r)
	}
	end()
	return words
}

// plural reports whether the capital letter at a place is the last of an abbreviation with a plural s: the D of IDs.
func plural(runes []rune, i int) bool {
	return i+1 < len(runes) && runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
}

// stopWords say nothing in a name that is too long.
var stopWords = []string{"a", "an", "the", "of", "for", "to", "in", "by", "with", "and", "or", "on", "from", "at", "as", "is", "via", "api", "rest",
	"public", "v1", "v2", "v3", "v4", "controller", "operation", "endpoint", "authenticated"}

//go:embed abbreviations.txt
var abbreviationList string

// abbreviations of words in names that are too long.
var abbreviations = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(abbreviationList) {
		word, short, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[word] = short
	}
	return all
})

// hashDigits is how many hexadecimal digits tell names apart that are alike otherwise.
const hashDigits = 6

// whole is all that the name of an operation is made of.
func (o *operation) whole() string {
	if len(wordsOf(o.id)) > 0 {
		return o.id
	}
	return o.line()
}

// shortenName is a name of at most so many bytes, by the operation alone: words that say nothing go, then words are cut; a hash ends what is too long still.
func shortenName(whole string, most int) string {
	words := wordsOf(whole)
	if len(words) > 0 && words[0][0] >= '0' && words[0][0] <= '9' {
		words[0] = "n" + words[0]
	}
	if name := strings.Join(words, "_"); len(name) <= most && len(name) > 0 {
		return name
	}
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(stopWords, w) })
	if len(kept) == 0 {
		kept = words
	}
	for _, shorter := range []func(string) string{func(w string) string { return cmp.Or(abbreviations()[w], w) },
		func(w string) string { return w[:min(len(w), 4)] }} {
		for strings.Join(kept, "_") != "" && len(strings.Join(kept, "_")) > most {
			longest := -1
			for i, w := range kept {
				if len(shorter(w)) < len(w) && (longest < 0 || len(w) > len(kept[longest])) {
					longest = i
				}
			}
			if longest < 0 {
				break
			}
			kept[longest] = shorter(kept[longest])
		}
	}
	if name := strings.Join(kept, "_"); len(name) <= most && len(name) > 0 {
		return name
	}
	return withHash(strings.Join(kept, "_"), whole, most)
}

// withHash is a name that ends in digits of a hash of what it stands for.
func withHash(name, whole string, most int) string {
	sum := escape.Digest([]byte(whole))
	name = strings.TrimRight(name[:min(len(name), most-hashDigits-1)], "_")
	return strings.TrimLeft(name+"_"+hex.EncodeToString(sum[:])[:hashDigits], "_")
}

// toolNames names all operations. Where two come out alike, all of these get a hash of what they stand for, but for the one whose own name it is.
func toolNames(all []*operation, most int) map[*operation]string {
	names, by := map[*operation]string{}, map[string][]*operation{}
	for _, o := range all {
		name := shortenName(o.whole(), most)
		names[o] = name
		by[name] = append(by[name], o)
	}
	taken := map[string]bool{}
	for name, alike := range by {
		own := slices.DeleteFunc(slices.Clone(alike), func(o *operation) bool { return o.id != name })
		if len(own) == 1 {
			by[name] = own
		}
		if len(by[name]) == 1 {
			taken[name] = true
		}
	}
	for _, o := range all {
		if alike := by[names[o]]; len(alike) == 1 && alike[0] == o {
			continue
		}
		base := shortenName(o.whole(), most)
		whole := o.whole() + " " + o.line()
		name := withHash(base, whole, most)
		for n := 2; taken[name]; n++ {
			name = withHash(base, whole+" "+strconv.Itoa(n), most)
		}
		taken[name] = true
		names[o] = name
	}
	return names
}

// fieldName is a name of a field that hosts and the language take: what they do not take becomes _.
func fieldName(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-') {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	name := strings.Trim(b.String(), "_")
	if strings.Trim(s, "_") == name && s != "" && name != "" {
		name = s
	}
	const longest = 64
	if len(name) > longest {
		return withHash(name, s, longest)
	}
	return cmp.Or(name, "value")
}
