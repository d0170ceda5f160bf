package diag

// Severity says whether a diagnostic stops the compiler.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
	Note // worth knowing, and no reason to fail
)

// String gives the word that is printed.
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is a fault in a schema: where it is, what it is, and how to fix it.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Span     Span
	Message  string
	Path     string // of the schema, such as types.Report.wind: how lint.ignore names the place; empty if nothing names it
	Help     string // how to fix it; printed next to the caret
	Related  []Related
}

// Related is another place that has to do with a fault, such as "other declaration of X".
type Related struct {
	Span    Span
	Message string
}
