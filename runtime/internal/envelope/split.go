package envelope

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Usual holds the parts of a request in the most common notation. Checking the syntax of the batch finds them, so they are kept instead of being scanned
// again. The zero Usual means that the element has to be scanned.
type Usual struct {
	method string // has no escapes, so its length is that of its text
	id     int    // index after the id, in the element
}

// Into sets the parts of the element b, as if it had been read to its end. It reports false if u is zero.
func (u *Usual) Into(e *Envelope, b []byte) bool {
	if u.method == "" {
		return false
	}
	e.Seen, e.Complete = HasVersion|HasID|HasMethod|HasParams, true
	e.Method, e.ID, e.Params = u.method, Span{usualID, u.id}, Span{u.params(), len(b) - len("}")}
	return true
}

// params returns the index of the params in the element.
func (u *Usual) params() int { return u.id + len(`,"method":"",`) + len(u.method) + len(`"params":`) }

// openUsual reads the request at index i if it is written in the most common order, with the version and the id before the method (see Envelope.usual) and
// the params last. It returns its parts and the index after it, which is negative for other elements.
func (s *Splitter) openUsual(i int) (u Usual, end int) {
	b, e := s.msg[i:], &s.env
	e.Seen = 0
	if !e.usual(b) || e.Seen&(HasVersion|HasMethod) != HasVersion|HasMethod {
		return u, Fault
	}
	if u = (Usual{e.Method, e.ID.End}); u.params() != e.Params.Start {
		return Usual{}, Fault
	}
	end = wire.Skip(b, e.Params.Start, s.depth)
	if uint(end) >= uint(len(b)) || b[end] != '}' {
		return Usual{}, Fault
	}
	return u, i + end + len("}")
}

// Splitter finds the messages of a batch, which is an array (JSON-RPC 2.0 section 6).
type Splitter struct {
	msg        []byte
	depth      int
	i          int // index of the next element, or of what follows the last one
	count      int
	start, end int // of the element
	opened     Usual
	env        Envelope // scratch memory of openUsual
	verdict    Verdict
}

// Split returns a splitter of the batch msg, whose first byte after white space must be '['. The argument depth limits the nesting of each message; one that
// is nested deeper is found all the same, because the fault is that of the message and not of the batch.
func Split(msg []byte, depth int) Splitter {
	i := wire.Space(msg, wire.Space(msg, 0)+1)
	return Splitter{msg: msg, i: i, depth: min(depth, wire.MaxDepth-1) - 1}
}

// Next finds the next element. It reports false at the end of the batch, and if the batch is not valid as a whole, see [Splitter.Verdict].
func (s *Splitter) Next() bool {
	if s.verdict.Code != 0 || s.count > 0 && !s.comma() {
		return false
	}
	if s.count == 0 && s.i < len(s.msg) && s.msg[s.i] == ']' {
		s.verdict = Unsound(s.msg, "the batch is empty")
		return false
	}
	s.count++
	s.start = s.i
	if s.opened, s.end = s.openUsual(s.i); s.end < 0 {
		s.end = wire.Skip(s.msg, s.i, wire.MaxDepth-1)
	}
	if s.end < 0 {
		if err := notDeep(wire.Check(s.msg, wire.MaxDepth)); err != nil {
			s.verdict = Verdict{Code: ParseError, Detail: err.Error()}
			return false
		}
		s.end = SkipValid(s.msg, s.i) // nested too deep: a fault of this element, not of the batch
	}
	s.i = wire.Space(s.msg, s.end)
	return true
}

// comma reads the comma before the next element, or the end of the batch. It reports false if there is no further element.
func (s *Splitter) comma() bool {
	if s.i < len(s.msg) && s.msg[s.i] == ',' {
		s.i = wire.Space(s.msg, s.i+1)
		return true
	}
	if s.i >= len(s.msg) || s.msg[s.i] != ']' || wire.Space(s.msg, s.i+1) != len(s.msg) {
		s.verdict = Unsound(s.msg, "the batch is not an array")
	}
	return false
}

// Element returns the element that Next found. It shares the bytes of the batch.
func (s *Splitter) Element() []byte { return s.msg[s.start:s.end] }

// OpeningUsual returns the parts of the element if it is written in the most common notation.
func (s *Splitter) OpeningUsual() Usual { return s.opened }

// Verdict returns what is wrong with the batch as a whole.
func (s *Splitter) Verdict() Verdict { return s.verdict }

// Unsound returns the verdict for a message that is not a batch of messages. If it is not even JSON,
// that is a parse error; otherwise it is an invalid request with the given detail.
func Unsound(msg []byte, detail string) Verdict {
	if err := notDeep(wire.Check(msg, wire.MaxDepth)); err != nil {
		return Verdict{Code: ParseError, Detail: err.Error()}
	}
	return Verdict{Code: InvalidRequest, Detail: detail}
}
