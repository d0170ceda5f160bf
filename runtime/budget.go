package runtime

import (
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ResetReader puts the reader of the call at text[at], with the decode budget of the call ([Options.DecodeBudget]): for handlers that
// decode a part of their params themselves, such as the arguments of a tool.
func (c *Call) ResetReader(text []byte, at, maxDepth int) {
	c.reader.Reset(text, at, maxDepth)
	if c.shared != nil || c.d.opts.DecodeBudget > 0 {
		c.reader.SetBudget(c.d.opts.decodeBudget(len(c.msg), c.shared != nil), c.shared)
	}
}

// BudgetExceeded returns the condition that decoding text, of the params, would take more memory than [Options.DecodeBudget].
func (c *Call) BudgetExceeded(text []byte) Condition {
	return Condition{
		Kind: when.BudgetExceeded, Method: c.env.method, MaxSize: c.d.opts.decodeBudget(len(c.msg), false), Size: len(text), Unit: "bytes",
	}
}

// decodeBudget is what decoding a message of size bytes may allocate. A message that shares the least budget of its batch has only its own
// part.
func (o *Options) decodeBudget(size int, shares bool) int {
	switch {
	case o.DecodeBudget > 0 && shares:
		return 0
	case o.DecodeBudget > 0:
		return o.DecodeBudget
	case shares:
		return wire.BudgetFactor * size
	}
	return wire.DefaultBudget(size)
}

// batchBudget is what the messages of a batch share.
func (o *Options) batchBudget() *wire.Budget {
	if o.DecodeBudget > 0 {
		return wire.NewBudget(o.DecodeBudget)
	}
	return wire.NewBudget(wire.MinBudget)
}
