package diag

import "slices"

// Info explains a code.
type Info struct {
	Code        Code
	Title       string
	Explanation string
	Example     string // a schema that gets this code and no other; files that it imports follow below "-- name --" lines
	Phase       string // the phase that finds it; empty for loading
}

// Codes returns every code, in the order of the compiler's phases.
func Codes() []Info {
	return slices.Concat(textCodes(), documentCodes(), nameCodes(), typeCodes(), ruleCodes(), unionCodes(), protocolCodes(), serverCodes(), backendCodes(), laterCodes())
}

// Lookup explains one code.
func Lookup(code string) (Info, bool) {
	for _, info := range Codes() {
		if string(info.Code) == code {
			return info, true
		}
	}
	return Info{}, false
}
