// Package values makes values that fit a JSON Schema, and values that break exactly one of its rules.
//
// It takes JSON Schema of drafts 4 to 7, 2019-09 and 2020-12.
package values

// Profile says how far the values go that a schema leaves open.
type Profile string

// The profiles.
const (
	Calm  Profile = ""      // texts of letters, digits and usual marks, one word of another script, one emoji; small numbers; short lists
	ASCII Profile = "ascii" // calm, without letters above 126
	Hard  Profile = "hard"  // controls, marks that change the direction, long texts, numbers of any size
)
