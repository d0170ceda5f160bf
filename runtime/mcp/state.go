package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/canonical"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/seal"
)

// state is what a stateless client carries from one round to the next, signed. It is valid for a
// limited time, and only for a request with the same method, name, arguments and principal.
type state struct {
	id      string // of the rounds
	expires int64  // Unix time in seconds
	request string // digest of the request
	asked   []string
	answers []answerRecord
}

// seal returns the requestState of this round.
func (q *Request) seal() string {
	expires := time.Now().Add(q.server.opts.StateTTL).Unix()
	if q.rounds.id == "" {
		q.rounds.id = rand.Text()
	}
	b := wire.AppendString([]byte(`{"id":`), q.rounds.id)
	b = wire.AppendInt(append(b, `,"expires":`...), expires)
	b = wire.AppendString(append(b, `,"request":`...), q.digest())
	b = append(b, `,"asked":[`...)
	for i, n := range q.rounds.open {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, n.key)
	}
	b = append(b, `],"answers":`...)
	start := len(b)
	for _, a := range q.rounds.answers {
		b = append(wire.AppendString(append(b, ','), a.key), ':')
		b = append(b, a.text...)
	}
	b = append(wire.CloseObject(b, start), '}')
	return seal.Seal(q.server.opts.StateKeys[0], b)
}

// unseal takes over the previous rounds from the requestState. It fails if this server has not made
// the state for this request.
func (q *Request) unseal() error {
	b, ok := seal.Open(q.server.opts.StateKeys, q.state)
	if !ok {
		return badState("it was not made by this server")
	}
	var s state
	if err := wire.Unmarshal(b, s.read, nil); err != nil {
		return badState(err.Error())
	}
	switch {
	case s.id == "":
		return badState("it does not name its rounds")
	case time.Now().Unix() >= s.expires:
		return badState("it has expired")
	case s.request != q.digest():
		return badState("it was made for another request")
	}
	q.rounds = &rounds{id: s.id, answers: s.answers, asked: s.asked}
	return nil
}

// read reads the state.
func (s *state) read(r *wire.Reader) {
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"expires":`) {
			s.expires = r.Int64()
		}
		r.KeyString(&o, 1, `"request":`, &s.request)
		if r.Key(&o, 2, `"asked":`) {
			s.asked = wire.Strings(r, s.asked)
		}
		if r.Key(&o, 3, `"answers":`) {
			for key, text := range wire.Map(r, (*wire.Reader).Raw) {
				s.answers = append(s.answers, answerRecord{key, text.String()})
			}
		}
		r.KeyString(&o, 4, `"id":`, &s.id)
	}
}

func badState(why string) error {
	return &fault{runtime.CodeInvalidParams, 0, "Invalid requestState: " + why, nil}
}

// SharesState reports whether [Options.StateKeys] were set, so that other processes can serve the rounds that this one begins.
func (s *Server) SharesState() bool { return s.opts.sharedKeys }

// digest returns a digest of the request. Requests with arguments that are equal as JSON have equal
// digests.
func (q *Request) digest() string {
	h := sha256.New()
	for _, part := range [...]string{q.method, q.name, PrincipalFrom(q.context)} {
		h.Write(append(wire.AppendString(nil, part), '\n'))
	}
	if q.arguments != nil {
		h.Write([]byte(canonical.Value(q.arguments)))
	}
	return seal.Encoding.EncodeToString(h.Sum(nil))
}
