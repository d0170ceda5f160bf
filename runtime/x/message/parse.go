package message

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// Parser reads messages of a protocol. The zero value reads those of a service that a schema
// declares without batches, positional params and unusual ids. It is safe for concurrent use.
type Parser struct {
	// Protocol says which ids are valid and whether there are batches. [runtime.Plain] allows
	// all that JSON-RPC 2.0 allows.
	Protocol runtime.Protocol

	// MaxDepth limits how deep the values of a message may be nested. Zero means [wire.MaxDepth],
	// which is also the maximum.
	MaxDepth int

	// MaxBatch limits the messages of a batch. Zero means 100.
	MaxBatch int

	// MaxSize limits the size of a text, in bytes. A larger one is not read. Zero means
	// [frame.DefaultMax], as for servers.
	MaxSize int
}

// plain is the parser of [Parse] and [ParseBatch].
var plain = Parser{Protocol: runtime.Plain}

// Parse reads one message of JSON-RPC 2.0, see [Parser.Parse].
func Parse(text []byte) (Message, error) { return plain.Parse(text) }

// ParseBatch reads a batch of JSON-RPC 2.0, see [Parser.ParseBatch].
func ParseBatch(text []byte) ([]Message, error) { return plain.ParseBatch(text) }

// IsBatch reports whether text is meant as a batch: its first character is a bracket. It reads no
// further, so that a server may choose by it; whether the batch is valid is up to
// [Parser.ParseBatch].
func IsBatch(text []byte) bool {
	i := wire.Space(text, 0)
	return i < len(text) && text[i] == '['
}

// Parse reads one message, which is not a batch. The error is the [*Fault] of an invalid message.
func (p Parser) Parse(text []byte) (Message, error) {
	if err := p.checkSize(text); err != nil {
		return Message{Fault: err}, err
	}
	m := p.read(text)
	if m.Fault != nil {
		return m, m.Fault
	}
	return m, nil
}

// checkSize returns the fault of a text that is larger than it may be.
func (p Parser) checkSize(text []byte) *Fault {
	defaults.Set(&p.MaxSize, frame.DefaultMax)
	if len(text) <= p.MaxSize {
		return nil
	}
	return &Fault{Code: runtime.CodeInvalidRequest, Detail: "the text has " + strconv.Itoa(len(text)) + " bytes, and may have " + strconv.Itoa(p.MaxSize)}
}

// ParseBatch reads a batch (JSON-RPC 2.0 section 6), or a message that stands alone, which is a list
// of one. An invalid message in a batch is an element of the kind Invalid, as its neighbours are
// served. The error is a [*Fault] if the text is not JSON, if the batch is empty or too large, or if
// the protocol has no batches.
func (p Parser) ParseBatch(text []byte) ([]Message, error) {
	if !IsBatch(text) {
		m, err := p.Parse(text)
		if err != nil {
			return nil, err
		}
		return []Message{m}, nil
	}
	if err := p.checkSize(text); err != nil {
		return nil, err
	}
	if !p.Protocol.Batch {
		return nil, fault(envelope.Unsound(text, "batches are not part of the protocol"))
	}
	defaults.Set(&p.MaxBatch, 100)
	var all []Message
	n := 0
	elements := envelope.Split(text, p.depth())
	for elements.Next() {
		if n++; n <= p.MaxBatch {
			all = append(all, p.read(elements.Element()))
		}
	}
	if v := elements.Verdict(); v.Code != 0 {
		return nil, fault(v)
	}
	if n > p.MaxBatch {
		return nil, &Fault{Code: runtime.CodeInvalidRequest, Detail: "the batch has " + strconv.Itoa(n) + " messages, and may have " + strconv.Itoa(p.MaxBatch)}
	}
	return all, nil
}

// depth is the number of levels of a message.
func (p Parser) depth() int {
	if p.MaxDepth <= 0 {
		return wire.MaxDepth
	}
	return min(p.MaxDepth, wire.MaxDepth)
}

// read reads one message.
func (p Parser) read(text []byte) Message {
	e := envelope.Envelope{Loose: p.Protocol.NullID, Depth: p.depth() - 1}
	switch {
	case !e.Open(text) || !e.Finish(text):
	case e.IsRequest():
		m := Message{Kind: Notification, Method: e.Method}
		if e.Seen&envelope.HasID != 0 {
			m.Kind, m.ID = Request, part(text, e.ID)
		}
		if e.Seen&envelope.HasParams != 0 {
			m.Params = part(text, e.Params)
		}
		return m
	case e.IsResponse():
		return p.response(text, &e)
	}
	return Message{Fault: fault(envelope.Diagnose(text, p.Protocol.NullID, p.depth()))}
}

// response returns a response, which must hold either a result or an error (JSON-RPC 2.0 section 5).
func (p Parser) response(text []byte, e *envelope.Envelope) Message {
	const both = envelope.HasResult | envelope.HasError
	m := Message{Kind: Result}
	if e.Seen&envelope.HasID != 0 {
		m.ID = part(text, e.ID)
	}
	invalid := func(what string) Message {
		return Message{Fault: &Fault{Code: runtime.CodeInvalidRequest, Detail: what, ID: m.ID}}
	}
	switch {
	case e.Seen&both == both:
		return invalid("a response holds a result and an error")
	case e.Seen&envelope.HasVersion == 0:
		return invalid("the member jsonrpc is missing")
	case m.ID == nil && (e.Seen&envelope.HasResult != 0 || !p.Protocol.OmitID):
		return invalid("the member id is missing")
	case e.Seen&envelope.HasResult != 0:
		m.Result = part(text, e.Result)
		return m
	}
	object, ok := envelope.DecodeError(e.Err.Of(text))
	if !ok {
		return invalid("the error is not an object with an integer code and a message")
	}
	m.Kind, m.Error = Failure, (*runtime.Error)(&object)
	return m
}

// part returns a part of text. It has no spare capacity, so that appending to it does not change the
// text.
func part(text []byte, s envelope.Span) []byte { return text[s.Start:s.End:s.End] }

func fault(v envelope.Verdict) *Fault { return &Fault{Code: v.Code, Detail: v.Detail, ID: v.ID} }
