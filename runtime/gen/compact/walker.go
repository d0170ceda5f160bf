package compact

import (
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Walked is a struct that lists its members in one method, which serves reading, writing and checking.
// The compact codec generates it: it takes the compiler less time than a method for each of them, and
// runs slower.
type Walked interface {
	// WalkJSON passes each member to w, in order.
	WalkJSON(w *Walker)
}

// Walker is what a [Walked] passes its members to. It calls the same functions that the full codec
// calls, so the results are the same.
type Walker struct {
	mode mode
	fields
	r  *wire.Reader    // while reading
	b  []byte          // while writing
	vs *violation.List // while checking

	key    string // of the last member, while checking
	there  bool   // whether the last member is there, while checking
	text   string // its value if it is a string
	number int64  // its value if it is an integer

	names []byte   // while listing: newline-separated
	masks []uint64 // while listing: which names are required, 64 at a time
	known []string // the names that were listed before, each list once: many objects of a message may lack members
}

// fields is the state of one object.
type fields struct {
	o     wire.Members
	n     int  // the index of the next member
	lacks bool // a required member was not read
}

// mode is what a Walker does with members.
type mode uint8

const (
	reading   mode = iota
	finishing      // members that were not read get their zero value or their default
	listing        // names are collected for reporting the required members that were not read
	writing
	checking
)

var walkers = sync.Pool{New: func() any { return new(Walker) }}

// release clears w for others. It keeps the names that were listed: they are those of types.
func (w *Walker) release() {
	*w = Walker{names: w.names, masks: w.masks, known: w.known}
	walkers.Put(w)
}

// WalkDecode reads v from r; faults are r's to report.
func WalkDecode(r *wire.Reader, v Walked) {
	w := walkers.Get().(*Walker)
	w.decode(r, v)
	w.release()
}

// WalkAppend appends v as JSON.
func WalkAppend(b []byte, v Walked) []byte {
	w := walkers.Get().(*Walker)
	b = w.append(b, v)
	w.release()
	return b
}

// WalkRules reports to vs the rules that v breaks.
func WalkRules(vs *violation.List, v Walked) {
	w := walkers.Get().(*Walker)
	w.check(vs, v)
	w.release()
}

// WalkDecodeRules is [WalkDecode] and then [WalkRules].
func WalkDecodeRules(r *wire.Reader, vs *violation.List, v Walked) {
	w := walkers.Get().(*Walker)
	w.decode(r, v)
	w.check(vs, v)
	w.release()
}

// WalkAppendRules is [WalkRules] and then [WalkAppend].
func WalkAppendRules(b []byte, vs *violation.List, v Walked) []byte {
	w := walkers.Get().(*Walker)
	w.check(vs, v)
	b = w.append(b, v)
	w.release()
	return b
}

func (w *Walker) decode(r *wire.Reader, v Walked) {
	w.mode, w.r = reading, r
	for p := (pass{}); w.again(&p); {
		v.WalkJSON(w)
	}
}

func (w *Walker) append(b []byte, v Walked) []byte {
	w.mode, w.b = writing, b
	v.WalkJSON(w)
	return wire.CloseObject(w.b, len(b))
}

func (w *Walker) check(vs *violation.List, v Walked) {
	w.mode, w.vs = checking, vs
	v.WalkJSON(w)
	w.vs = nil
}

// pass is the state of passing an object to a Walker. Its members are passed once to be written or
// checked, and in rounds to be read, see [wire.Members].
type pass struct {
	phase phase
	outer fields
	start int             // where the object begins, while writing
	in    violation.Scope // of the object, while checking
	key   string          // of the member that the object is; empty for an element
	index int             // of the element
}

// phase is what comes after the members were passed once more.
type phase uint8

const (
	begins phase = iota
	reads
	finishes
	lists
	ends
)

// again reports whether the members of the object are to be passed to w once more.
func (w *Walker) again(p *pass) bool {
	switch p.phase {
	case begins:
		return w.begin(p)
	case reads:
		return w.round(p)
	case finishes:
		if w.mode = reading; w.lacks && wire.Collecting(w.r) {
			w.mode, w.n, p.phase = listing, 0, lists
			return true
		}
		if w.lacks {
			wire.Fail(w.r)
		}
		w.fields = p.outer
	case lists:
		w.mode = reading
		w.need()
		w.fields = p.outer
	default:
		w.end(p)
	}
	return false
}

// begin begins the object.
func (w *Walker) begin(p *pass) bool {
	switch p.phase = ends; w.mode {
	case reading:
		p.phase, p.outer = reads, w.fields
		w.fields = fields{}
		w.r.Object(&w.o)
		return w.round(p)
	case writing:
		p.start = len(w.b)
	default:
		p.in = w.vs.Enter()
	}
	return true
}

// round begins a round. After the last one the members that were not read get another pass.
func (w *Walker) round(p *pass) bool {
	if w.r.More(&w.o) {
		w.n = 0
		return true
	}
	if n := w.n; w.o.HasAll(n) {
		w.fields = p.outer
		return false
	}
	w.mode, w.n, p.phase = finishing, 0, finishes
	return true
}

// end ends the object. Each member was written with a comma before it: the first one becomes the brace.
func (w *Walker) end(p *pass) {
	if w.mode == writing {
		w.b = wire.CloseObject(w.b, p.start)
		return
	}
	at := ""
	switch {
	case w.vs.Len() == 0:
	case p.key != "":
		at = pointerTo(p.key)
	default:
		at = "/" + strconv.Itoa(p.index)
	}
	w.vs.Leave(p.in, at)
}

// need reports the required members that were not read.
func (w *Walker) need() {
	names := w.allNames()
	for i, mask := range w.masks {
		switch {
		case mask == 0:
		case i == 0:
			w.r.Need(&w.o, mask, names)
		default:
			w.r.NeedMore(&w.o, i, mask, names)
		}
	}
	w.names, w.masks = w.names[:0], w.masks[:0]
}

// allNames returns the names that were listed.
func (w *Walker) allNames() string {
	for _, names := range w.known {
		if names == string(w.names) {
			return names
		}
	}
	const most = 64 // lists that are kept
	if len(w.known) == most {
		w.known = nil
	}
	names := string(w.names)
	w.known = append(w.known, names)
	return names
}

// note notes a name while names are listed.
func (w *Walker) note(n int, key string, required Presence) {
	if n > 0 {
		w.names = append(w.names, '\n')
	}
	if n%64 == 0 {
		w.masks = append(w.masks, 0)
	}
	w.names = append(w.names, nameOf(key)...)
	if required == Required {
		w.masks[n/64] |= 1 << (n % 64)
	}
}

// nameOf returns the name in the key of a member.
func nameOf(key string) string { return key[len(`,"`) : len(key)-len(`":`)] }

// pointerTo is the JSON Pointer to the member with the given key.
func pointerTo(key string) string { return "/" + violation.EscapePointer(nameOf(key)) }
