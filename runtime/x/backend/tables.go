package backend

import (
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// API describes one HTTP API. Generated code declares it.
type API struct {
	Name      string
	Server    string // the URL below which paths lie, with {name} for variables
	Variables []Variable
	Headers   []Header // of every request
	Schemes   []Scheme
	Auth      [][]string    // alternatives in order, each the schemes that are sent together; empty for no credentials
	Message   string        // the path of the text in the body of an error; empty if there is none
	Details   string        // the path of further facts there; empty if there are none
	Timeout   time.Duration // of one try; 0 for 30 seconds
}

// Variable is a part of the server that a program may choose.
type Variable struct {
	Name, Default string
	Values        []string // what it may be; nil if Pattern says so
	Pattern       string   // the regular expression that its whole text matches
}

// Header is a header or a query parameter with a constant value.
type Header struct{ Name, Value string }

// Scheme is a kind of credential.
type Scheme struct {
	Name   string
	Kind   string // bearer, basic, key or oauth
	In     string // of key: header, query or cookie
	Param  string // of key: its name there
	Scopes []string

	Authorize, Token string // of oauth: URLs
}

// Call describes the request of one tool and its answer. Generated code declares it; it is not copied after its first use.
type Call struct {
	Tool       string
	Method     string // such as GET
	Path       string // with {name} for members of the input
	Body       string // json, form, multipart, text, bytes or a media type that ends in json; empty for json
	Media      string // of a body of text or bytes; empty for text/plain and application/octet-stream
	Object     bool   // a JSON body is sent also when it has no members
	Input      []Place
	Query      []Header // constants
	Headers    []Header // constants
	Members    []Header // constants of the body: paths and JSON
	Anonymous  bool     // no credentials are sent, whatever the API says
	Auth       [][]string
	Idempotent bool   // it may be sent again
	RetryKey   string // the header that holds a random key of the call, with which it may be sent again; empty if there is none
	Link       bool   // redirects are answers
	Page       *Page
	Wait       *Wait         // nil if an answer of 202 is not waited for
	Timeout    time.Duration // of the whole call; 0 for that of the options
	Output     []Place
	Rest       bool // members of the output that Output does not name are members of the body
	Errors     []Declared

	once sync.Once
	plan *plan
}

// Place is where a member of the input or the output lies in the request or the answer.
type Place struct {
	Field string
	In    string // query, header, body, file, cursor, next, status or none
	As    string // the name there; of body the path; empty for the name of the member
	Style string // repeat, comma, deep, deep-index or json; empty for the one of its kind
	Type  string // of a file: the media type
	Whole bool   // of body: the whole body
	Text  bool   // of an answer: the member is text, also where the whole body is not JSON or a header holds it
	Bytes bool   // the member is bytes, base64 in JSON and as they are in the body
}

// Page says how a list is continued.
type Page struct {
	By    string // link, cursor, offset or page
	Param string // the query parameter that continues the list
	From  string // the path of the next cursor or link in the answer; empty for the header Link
	More  string // the path of a boolean that reports whether there is more; empty if there is none
	Size  string // the query parameter that is the size of a page; empty if there is none
	First int    // the number of the first page, or the first offset
	Items string // the member of the output that is the list; empty if there is none
}

// Wait says how the end of the work that an answer of 202 announces is waited for.
type Wait struct {
	Path        string        // gives the state, with {id} and with names of the path of the call; empty for the header Location of the answer
	ID          string        // the path of {id} in the answer
	Until, Fail []Header      // paths into the state and JSON: what they all are when the work is done, and what one is when it failed; a list has several values
	Every       time.Duration // between two requests; 0 for two seconds
}

// Declared is an error that a schema declares for some statuses.
type Declared struct {
	Low, High int
	Data      []Place                  // where members of its data lie in the answer
	Read      func(*wire.Reader) error // makes the error of its data
}
