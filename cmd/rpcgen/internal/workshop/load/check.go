package load

import (
	"bytes"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// checker checks the answers of a tool.
type checker struct {
	output   *conform.Schema // nil if none is known
	required []string        // members that structured content has
	readOnly bool
	tasks    atomic.Bool // it runs as tasks only
	varies   string      // what has shown that its equal calls have unequal answers; "" if nothing has. It is not written while workers run
}

// newChecker returns a checker for a tool with an output schema, nil for none. A schema that cannot be compiled is not checked.
func newChecker(output []byte, readOnly bool) *checker {
	c := &checker{readOnly: readOnly}
	if len(output) == 0 {
		return c
	}
	if schema, err := conform.New(string(output)); err == nil {
		c.output = schema
	}
	for name := range wire.PeekAt(output).In("required").Elements() {
		if text, ok := name.Text(); ok {
			c.required = append(c.required, text)
		}
	}
	return c
}

// The classes of wrong answers.
const (
	wrongShape  = "does not fit the output schema"
	wrongMixed  = "is the answer to another call"
	wrongDiffer = "differs from the answer before"
	unrepeated  = "differs or is the answer to another call, and the call was not repeated after the load"
	changed     = "changed" // no class: the answer is another one after the load, too
)

// answers knows the answers to calls that repeat.
type answers struct {
	seed  maphash.Seed
	alone bool // one worker makes all calls: none can get the answer to another

	mu    sync.Mutex
	calls map[uint64]int // how many calls have an answer, by its hash
}

func newAnswers() *answers { return &answers{seed: maphash.MakeSeed(), calls: make(map[uint64]int)} }

// fully says that each so-many-th answer is checked in full.
const fully = 100

// learn takes the answers to two equal calls, one after the other: if they are equal, all later ones have to be.
func (a *answers) learn(c *Call, first, second []byte) {
	if !bytes.Equal(first, second) {
		c.target.varies = "made twice before the load, equal calls of this tool did not have equal answers"
		return
	}
	hash := a.hash(first)
	c.want.Store(hash)
	a.mu.Lock()
	a.calls[hash]++
	a.mu.Unlock()
}

func (a *answers) hash(answer []byte) uint64 { return max(1, maphash.Bytes(a.seed, answer)) }

// judge returns the class of a wrong answer, or "". The number of the call says whether it is checked in full.
func (a *answers) judge(c *Call, answer []byte, err error, k int64) string {
	if err != nil {
		return ""
	}
	if want := c.want.Load(); want != 0 && c.target.varies == "" {
		hash := a.hash(answer)
		if hash == want {
			return ""
		}
		a.mu.Lock()
		other := a.calls[hash] > 0
		a.mu.Unlock()
		if other && !a.alone {
			return wrongMixed
		}
		return wrongDiffer
	}
	if !c.target.fits(answer, k%fully == 0) {
		return wrongShape
	}
	return ""
}

// fits reports whether an answer fits the output schema.
func (c *checker) fits(answer []byte, full bool) bool {
	if c.output == nil {
		return true
	}
	p := wire.PeekAt(answer).In("structuredContent")
	if p.Kind() == wire.Invalid {
		return false
	}
	for _, name := range c.required {
		if !p.Has(name) {
			return false
		}
	}
	if !full {
		return true
	}
	var vs violation.List
	c.output.Check(&vs, "", string(p.JSON()))
	return vs.Len() == 0
}

// short returns the beginning of a text.
func short(text []byte) string {
	const most = 120
	if len(text) > most {
		return strings.ToValidUTF8(string(text[:most]), "") + "..."
	}
	return string(text)
}
