package source

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// Fault is something wrong with what is imported: with the source, the overlay or the file that is written over.
type Fault struct {
	Pos     diag.Pos
	Pointer string // RFC 6901, into a JSON source; empty for its root and for YAML
	Message string
	Help    string // how to fix it; may be empty
}

// Error formats the fault on one line, and its help below.
func (f *Fault) Error() string {
	said := escape.Line(f.Pos.String() + ": " + f.Message)
	if f.Pointer != "" {
		said += " (at " + escape.Line(f.Pointer) + ")"
	}
	if f.Help != "" {
		said += "\n    " + escape.Line(f.Help)
	}
	return said
}

// Faults are all faults of one import, in the order in which they were found.
type Faults []*Fault

// Error formats one fault a line, the first [diag.Most] of them.
func (f Faults) Error() string {
	var lines []string
	for i, fault := range f {
		if i == diag.Most {
			lines = append(lines, fmt.Sprintf("... and %d more", len(f)-i))
			break
		}
		lines = append(lines, fault.Error())
	}
	return strings.Join(lines, "\n")
}

// Note adds a fault of a part of a source, of which at most [diag.Most] are kept.
func (f *Faults) Note(pos diag.Pos, pointer, help, format string, args ...any) {
	if len(*f) < diag.Most {
		*f = append(*f, &Fault{Pos: pos, Pointer: pointer, Message: fmt.Sprintf(format, args...), Help: help})
	}
}

// Err is the list as an error; nil when there is no fault.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// FaultsOf turns diagnostics of the compiler into faults.
func FaultsOf(list diag.List) Faults {
	var faults Faults
	for _, d := range list {
		if d.Severity == diag.Error {
			f := &Fault{Pos: d.Span.Pos, Message: d.Message, Help: d.Help}
			if d.Code != "" {
				f.Message = fmt.Sprintf("%s [%s]", d.Message, d.Code)
			}
			faults = append(faults, f)
		}
	}
	return faults
}

// Quote is a text in messages, shortened to what a person reads.
func Quote(s string) string {
	const longest = 300
	if len(s) > longest {
		s = s[:longest] + "..."
	}
	return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
}
