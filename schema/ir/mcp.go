package ir

import (
	"slices"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Server is what an MCP server says of itself, and of all that it declares.
type Server struct {
	Meta         // Title, Doc and x-*
	Name         string
	Version      string
	Website      string   // URL of its home page; empty if none
	Instructions string   // for models; empty if none
	Revisions    []string // of MCP that are served, oldest first
	TTLMillis    int64    // how long lists and resources may be kept; 0 if not at all
	Scope        string   // private or public: who may share what is kept
	Icons        []Icon
	Listed       *Listed // nil if there is none
	Budget       Budget
	Profiles     []string // of the tools, further listings
}

// Budget is how much of its context a model spends on the tools: tokens of their list, and bytes of their results.
type Budget struct {
	Tokens Amount // of all tools together
	Tool   Amount // of each tool that has no budget of its own
	Result int    // the greatest size in bytes of the structured result of each tool whose view has no budget of its own; 0 if it is not limited
}

// Amount is a number of tokens.
type Amount struct {
	Pos    diag.Pos
	Tokens int // 0 if there is no limit
}

// Listed is a file with entries of the lists of a server, which are published word for word.
type Listed struct {
	File string // relative to the schema, with forward slashes
	Span diag.Span
}

// Icon is an image that stands for a thing.
type Icon struct {
	Pos      diag.Pos
	Src      string // https: or data: URI
	MIMEType string // empty for that of the source
	Sizes    []string
	Theme    string // light or dark; empty for either
}

// Tool is an MCP tool: a function that a model may call.
type Tool struct {
	Meta
	Name     string
	Hints    Hints
	Icons    []Icon
	Input    Type          // an object with named members; nil if it takes none
	Listed   string        // the entry of the list, JSON without space; empty if it follows from the rest
	Schema   *Value        // the JSON Schema that is published in place of that of Input, an object; nil if none
	Output   Type          // an object; nil if no structured output
	View     *View         // what of Output callers get; nil for all of it
	HTTP     *HTTP         // the request to a backend that answers it; nil if its handler is written by hand
	Content  *Content      // the content blocks that the handler gives; nil if none
	Errors   []*Error      // that a model sees; declared by this tool, by another, or under errors
	Timeout  time.Duration // 0 if none
	Rate     *Rate         // nil if not limited
	Scopes   []string      // that callers need
	Keep     *Keep         // nil if results are not kept
	Fast     bool          // in a compact document: what it carries reads, writes and checks itself
	Task     TaskSupport
	Asks     []*Ask
	MetaData *Value // its _meta, an object; nil if none
	Budget   Amount // of its entry in the list
}

// TaskSupport says whether calls of a tool run as tasks.
type TaskSupport uint8

// The kinds of support.
const (
	TaskNever TaskSupport = iota
	TaskOptional
	TaskRequired
)

// String gives the word used in a schema.
func (t TaskSupport) String() string { return [...]string{"never", "optional", "required"}[t] }

// Hints tell clients what a tool may do. They promise nothing.
type Hints struct {
	Title                                        string // annotations.title; empty if not said
	ReadOnly, Destructive, Idempotent, OpenWorld Hint
}

// NamedHint is a hint with the word that schemas and MCP have for it.
type NamedHint struct {
	Name string
	Hint
}

// Said lists the hints that are yes or no.
func (h Hints) Said() []NamedHint {
	all := []NamedHint{{"readOnly", h.ReadOnly}, {"destructive", h.Destructive}, {"idempotent", h.Idempotent}, {"openWorld", h.OpenWorld}}
	return Where(all, func(one NamedHint) bool { return one.Hint != HintUnset })
}

// Hint is yes, no, or not said.
type Hint uint8

// The hints.
const (
	HintUnset Hint = iota
	HintNo
	HintYes
)

// String gives the word used in a schema; nothing when nothing was said.
func (h Hint) String() string { return [...]string{"", "false", "true"}[h] }

// Ask is something that a tool may need of the client before it can answer.
type Ask struct {
	Pos     diag.Pos
	Name    string // of a question with a typed answer; empty if only the method is known
	Method  string // elicitation/create, sampling/createMessage or roots/list
	Message []MessagePart
	Params  *Struct // what Message takes its fields from; nil for the tool's input
	Form    *Struct // what the user fills in
}

// Resource is an MCP resource, or a template of resources.
type Resource struct {
	Meta
	Name        string
	URI         string    // of one resource; empty if it is a template
	Template    *Template // nil if it is one resource
	Params      *Struct   // the variables of Template; a template always has them
	MIMEType    string    // empty if the content decides
	Content     Type      // string is text, bytes is a blob, any is a whole ReadResourceResult, everything else is JSON
	Subscribe   bool
	Size        int64 // in bytes; negative: not said
	Annotations Annotations
	Icons       []Icon
	MetaData    *Value // its _meta, an object; nil if none
	Listed      string // the entry of the list, see Tool
}

// Annotations tell clients who a resource is for. Unset members are not said.
type Annotations struct {
	Audience     []string // user, assistant
	Priority     string   // JSON number from 0 to 1
	LastModified string   // RFC 3339
}

// IsZero reports whether nothing is said.
func (a Annotations) IsZero() bool {
	return len(a.Audience) == 0 && a.Priority == "" && a.LastModified == ""
}

// Template is a URI template of RFC 6570, levels 1 and 2.
type Template struct {
	Pos   diag.Pos
	Text  string
	Parts []TemplatePart
}

// TemplatePart is literal text or one variable.
type TemplatePart struct {
	Literal  string
	Variable string // empty if it is Literal
	Operator byte   // of the variable: 0, '+' or '#'
}

// Prompt is an MCP prompt: messages that a user may start with.
type Prompt struct {
	Meta
	Name      string
	Arguments *Struct // of strings and enums of text; nil if it takes none
	Icons     []Icon
	Listed    string // the entry of the list, see Tool
}

// ErrorsByTools lists the errors that tools answer with, each once, in the order in which they are used first.
func (d *Document) ErrorsByTools() (all []*Error) {
	for _, t := range d.Tools {
		for _, e := range t.Errors {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// ErrorsOfTools lists those that tools declare.
func (d *Document) ErrorsOfTools() []*Error {
	return Where(d.ErrorsByTools(), func(e *Error) bool { return e.OfTool })
}
