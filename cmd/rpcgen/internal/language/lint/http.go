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
				p.report("backends."+b.Name+".schemes."+s.Name, span(s.Pos, s.Name), "send it in a header if the API takes it there",
					fmt.Sprintf("the credential %q is sent in the query, which ends up in logs", s.Name))
			}
		}
	}
}

func (p *pass) unboundedAnswer() {
	p.tools("add view: {budget: 48k}", "the tool %q gives a list of the API, of any size",
		func(t *ir.Tool) bool {
			return t.HTTP != nil && (t.View == nil || t.View.Budget == 0) && holdsList(t.Output)
		})
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
var writingVerbs = []string{"create", "update", "delete", "remove", "set", "add", "reset", "revoke", "cancel", "send", "start", "stop", "enable",
	"disable", "trigger"}

func (p *pass) writingGet() {
	p.tools("say readOnly: false, or name the tool by what it reads", "the tool %q says that it only reads, and its name says that it does not",
		func(t *ir.Tool) bool {
			words := strings.FieldsFunc(t.Name, func(r rune) bool { return strings.ContainsRune("_-.", r) })
			return t.HTTP != nil && t.Hints.ReadOnly == ir.HintYes && len(words) > 0 &&
				(slices.Contains(writingVerbs, words[0]) || slices.Contains(writingVerbs, words[len(words)-1]))
		})
}

func (p *pass) publicAnswer() {
	p.tools("say scope: private, or auth: none if the API answers everybody alike",
		"the answer to a call of the tool %q with a credential is kept for everybody", func(t *ir.Tool) bool {
			if t.HTTP == nil || t.Keep == nil || !t.Keep.Public {
				return false
			}
			auth := t.HTTP.Auth
			if auth == nil {
				auth = t.HTTP.Backend.Auth
			}
			return slices.ContainsFunc(auth, func(schemes []string) bool { return len(schemes) > 0 })
		})
}

func (p *pass) undeclaredStatus() {
	for _, b := range p.doc.Backends {
		silent := func(t *ir.Tool) bool { return t.HTTP != nil && t.HTTP.Backend == b && len(t.Errors) == 0 }
		if b.Message == "" && b.Details == "" && slices.ContainsFunc(p.doc.Tools, silent) {
			p.report("backends."+b.Name, span(b.Pos, b.Name), "add error: {message: PATH}", fmt.Sprintf("nothing says what the errors of %q mean", b.Name))
		}
	}
}
