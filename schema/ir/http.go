package ir

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Backend is an HTTP API whose operations tools call.
type Backend struct {
	Meta
	Name      string
	Server    string           // the URL below which paths lie, with {name} for variables
	Variables []ServerVariable // of Server
	Headers   []Constant       // of every request
	Schemes   []*Scheme
	Auth      Auth   // of tools that say nothing else
	Message   string // the path of the text in the body of an error; empty if there is none
	Details   string // the path of further facts there; empty if there are none
	Timeout   time.Duration
	Page      *Paging // of tools that say nothing else; nil if none
}

// Scheme returns the scheme of a name; nil if there is none.
func (b *Backend) Scheme(name string) *Scheme {
	return First(b.Schemes, func(s *Scheme) bool { return s.Name == name })
}

// ServerVariable is a part of the URL of a backend that a program may choose.
type ServerVariable struct {
	Pos     diag.Pos
	Name    string
	Default string
	Values  []string // what it may be; nil if Pattern says so
	Pattern string   // the regular expression (RE2) that its whole text matches
}

// Constant is a header or a query parameter with a constant value.
type Constant struct {
	Pos         diag.Pos
	Name, Value string
}

// Scheme is a kind of credential that a backend takes.
type Scheme struct {
	Meta
	Name             string
	Kind             string // bearer, basic, key or oauth
	In               string // of key: header, query or cookie
	Param            string // of key: the name there
	Authorize, Token string // of oauth: URLs
	Scopes           []string
}

// Auth lists alternatives in order, each the names of the schemes that are sent together. It is nil if nothing is said, and empty for no credentials.
type Auth [][]string

// String writes the alternatives.
func (a Auth) String() string {
	all := Each(a, func(names []string) string { return strings.Join(names, "+") })
	switch {
	case a == nil:
		return ""
	case len(a) == 0:
		return "none"
	}
	return strings.Join(all, "|")
}

// Paging says how an API continues a list.
type Paging struct {
	Pos   diag.Pos
	By    string // link, cursor, offset or page
	Param string // the query parameter that continues the list; of link there is none
	From  string // the path of the next cursor, or link, in the answer; of link empty for the header Link
	More  string // the path of a boolean that reports whether there is more; empty if there is none
	Size  string // the query parameter that is the size of a page; empty if there is none
	First int    // the number of the first page, of page; the first offset, of offset
}

// HTTP is the request of a tool, and where its output lies in the answer.
type HTTP struct {
	Pos      diag.Pos
	Backend  *Backend
	Verb     string // GET, HEAD, POST, PUT, PATCH or DELETE
	Path     string // with {name} for fields of the input
	Body     string // json, form, multipart, text, bytes, or a media type that ends in json; empty for json
	Media    string // the media type of a body of text or bytes; empty for text/plain and application/octet-stream
	Bodiless bool   // a JSON body without members is not sent
	Query    []Constant
	Headers  []Constant
	Members  []FixedMember // of the body
	Auth     Auth          // nil for that of the backend
	Page     *Paging       // nil if the tool continues no list
	RetryKey string        // the header that holds the key of a call, which makes it safe to send again; empty if there is none
	Redirect string        // same or link; empty for same
	Wait     *Waiting      // of an answer of 202; nil if it is not waited for

	// Sent and Read are the fields of the input and of the output whose place differs from the one of the rule.
	Sent, Read []PlacedField
}

// Waiting is how the end of the work that an answer of 202 announces is waited for.
type Waiting struct {
	Pos         diag.Pos
	Get         string // the path that gives the state, with {id} and {name} for fields of the input; empty for Location
	ID          string // the path of {id} in the answer; empty if there is none
	Location    bool   // the header Location of the answer says where the state is
	Until, Fail []FixedMember
	Every       time.Duration // 0 for two seconds
}

// String is how it is waited, on one line.
func (w *Waiting) String() string {
	at := "location"
	if w.Get != "" {
		at = strings.TrimSpace(w.Get + " " + w.ID)
	}
	for _, all := range []struct {
		word string
		of   []FixedMember
	}{{" until ", w.Until}, {" fail ", w.Fail}} {
		for _, m := range all.of {
			at += all.word + m.Path + "=" + m.Value.String()
		}
	}
	if w.Every > 0 {
		at += " every " + w.Every.String()
	}
	return at
}

// BodyText is what the schema says of the body.
func (h *HTTP) BodyText() string {
	if h.Bodiless {
		return h.Body + "?"
	}
	return cmp.Or(h.Media, h.Body)
}

// FixedMember is a member of the body with a constant value.
type FixedMember struct {
	Pos   diag.Pos
	Path  string
	Value Value
}

// PlacedField is a field of the input or the output of a tool with its place in the request or the answer.
type PlacedField struct {
	Field *Field
	Place Place
}

// Place is where a field lies in an HTTP request or answer.
type Place struct {
	Pos   diag.Pos
	In    string // path, query, header, body, file, cursor, next, status or none
	Name  string // of query, header and file: the name there; of body the path, empty for the whole body; empty for the name of the field
	Style string // repeat, comma, deep, deep-index or json; empty for that of the type
	Type  string // of file: the media type
	Whole bool   // of body: the whole body
}

// String writes the place on one line.
func (p *Place) String() string {
	if p == nil {
		return ""
	}
	in := p.In
	if p.Whole {
		in = "whole body"
	}
	parts := []string{in}
	for _, part := range []string{p.Name, p.Style, p.Type} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// Statuses is a range of HTTP status codes.
type Statuses struct{ Low, High int }

// String is the request on one line. A nil one is empty.
func (h *HTTP) String() string {
	if h == nil {
		return ""
	}
	parts := []string{h.Verb + " " + h.Path + " of " + h.Backend.Name}
	add := func(words ...string) { parts = append(parts, strings.Join(words, " ")) }
	for _, one := range [][2]string{{"body", h.BodyText()}, {"auth", h.Auth.String()}, {"retry", h.RetryKey}, {"redirect", h.Redirect}} {
		if one[1] != "" {
			add(one[0], one[1])
		}
	}
	for _, c := range h.Query {
		add("query", c.Name+"="+c.Value)
	}
	for _, c := range h.Headers {
		add("header", c.Name+": "+c.Value)
	}
	for _, m := range h.Members {
		add("member", m.Path, m.Value.String())
	}
	if p := h.Page; p != nil {
		add("page", p.String())
	}
	if h.Wait != nil {
		add("wait", h.Wait.String())
	}
	for _, f := range h.Sent {
		add(f.Field.Name, "in", f.Place.String())
	}
	for _, f := range h.Read {
		add(f.Field.Name, "from", f.Place.String())
	}
	return strings.Join(parts, ", ")
}

// String says on one line how a list is continued.
func (p *Paging) String() string {
	return strings.Join(strings.Fields(strings.Join([]string{p.By, p.Param, p.From, p.More, p.Size, strconv.Itoa(p.First)}, " ")), " ")
}

// String is the backend on one line: where it is, and what requests to it carry.
func (b *Backend) String() string {
	parts := []string{b.Name + " at " + b.Server}
	for _, v := range b.Variables {
		parts = append(parts, v.Name+" "+v.Default+" of "+strings.Join(v.Values, "|")+v.Pattern)
	}
	parts = append(parts, Each(b.Headers, func(h Constant) string { return h.Name + ": " + h.Value })...)
	for _, s := range b.Schemes {
		parts = append(parts, strings.Join(strings.Fields(strings.Join([]string{"scheme", s.Name, s.Kind, s.In, s.Param, s.Authorize, s.Token,
			strings.Join(s.Scopes, " ")}, " ")), " "))
	}
	if b.Auth != nil {
		parts = append(parts, "auth "+b.Auth.String())
	}
	return strings.Join(parts, ", ")
}
