package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Calls of HTTP APIs.
const (
	HTTPServer       diag.Code = "HTTPServer"       // an API that is called without TLS
	SecretInQuery    diag.Code = "SecretInQuery"    // a credential in the query
	UnboundedAnswer  diag.Code = "UnboundedAnswer"  // a list of an answer of any size
	WritingGet       diag.Code = "WritingGet"       // a tool that says that it reads, and whose name says that it writes
	PublicAnswer     diag.Code = "PublicAnswer"     // an answer to one user that is given to all
	UndeclaredStatus diag.Code = "UndeclaredStatus" // errors of an API that nothing describes
)

func httpRules() []Rule {
	return []Rule{
		rule(diag.Warning, (*pass).httpServer, diag.Info{Code: HTTPServer, Title: "An API that is called without TLS",
			Explanation: "Credentials and answers can be read and changed on the way. A server at http is for development: give the URL of the API, and replace it in tests by Options.Server.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0}
backends: {api: {server: "http://localhost:4000", error: {message: message}}}
tools:
  now: {description: The time., http: {get: /now}, output: {time: datetime}}
`}),
		rule(diag.Warning, (*pass).secretInQuery, diag.Info{Code: SecretInQuery, Title: "A credential in the query of requests",
			Explanation: "Proxies and servers write URLs to their logs. If the API also takes the key in a header, send it there.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0}
backends: {api: {server: "https://example.com", schemes: {key: {kind: key, query: appid}}, auth: key, error: {message: message}}}
tools:
  now: {description: The time., http: {get: /now}, output: {time: datetime}}
`}),
		rule(diag.Warning, (*pass).unboundedAnswer, diag.Info{Code: UnboundedAnswer, Title: "A list of an API that may have any size",
			Explanation: "What the API answers becomes the result, and takes the room of a model. view: {budget: 48k} cuts lists between items, and next continues them.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0}
backends: {api: {server: "https://example.com", error: {message: message}}}
tools:
  alarms: {description: All alarms., http: {get: /alarms}, output: {alarms: list<datetime>}}
`}),
		rule(diag.Warning, (*pass).writingGet, diag.Info{Code: WritingGet, Title: "A tool that says that it only reads, and whose name says that it writes",
			Explanation: "Hosts run tools with hints: {readOnly: true} without asking. A GET that changes something is not one of them.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0}
backends: {api: {server: "https://example.com", error: {message: message}}}
tools:
  reset_clock: {description: Set the clock to zero., hints: {readOnly: true}, http: {get: /reset}}
`}),
		rule(diag.Warning, (*pass).publicAnswer, diag.Info{Code: PublicAnswer, Title: "An answer that a credential has got, kept for everybody",
			Explanation: "cache: {scope: public} gives the answer to the call of one user to all others. An API that takes a credential may answer each user differently: then one reads what is another's. Keep such answers with scope: private, which is the default, or say auth: none in http: of a tool that calls without a credential.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0}
backends: {api: {server: "https://example.com", schemes: {token: {kind: bearer}}, auth: token, error: {message: message}}}
tools:
  now: {description: The time., hints: {readOnly: true}, http: {get: /now}, cache: {ttl: 1m, scope: public}, output: {time: datetime}}
`}),
		rule(diag.Warning, (*pass).undeclaredStatus, diag.Info{Code: UndeclaredStatus, Title: "Errors of an API that nothing describes",
			Explanation: "A model corrects a call by what the API says of it. error: {message: PATH} of the backend says where that stands in the body of an error; errors of a tool with http: STATUS give single ones a name.",
			Example: `rpcgen: v1
use: [mcp]
server: {name: clock, version: 1.0.0}
backends: {api: {server: "https://example.com"}}
tools:
  now: {description: The time., http: {get: /now}, output: {time: datetime}}
`}),
	}
}

func (p *pass) httpServer() {
	for _, b := range p.doc.Backends {
		if strings.HasPrefix(b.Server, "http://") {
			p.report("backends."+b.Name, span(b.Pos, b.Name), "give the URL of the API by https", fmt.Sprintf("the backend %q is called without TLS", b.Name))
		}
	}
}

func (p *pass) secretInQuery() {
	for _, b := range p.doc.Backends {
		for _, s := range b.Schemes {
			if s.In == "query" {
				p.report("backends."+b.Name+".schemes."+s.Name, span(s.Pos, s.Name), "send it in a header if the API takes it there", fmt.Sprintf("the credential %q is sent in the query, which ends up in logs", s.Name))
			}
		}
	}
}

func (p *pass) unboundedAnswer() {
	for _, t := range p.doc.Tools {
		if t.HTTP == nil || t.View != nil && t.View.Budget > 0 || !holdsList(t.Output) {
			continue
		}
		p.report("tools."+t.Name, span(t.Pos, t.Name), "add view: {budget: 48k}", fmt.Sprintf("the tool %q gives a list of the API, of any size", t.Name))
	}
}

// holdsList reports whether an object, or one within it that is written in place, has a list without a greatest length.
func holdsList(t ir.Type) bool {
	s, ok := ir.Underlying(t).(*ir.Struct)
	return ok && slices.ContainsFunc(s.Fields, func(f *ir.Field) bool {
		_, high := ir.Lengths(ir.NonNull(f.Type), nil)
		return ir.IsArray(ir.NonNull(f.Type)) && high < 0
	})
}

// writingVerbs are verbs of names that say that a tool changes something.
var writingVerbs = []string{"create", "update", "delete", "remove", "set", "add", "reset", "revoke", "cancel", "send", "start", "stop", "enable", "disable", "trigger"}

func (p *pass) writingGet() {
	for _, t := range p.doc.Tools {
		words := strings.FieldsFunc(t.Name, func(r rune) bool { return strings.ContainsRune("_-.", r) })
		if t.HTTP == nil || t.Hints.ReadOnly != ir.HintYes || len(words) == 0 {
			continue
		}
		for _, word := range []string{words[0], words[len(words)-1]} {
			if slices.Contains(writingVerbs, word) {
				p.report("tools."+t.Name, span(t.Pos, t.Name), "say readOnly: false, or name the tool by what it reads", fmt.Sprintf("the tool %q says that it only reads, and its name says that it does not", t.Name))
				break
			}
		}
	}
}

func (p *pass) publicAnswer() {
	for _, t := range p.doc.Tools {
		if t.HTTP == nil || t.Keep == nil || !t.Keep.Public {
			continue
		}
		auth := t.HTTP.Auth
		if auth == nil {
			auth = t.HTTP.Backend.Auth
		}
		if slices.ContainsFunc(auth, func(schemes []string) bool { return len(schemes) > 0 }) {
			p.report("tools."+t.Name, span(t.Pos, t.Name), "say scope: private, or auth: none if the API answers everybody alike",
				fmt.Sprintf("the answer to a call of the tool %q with a credential is kept for everybody", t.Name))
		}
	}
}

func (p *pass) undeclaredStatus() {
	for _, b := range p.doc.Backends {
		silent := func(t *ir.Tool) bool { return t.HTTP != nil && t.HTTP.Backend == b && len(t.Errors) == 0 }
		if b.Message == "" && b.Details == "" && slices.ContainsFunc(p.doc.Tools, silent) {
			p.report("backends."+b.Name, span(b.Pos, b.Name), "add error: {message: PATH}", fmt.Sprintf("nothing says what the errors of %q mean", b.Name))
		}
	}
}
