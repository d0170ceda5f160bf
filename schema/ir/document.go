package ir

import (
	"cmp"
	"iter"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Meta is what every declaration, field, value and method carries in addition to its own facts.
type Meta struct {
	Pos        diag.Pos // of the name or key that declares it
	Doc        string   // description; paragraphs separated by blank lines, no trailing newline
	DocEnd     string   // the line breaks after the description, where its author wants them published
	Title      string
	Deprecated *Deprecated // nil if not deprecated
	Go         GoName      // the author's override
	Ext        []Ext       // x-* members, in file order
	Keys       []Key       // where the author wrote what, in file order
}

// Extension returns the value of an x-* member; null for none.
func (m *Meta) Extension(key string) *Value {
	for i := range m.Ext {
		if m.Ext[i].Key == key {
			return &m.Ext[i].Value
		}
	}
	return new(Value)
}

// Key is where a key of a mapping was written.
type Key struct {
	Name string
	Pos  diag.Pos
}

// Key returns where a key was written; not a valid position when it was not.
func (m Meta) Key(name string) diag.Pos {
	return First(m.Keys, func(k Key) bool { return k.Name == name }).Pos
}

// Words returns what the author says of a thing: its description, or else its title, or else other words. A nil m says nothing.
func (m *Meta) Words(otherwise string) string {
	if m == nil {
		return otherwise
	}
	return cmp.Or(strings.TrimSpace(m.Doc), m.Title, otherwise)
}

// GoName is an author's override of what a thing is called, or bound to, in Go.
type GoName struct {
	Pos    diag.Pos
	Name   string // identifier to use instead of the derived one; empty for the derived one
	Type   string // with Import: an existing Go type to bind to, such as "URL"
	Import string // import path of Type
}

// Bound reports whether the declaration stands for an existing Go type.
func (g GoName) Bound() bool { return g.Type != "" }

// Deprecated says why and since when a thing should no longer be used. All fields are optional.
type Deprecated struct {
	Since, Remove, Reason, Use string
}

// Sentences says all that is known of a deprecation, a sentence each; "" if nothing is.
func (d *Deprecated) Sentences() string {
	var all []string
	for _, one := range [][2]string{{"", d.Reason}, {"Use ", d.Use}, {"Since ", d.Since}, {"To be removed in ", d.Remove}} {
		if one[1] != "" {
			all = append(all, strings.TrimSuffix(one[0]+one[1], ".")+".")
		}
	}
	return strings.Join(all, " ")
}

// Ext is one x-* member: free for the author, kept on export.
type Ext struct {
	Key   string
	Value Value
}

// Document is one checked schema file.
type Document struct {
	Meta
	File      string // as it was named to the loader, slashes forward
	Package   string // Go package name
	Protocol  Protocol
	Imports   []*Import
	Types     []*Decl
	Errors    []*Error
	Methods   []*Method // methods and notifications together, in file order
	Server    *Server   // nil if it declares no MCP server
	Backends  []*Backend
	Tools     []*Tool
	Resources []*Resource
	Prompts   []*Prompt
	State     []*State
	Reserved  Reserved
	Naming    Naming
	Exposed   []Key // the x-* members of methods and tools that generated code says
	Compact   bool  // less code reads, writes and checks values: structs list their members once, and only what calls need is generated
	Ignores   []Ignore

	// WithoutJSON: the types have no methods for encoding/json, as those of Compact never have.
	WithoutJSON bool
}

// Heading returns what the document is called: its title, the title or the name of its server, or the name of its package.
func (d *Document) Heading() string {
	if s := d.Server; s != nil {
		return cmp.Or(d.Title, s.Title, s.Name, d.Package)
	}
	return cmp.Or(d.Title, d.Package)
}

// Marshals reports whether the types have methods for encoding/json.
func (d *Document) Marshals() bool { return !d.Compact && !d.WithoutJSON }

// Import is one entry of `import:`: another schema file whose types this one uses as Alias.Type.
type Import struct {
	Pos    diag.Pos
	Alias  string
	Path   string // as written in the schema
	GoPath string // import path of the package generated from it
	Doc    *Document

	// Builtin: it is a module of the language, named under use. Doc is nil unless something of it is used.
	Builtin bool
}

// Side says which side of a connection calls a method.
type Side uint8

// The sides.
const (
	FromClient Side = iota // `from: client`, the default
	FromServer
	FromBoth
)

// String gives the word used in a schema.
func (s Side) String() string { return [...]string{"client", "server", "both"}[s] }

// ParamsBy says in which of the two structures of JSON-RPC 2.0, section 4.2, params are sent.
type ParamsBy uint8

// The structures. A client writes arrays where they are by position, and objects otherwise; a server reads arrays unless they are by name,
// where its protocol allows them, and objects always.
const (
	ByEither ParamsBy = iota
	ByName
	ByPosition
)

// String gives the word used in a schema.
func (b ParamsBy) String() string { return [...]string{"either", "name", "position"}[b] }

// Session says how a protocol opens: not at all, with a handshake, or statelessly per request.
type Session uint8

// The ways to open.
const (
	SessionNone Session = iota
	SessionHandshake
	SessionStateless
)

// String gives the word used in a schema.
func (s Session) String() string { return [...]string{"none", "handshake", "stateless"}[s] }

// Protocol holds the properties of the wire protocol itself. Plain JSON-RPC 2.0 is {Batch: true, Positional: true}.
type Protocol struct {
	Pos        diag.Pos
	Name       string // empty for plain JSON-RPC 2.0
	Revision   string
	Batch      bool
	Positional bool
	ParamsBy   ParamsBy // of methods that say nothing else
	Session    Session

	// CancelMethod is the notification by which a peer cancels a request of its own, and CancelID the member of its params that is the id
	// of that request. Empty: there is none.
	CancelMethod, CancelID string

	// Progress is how a server reports the progress of a request.
	Progress Progress

	// Handshake names the methods that open and end a session.
	Handshake Handshake

	// StrictIDs: ids are strings and integers; null and numbers with a fraction are refused.
	StrictIDs bool

	// NullsAbsent: null for a member that may be absent, and whose type does not admit null, is read as absent.
	NullsAbsent bool
}

// Progress names the notification that reports the progress of a request. An empty Method: there is none.
type Progress struct {
	Method string // the notification
	Token  string // the member of its params that says which request it is about
	Param  string // the member of the params of a request with which a client asks for reports; its value is the token
}

// Handshake names the methods of a session with a handshake. An empty Initialize: sessions open without one, or it is documentation only.
type Handshake struct {
	Initialize string // the request that comes first
	Shutdown   string // the request after which only the exit notification follows; empty if there is none
	Exit       string // the notification that ends the session; empty if there is none
}

// Naming steers how Go names are derived.
type Naming struct {
	Initialisms []string
	Rename      []Rename
}

// Rename is one entry of `go.rename`: the schema path or name From becomes the Go identifier To.
type Rename struct {
	Pos      diag.Pos
	From, To string
}

// Ignore is one entry of `lint.ignore`: the rule is not reported at the schema path At.
type Ignore struct {
	Pos              diag.Pos
	Rule, At, Reason string
}

// Reserved lists what may never be declared again.
type Reserved struct {
	Names, Methods []string
	Codes          []int
}

// Decl is a named type.
type Decl struct {
	Meta
	Name     string
	Document *Document // the document that declares it
	Type     Type
	Mixin    bool // a base only: no Go type of its own
	Examples []Value
}

// Error is a declared error object.
type Error struct {
	Meta
	Name     string
	OfTool   bool // declared by a tool: it has no code, and is answered as a result that models see
	Code     int
	Message  []MessagePart // default text, split at its {field} parts
	Data     Type          // shape of error.data; nil if no data
	When     []string      // the runtime conditions that it answers, such as "overloaded"
	Category string
	Severity string     // info, warning, error, critical; empty for error
	HTTP     int        // status; 0 if none
	Statuses []Statuses // of a tool: the answers of its backend that mean the error
	Retry    bool
	Reserved bool // the code is one that JSON-RPC or MCP reserves, on purpose
}

// MessagePart is either literal text or the name of a field of the error's data.
type MessagePart struct {
	Text  string
	Field *Field // nil: Text is literal
}

// MessageText returns the text of a message with its fields in braces.
func MessageText(message []MessagePart) string {
	var b strings.Builder
	for _, part := range message {
		if part.Field != nil {
			b.WriteString("{" + part.Field.Name + "}")
		} else {
			b.WriteString(part.Text)
		}
	}
	return b.String()
}

// Text returns the default text of an error; one without a message is called by its name.
func (e *Error) Text() string { return cmp.Or(MessageText(e.Message), e.Name) }

// Method is a request or a notification.
type Method struct {
	Meta
	Name           string
	Wire           string // of a stream: its name on the wire where that is another, see OnWire
	Notification   bool
	From           Side
	Params         Type // Struct, Ref, List, or whatever was named; nil if it takes none
	ParamsOptional bool // `params?`: may be left out altogether
	ParamsBy       ParamsBy
	Ordered        bool   // of a notification: later requests are handled when it is handled
	Idempotent     bool   // of a method: a client may send a call again
	Fast           bool   // in a compact document: what it carries reads, writes and checks itself
	Result         Type   // nil for the empty object (a notification has none at all), and for a stream whose response is its id
	Items          *Items // nil unless the method is a stream
	Errors         []*Error
	Timeout        time.Duration // 0 if none
	Rate           *Rate         // nil if not limited
	Scopes         []string      // that callers need
	Keep           *Keep         // nil if results are not kept

	// What protocol authors add.
	Capability string
	Requires   string
	Embedded   bool
	Stream     []*Method
	Page       string
	Cache      bool
	Header     []Header
}

// Items are what a stream sends, and how.
type Items struct {
	Type   Type
	First  bool   // the response comes first, and is the id of the stream. Otherwise the id is that of the request, and the response ends the stream
	Method string // the notification that an item is
	ID     string // the member of its params that is the id of the stream
	Value  string // the member of its params that is the item
	End    string // the method that ends a stream: of one whose response comes first a request, of others a notification
	EndID  string // the member of its params that is the id; empty if they are an array
	Buffer int    // how many items wait for a reader; 0 for the default
	Bytes  int    // how much they may take
	Oldest bool   // the oldest go when there are more; otherwise the stream ends
}

// Types lists the types that a method carries, by what they are of it: params, result and items. Of those that it has not there is none.
func (m *Method) Types() iter.Seq2[string, Type] {
	return func(yield func(string, Type) bool) {
		_ = (m.Params == nil || yield("params", m.Params)) && (m.Result == nil || yield("result", m.Result)) && m.Items != nil && yield("items", m.Items.Type)
	}
}

// OnWire returns the name on the wire. Streams may share it; a constant tells them apart then.
func (m *Method) OnWire() string { return cmp.Or(m.Wire, m.Name) }

// Constant returns the name and the value of the first param if it is a constant text.
func (m *Method) Constant() (param, value string) {
	if s := AsStruct(Underlying(m.Params)); s != nil && len(s.Fields) > 0 && !s.Fields[0].Optional && !m.ParamsOptional {
		if l, ok := Underlying(s.Fields[0].Type).(*Literal); ok && l.Value.Kind == Text {
			return s.Fields[0].Name, l.Value.Text
		}
	}
	return "", ""
}

// Header is an HTTP header that mirrors a part of the params.
type Header struct {
	Name string
	Path string // such as params.name
}
