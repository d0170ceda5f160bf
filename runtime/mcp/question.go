package mcp

import (
	"errors"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// question is one input request.
type question struct {
	key    string
	method string
	params []byte // JSON
	needs  capability
	answer wire.Decoder
	err    error // why there is no answer

	settled bool // it was answered before the task was created
}

// InputRequired means that the client of a stateless request has to answer questions before its
// handler can continue. Handlers return it.
type InputRequired struct {
	Keys []string // keys of the open questions
}

func (e *InputRequired) Error() string {
	return "the client has to answer first: " + strings.Join(e.Keys, ", ")
}

// take decodes an answer. It reports false if text is not an answer to this question.
func (n *question) take(text string) bool { return wire.UnmarshalCopy([]byte(text), n.answer) == nil }

// capability is a client capability that is required to answer a question.
type capability uint8

const (
	elicitsForm capability = iota
	elicitsURL
	samples
	samplesWithTools
	listsRoots
)

// in reports whether c contains the capability.
func (n capability) in(c Capabilities) bool {
	switch n {
	case elicitsForm:
		return c.Elicitation()
	case elicitsURL:
		return c.ElicitationURL()
	case samples:
		return c.Sampling()
	case samplesWithTools:
		return c.Has("sampling", "tools")
	}
	return c.Roots()
}

// union returns capabilities as the JSON object ClientCapabilities.
func union(all []capability) string {
	has := func(n capability) bool { return slices.Contains(all, n) }
	var members []string
	switch {
	case has(elicitsForm) && has(elicitsURL):
		members = append(members, `"elicitation":{"form":{},"url":{}}`)
	case has(elicitsForm):
		members = append(members, `"elicitation":{"form":{}}`)
	case has(elicitsURL):
		members = append(members, `"elicitation":{"url":{}}`)
	}
	if has(listsRoots) {
		members = append(members, `"roots":{}`)
	}
	switch {
	case has(samplesWithTools):
		members = append(members, `"sampling":{"tools":{}}`)
	case has(samples):
		members = append(members, `"sampling":{}`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// rounds holds the questions to a stateless client (basic/patterns/mrtr): the answers so far, and
// the questions of this round.
type rounds struct {
	id      string // the same in all rounds; empty in the first one
	answers []answerRecord
	asked   []string    // keys of the questions of the previous round
	open    []*question // the questions of this round
	unasked bool        // answers are accepted without a question, see [Options.UnaskedAnswers]
}

// answerRecord is the answer to a question, as JSON.
type answerRecord struct{ key, text string }

// keepAnswers returns the answers, in memory of their own.
func (r *rounds) keepAnswers() []answerRecord {
	all := make([]answerRecord, len(r.answers))
	for i, a := range r.answers {
		all[i] = answerRecord{strings.Clone(a.key), strings.Clone(a.text)}
	}
	return all
}

// The errors of asking.
var (
	errNoPeer    = errors.New("mcp: this connection carries no questions")
	errMayNotAsk = errors.New("mcp: handlers of this method may not ask the client")
)
