package mcpnats

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// A text that is sealed consists of these, whose sizes are those of a seal's fields: the mark, the id of the key, the salt of the process that has sealed it,
// the number of the text in that process, and AES-256-GCM of the text under a key for that salt. What it was sealed for is authenticated.
const (
	mark      = "\x00\x01" // nothing that is not sealed begins with it: neither JSON, nor events, nor heads of requests
	head      = len(mark) + idSize + saltSize + 8
	sealRoom  = head + 16 // bytes that sealing adds
	idSize    = 8
	saltSize  = 16
	leastKey  = 32
	noKey     = "unsealed" // in place of a key
	mostSalts = 1 << 12    // of other processes whose keys are kept
	mostKept  = 64 << 10   // bytes of memory for messages that is used again
)

// sealer seals what replicas put into NATS, and opens it. Each process draws a salt, from which its key follows, and numbers what it seals: so no nonce comes
// twice under a key, up to 2^64 texts of each process. Without keys it leaves all as it is.
type sealer struct {
	name  string // Options.Name
	log   *peerlog.Logger
	keys  []sealKey
	seals bool // the first key is one; otherwise nothing is sealed
	plain bool // what is not sealed is taken, too

	own   cipher.AEAD // of the first key and the salt
	begin [head - 8]byte
	count atomic.Uint64
	order sync.Mutex // held while a message is numbered and published
	out   []byte     // for that; guarded by order

	mu     sync.Mutex
	others map[string]*opener // by what texts begin with
}

// sealKey is one of the keys.
type sealKey struct {
	id     []byte
	secret []byte
}

// opener opens what a process has sealed, whose texts all begin with from.
type opener struct {
	from string
	aead cipher.AEAD
}

// stamp says which text one is: no two have the same. It is empty if the text is not sealed.
type stamp struct {
	from string // the process, and the key
	n    uint64 // its number there
}

// newSealer returns what seals with the first of the keys, and opens with all.
func newSealer(name string, keys [][]byte, log *slog.Logger) (*sealer, error) {
	s := &sealer{name: name, log: peerlog.For(log), plain: len(keys) == 0, others: make(map[string]*opener)}
	for i, key := range keys {
		if string(key) == noKey {
			s.plain = true
			continue
		}
		if len(key) < leastKey {
			return nil, fmt.Errorf("mcpnats: Options.Keys: key %d has %d bytes, and needs %d: make one with openssl rand -hex 32", i+1, len(key), leastKey)
		}
		id, err := hkdf.Key(sha256.New, key, nil, "rpcgen mcpnats id", idSize)
		if err != nil {
			return nil, err
		}
		s.seals = s.seals || i == 0
		s.keys = append(s.keys, sealKey{id, bytes.Clone(key)})
	}
	if s.plain && len(s.keys) > 0 {
		log.Warn("what is in NATS is taken although it is not sealed, as Options.Keys says: that is for the time in which sealing begins")
	}
	if !s.seals {
		return s, nil
	}
	copy(s.begin[:], mark)
	copy(s.begin[len(mark):], s.keys[0].id)
	rand.Read(s.begin[len(mark)+idSize:]) // never fails
	var err error
	s.own, err = s.keys[0].aead(s.begin[len(mark)+idSize:])
	return s, err
}

// aead returns what seals and opens the texts of the process with a salt.
func (k *sealKey) aead(salt []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, k.secret, salt, "rpcgen mcpnats seal", leastKey)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// input is what AES-GCM takes in addition to a text.
type input struct{ nonce, purpose []byte }

// zeros begin a nonce, which is 12 bytes long.
var zeros [4]byte

// inputs are kept to be used again.
var inputs = sync.Pool{New: func() any { return new(input) }}

// inputOf returns the nonce of a number, and as one text what a text is sealed for: nothing of that has NUL in a text that was sealed here.
func (s *sealer) inputOf(n []byte, what []string) *input {
	in := inputs.Get().(*input)
	in.nonce = append(append(in.nonce[:0], zeros[:]...), n...)
	in.purpose = append(in.purpose[:0], s.name...)
	for _, one := range what {
		in.purpose = append(append(in.purpose, 0), one...)
	}
	return in
}

// seal seals a text for something: its kind, and what tells it from others of the kind.
func (s *sealer) seal(text []byte, what ...string) []byte {
	if !s.seals {
		return text
	}
	return s.appendSealed(make([]byte, 0, sealRoom+len(text)), text, what)
}

// appendSealed appends a text that it seals.
func (s *sealer) appendSealed(b, text []byte, what []string) []byte {
	b = binary.BigEndian.AppendUint64(append(b, s.begin[:]...), s.count.Add(1))
	in := s.inputOf(b[head-8:], what)
	defer inputs.Put(in)
	return s.own.Seal(b, in.nonce, text, in.purpose)
}

// Why a text is not taken.
var (
	errNoKeys    = errors.New("it is sealed, and there are no Options.Keys")
	errPlain     = errors.New("it is not sealed")
	errUnknown   = errors.New("it is sealed with a key that is not among Options.Keys")
	errForged    = errors.New("it was not sealed for this: it is forged, damaged, or was put where another text was")
	errSentAgain = errors.New("it was sent before")
)

// unseal opens a text that was sealed for something. What cannot be opened is logged, and not taken.
func (s *sealer) unseal(text []byte, what ...string) (plain []byte, ok bool) {
	plain, _, err := s.open(text, what)
	if err != nil {
		s.note(what[0], err)
	}
	return plain, err == nil
}

// note logs that something of a kind is not taken.
func (s *sealer) note(kind string, err error) {
	s.log.Warn("something in NATS is refused: "+err.Error(), "kind", kind, "name", s.name)
}

// open opens a text in its memory. The error says why it is not taken, without words of it.
func (s *sealer) open(text []byte, what []string) (plain []byte, at stamp, err error) {
	if !bytes.HasPrefix(text, []byte(mark)) {
		if s.plain {
			return text, at, nil
		}
		return nil, at, errPlain
	}
	if len(text) < sealRoom {
		return nil, at, errForged
	}
	if len(s.keys) == 0 {
		return nil, at, errNoKeys
	}
	s.mu.Lock()
	opens, known := s.others[string(text[:head-8])]
	s.mu.Unlock()
	for i := 0; i < len(s.keys) && opens == nil; i++ {
		if bytes.Equal(s.keys[i].id, text[len(mark):len(mark)+idSize]) {
			aead, err := s.keys[i].aead(text[len(mark)+idSize : head-8])
			if err != nil {
				return nil, at, err
			}
			opens = &opener{string(text[:head-8]), aead}
		}
	}
	if opens == nil {
		return nil, at, errUnknown
	}
	at.from, at.n = opens.from, binary.BigEndian.Uint64(text[head-8:])
	in := s.inputOf(text[head-8:head], what)
	defer inputs.Put(in)
	if plain, err = opens.aead.Open(text[head:head], in.nonce, text[head:], in.purpose); err != nil {
		return nil, at, errForged
	}
	if !known {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.others) >= mostSalts {
			clear(s.others)
		}
		s.others[opens.from] = opens
	}
	return plain, at, nil
}

// purposeOf returns what a message is sealed for: its place, whose answer goes where, and its headers.
func purposeOf(subject, reply string, h nats.Header) [8]string {
	return [...]string{"message", subject, reply, h.Get(partHeader), h.Get(sentHeader), h.Get(fromHeader), h.Get(lastHeader), h.Get(saysHeader)}
}

// publish seals the text of a message and publishes it, so that messages come in the order of their numbers. The parts of the message are parameters
// because a Msg whose text is sealed is allocated together with its header.
func (s *sealer) publish(nc *nats.Conn, subject, reply string, h nats.Header, text []byte) error {
	if s.seals {
		s.order.Lock()
		defer s.order.Unlock()
		what := purposeOf(subject, reply, h)
		text = s.appendSealed(s.out[:0], text, what[:])
		if cap(text) <= mostKept {
			s.out = text // nats.go does not keep it
		}
	}
	return nc.PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Header: h, Data: text})
}

// accept opens a message, whose text is the opened one then. It reports whether the message is taken.
func (s *sealer) accept(m *nats.Msg) (at stamp, ok bool) {
	what := purposeOf(m.Subject, m.Reply, m.Header)
	text, at, err := s.open(m.Data, what[:])
	if err != nil {
		s.refuse(m, err)
		return at, false
	}
	m.Data = text
	return at, true
}

// refuse logs that a message is not taken.
func (s *sealer) refuse(m *nats.Msg, err error) {
	kind, _, _ := strings.Cut(strings.TrimPrefix(m.Subject, s.name+"."), ".")
	s.note(kind, err)
}

// numbers are those of the latest text of each process that was taken, by subject and process. Of these messages none is taken twice.
type numbers map[[2]string]uint64

// fresh reports whether a message was not taken before. All of a process come in order.
func (l numbers) fresh(subject string, at stamp) bool {
	key := [2]string{subject, at.from}
	if at.n > 0 && at.n <= l[key] {
		return false
	}
	if at.n > 0 { // otherwise it is not sealed
		l[key] = at.n
	}
	return true
}
