package diag

import (
	_ "embed"
	"strings"
)

// Info explains a code.
type Info struct {
	Code        Code
	Title       string
	Explanation string
	Example     string // a schema that gets this code and no other; files that it imports follow below "-- name --" lines
	Phase       string // the phase that finds it; empty for loading. The example of a later phase loads without a fault
}

//go:embed codes.txt
var codeTexts string

// Codes returns every code, in the order of the compiler's phases.
func Codes() []Info { return ParseInfos(codeTexts) }

// ParseInfos reads explanations as codes.txt has them: "# Code: Title", a line "Phase: name" if it is not loading, the explanation on one line, and
// the example, each line of it after a tab. An example is text apart from \xE9, which is a byte that is not UTF-8.
func ParseInfos(text string) (all []Info) {
	for section := range strings.SplitSeq(strings.TrimPrefix(text, "# "), "\n# ") {
		head, rest, _ := strings.Cut(section, "\n")
		code, title, _ := strings.Cut(head, ": ")
		info := Info{Code: Code(code), Title: title}
		if phase, ok := strings.CutPrefix(rest, "Phase: "); ok {
			info.Phase, rest, _ = strings.Cut(phase, "\n")
		}
		info.Explanation, rest, _ = strings.Cut(rest, "\n")
		for line := range strings.Lines(rest) {
			if example, ok := strings.CutPrefix(line, "\t"); ok {
				info.Example += strings.ReplaceAll(example, `\xE9`, "\xe9")
			}
		}
		all = append(all, info)
	}
	return all
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
