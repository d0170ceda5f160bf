package mcpdynamic

import (
	"context"
	"errors"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// Prompt is a prompt that is added to a server (server/prompts).
type Prompt struct {
	Name        string // 1 to 128 letters, digits, _, - and .
	Title       string // for people; empty means none
	Description string // empty means none

	// Arguments is an array of PromptArgument. Null means none. Required arguments are checked.
	Arguments runtime.Raw

	// Members is an object with other members of the entry, see [Tool.Members].
	Members runtime.Raw

	// Get returns the complete result: a [*mcp.GetPromptResult] or a [Raw].
	Get func(ctx context.Context, arguments map[string]string) (runtime.Appender, error)

	// Complete returns values for an argument, the best ones first. Nil means that there are none.
	Complete func(ctx context.Context, argument string, c mcp.Completing) ([]string, error)
}

// prompt is a Prompt that was checked.
type prompt struct {
	Prompt
	listing.Entry
	required []string
}

func (p *prompt) definition() listing.Entry { return p.Entry }

// AddPrompts adds prompts, all or nothing, see [Set.AddTools].
func (s *Set) AddPrompts(all ...Prompt) error { return s.ReplacePrompts(nil, all...) }

// RemovePrompts removes prompts. Names that were not added are ignored.
func (s *Set) RemovePrompts(names ...string) error { return s.ReplacePrompts(names) }

// ReplacePrompts removes prompts by their names and adds others in one step, see [Set.ReplaceTools].
func (s *Set) ReplacePrompts(remove []string, add ...Prompt) error {
	return replace(s, listing.Prompts, remove, add, newPrompt)
}

// newPrompt checks a prompt.
func newPrompt(p Prompt) (entry, error) {
	if err := checkName(listing.Prompts, p.Name); err != nil {
		return nil, err
	}
	b := appendRaw(appendFields(p.Name, p.Title, p.Description), "arguments", p.Arguments)
	var checked types.Prompt
	text, err := withMembers(b, p.Members, &checked)
	if err == nil && p.Get == nil {
		err = errors.New("it has no Get")
	}
	if err != nil {
		return nil, invalid(listing.Prompts, p.Name, err)
	}
	made := &prompt{Prompt: p, Entry: listing.Entry{Key: p.Name, JSON: text}}
	for _, a := range checked.Arguments {
		if a.Required.Or(false) {
			made.required = append(made.required, a.Name)
		}
	}
	return made, nil
}

// GetPrompt implements [mcp.Dynamic].
func (s *Set) GetPrompt(ctx context.Context, c *mcp.PromptCall) bool {
	p, ok := s.lookup(listing.Prompts, c.Name()).(*prompt)
	if !ok {
		return false
	}
	var arguments map[string]string
	for c.Arguments() {
		arguments = make(map[string]string)
		for name, value := range wire.Map(c.Reader(), stringOrNull) {
			if value != nil { // null is absent, as in prompts of schemas
				arguments[name] = *value
			}
		}
		for _, name := range p.required {
			if _, there := arguments[name]; !there {
				c.Violations().Add(violation.Violation{Pointer: "/" + violation.EscapePointer(name), Rule: "required", Expected: "member " + protocol.Quote(name)})
			}
		}
	}
	if c.Answered() {
		return true
	}
	result, err := p.Get(ctx, arguments)
	return give(c, result, err)
}

func stringOrNull(r *wire.Reader) *string {
	if r.Null() {
		return nil
	}
	return new(r.String())
}

// give answers a call with what its handler returned, and reports that it is answered.
func give(c interface {
	Fail(error)
	ReturnWhole(runtime.Appender)
}, result runtime.Appender, err error) bool {
	if err == nil && result == nil {
		err = errors.New("the handler returned neither a result nor an error")
	}
	if err != nil {
		c.Fail(err)
		return true
	}
	c.ReturnWhole(result)
	return true
}

// Complete implements [mcp.Dynamic].
func (s *Set) Complete(ctx context.Context, c *mcp.CompleteCall) bool {
	complete, found := s.completer(c)
	if !found {
		return false
	}
	if complete == nil {
		c.Return(nil)
		return true
	}
	values, err := complete(ctx, c.Argument(), c.Completing())
	if err != nil {
		c.Fail(err)
		return true
	}
	c.Return(values)
	return true
}

// completer returns the function that completes what c refers to.
func (s *Set) completer(c *mcp.CompleteCall) (complete func(context.Context, string, mcp.Completing) ([]string, error), found bool) {
	if p, ok := s.lookup(listing.Prompts, c.Prompt()).(*prompt); ok {
		return p.Prompt.Complete, true
	}
	if t, ok := s.lookup(listing.Templates, c.Template()).(*template); ok {
		return t.complete, true
	}
	return nil, false
}
