package convert

import "github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"

// Decisions are what the compiler made of earlier attempts, by the pointer of the schema that is meant.
type Decisions struct {
	OpaqueAt  map[string]string        // why it becomes any, or fields with an additional schema
	Bare      map[string]bool          // those of them that cannot be fields
	Circular  map[string]bool          // schemas that would be copied too often, or into themselves: each becomes a type
	Unchecked map[string]string        // why it cannot even be checked
	Context   map[string]bool          // unions that cannot be told apart
	Misread   map[string]string        // unions of named objects that values of one branch may be read as another of
	Silent    map[string]bool          // schemas whose default and examples do not fit
	Flat      map[string]bool          // names of types that keep all their fields
	Verbatim  map[string]bool          // tools whose input has no words in the language
	Refused   map[string]*source.Fault // tools, resources and prompts that cannot be imported, and what cannot be said of a server, by their pointers
}

// NewDecisions returns those of the first attempt: none.
func NewDecisions() Decisions {
	return Decisions{map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]string{}, map[string]bool{}, map[string]string{},
		map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]*source.Fault{}}
}

// Size reports whether anything was decided since.
func (d Decisions) Size() int {
	return len(d.OpaqueAt) + len(d.Bare) + len(d.Circular) + len(d.Unchecked) + len(d.Context) + len(d.Misread) + len(d.Silent) + len(d.Flat) +
		len(d.Verbatim) + len(d.Refused)
}

// ObjectDefaults stands, among schemas whose default does not fit, for all whose default is an object: such fields are held by value, in types that end.
const ObjectDefaults = "\x00"
