package diff_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// allEdits are the edits of any schema, and those of MCP servers.
func allEdits() map[string]edit {
	all := maps.Clone(edits)
	maps.Copy(all, toolEdits)
	return all
}

// one draws one of the things that will do.
func one[T any](t *rapid.T, all []T, will func(T) bool) (T, bool) {
	fit := slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !will(x) })
	if len(fit) == 0 {
		var none T
		return none, false
	}
	return rapid.SampledFrom(fit).Draw(t, "one"), true
}

func whichever[T any](T) bool { return true }

func without[T comparable](all []T, x T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(y T) bool { return x == y })
}

// contents are what content blocks tools may give.
var contents = []*ir.Content{
	nil, {}, {Kinds: []ir.ContentKind{ir.ImageContent}}, {Kinds: []ir.ContentKind{ir.ImageContent}, Many: true},
	{Kinds: []ir.ContentKind{ir.TextContent, ir.ImageContent}, Many: true},
}

// toolEdits are the single changes that are made to what a document declares for MCP.
var toolEdits = map[string]edit{
	"add a tool": func(t *rapid.T, doc *ir.Document) (want, bool) {
		if doc.Server == nil {
			return want{}, false
		}
		at := rapid.IntRange(0, len(doc.Tools)).Draw(t, "at")
		doc.Tools = slices.Insert(doc.Tools, at, &ir.Tool{Meta: ir.Meta{Pos: doc.Server.Pos}, Name: "zz_added"})
		return want{diff.ToolAdded, "tools/zz_added"}, true
	},
	"remove a tool": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, whichever)
		if !ok {
			return want{}, false
		}
		doc.Tools = without(doc.Tools, o)
		return want{diff.ToolRemoved, "tools/" + o.Name}, true
	},
	"rename a tool": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, whichever)
		if !ok {
			return want{}, false
		}
		o.Name += "_x"
		return want{diff.ToolRenamed, "tools/" + o.Name}, true
	},
	"move tools": func(t *rapid.T, doc *ir.Document) (want, bool) {
		was := slices.Clone(doc.Tools)
		if len(was) == 0 {
			return want{}, false
		}
		doc.Tools = rapid.Permutation(was).Draw(t, "tools")
		return want{diff.ListOrder, "tools"}, !slices.Equal(was, doc.Tools)
	},
	"describe a tool": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, whichever)
		if !ok {
			return want{}, false
		}
		o.Doc = "Other words."
		return want{diff.DocsChanged, "tools/" + o.Name + "/description"}, true
	},
	"hint": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool { return o.Hints.Destructive != ir.HintYes })
		if !ok {
			return want{}, false
		}
		o.Hints.Destructive = ir.HintYes
		return want{diff.ToolSetting, "tools/" + o.Name + "/hints"}, true
	},
	"give up input": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool { return o.Input != nil && len(o.Asks) == 0 })
		if !ok {
			return want{}, false
		}
		o.Input = nil
		return want{diff.TypeChanged, "tools/" + o.Name + "/input"}, true
	},
	"give up output": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool { return o.Output != nil })
		if !ok {
			return want{}, false
		}
		o.Output, o.Content = nil, rapid.SampledFrom(contents).Draw(t, "content")
		return want{diff.TypeChanged, "tools/" + o.Name + "/output"}, true
	},
	"give other content": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, whichever)
		if !ok {
			return want{}, false
		}
		was := o.Content
		o.Content = rapid.SampledFrom(contents).Draw(t, "content")
		return want{diff.TypeChanged, "tools/" + o.Name + "/output"}, !was.Equal(o.Content)
	},
	"give up an error": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool {
			return slices.ContainsFunc(o.Errors, func(e *ir.Error) bool { return !e.OfTool })
		})
		if !ok {
			return want{}, false
		}
		e, _ := one(t, o.Errors, func(e *ir.Error) bool { return !e.OfTool })
		o.Errors = without(o.Errors, e)
		return want{diff.MethodError, "tools/" + o.Name + "/errors/" + e.Name}, true
	},
	"rename an error of tools": func(t *rapid.T, doc *ir.Document) (want, bool) {
		for _, o := range doc.Tools {
			if e, ok := one(t, o.Errors, func(e *ir.Error) bool { return e.OfTool }); ok {
				e.Name += "X"
				return want{diff.ErrorRenamed, "errors/" + e.Name}, true
			}
		}
		return want{}, false
	},
	"ask more": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool { return len(o.Asks) == 0 })
		if !ok {
			return want{}, false
		}
		o.Asks = []*ir.Ask{{Pos: o.Pos, Method: "roots/list"}}
		return want{diff.AskAdded, "tools/" + o.Name + "/asks/roots/list"}, true
	},
	"ask less": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool { return len(o.Asks) > 0 })
		if !ok {
			return want{}, false
		}
		a := rapid.SampledFrom(o.Asks).Draw(t, "ask")
		o.Asks = without(o.Asks, a)
		name := a.Name
		if name == "" {
			name = a.Method
		}
		return want{diff.AskRemoved, "tools/" + o.Name + "/asks/" + name}, true
	},
	"ask in other words": func(t *rapid.T, doc *ir.Document) (want, bool) {
		o, ok := one(t, doc.Tools, func(o *ir.Tool) bool { return len(o.Asks) > 0 })
		if !ok {
			return want{}, false
		}
		a, _ := one(t, o.Asks, func(a *ir.Ask) bool { return a.Form != nil })
		a.Message = []ir.MessagePart{{Text: "Really?"}}
		return want{diff.AskChanged, "tools/" + o.Name + "/asks/" + a.Name + "/message"}, true
	},
	"remove a resource": func(t *rapid.T, doc *ir.Document) (want, bool) {
		r, ok := one(t, doc.Resources, whichever)
		if !ok {
			return want{}, false
		}
		doc.Resources = without(doc.Resources, r)
		return want{diff.ResourceRemoved, "resources/" + r.Name}, true
	},
	"rename a resource": func(t *rapid.T, doc *ir.Document) (want, bool) {
		r, ok := one(t, doc.Resources, whichever)
		if !ok {
			return want{}, false
		}
		r.Name = "zz_renamed"
		return want{diff.ResourceRenamed, "resources/zz_renamed"}, true
	},
	"move a resource": func(t *rapid.T, doc *ir.Document) (want, bool) {
		r, ok := one(t, doc.Resources, func(r *ir.Resource) bool { return r.Template == nil })
		if !ok {
			return want{}, false
		}
		r.URI += "/zz"
		return want{diff.ResourceSetting, "resources/" + r.Name + "/uri"}, true
	},
	"subscribe": func(t *rapid.T, doc *ir.Document) (want, bool) {
		r, ok := one(t, doc.Resources, whichever)
		if !ok {
			return want{}, false
		}
		r.Subscribe = !r.Subscribe
		return want{diff.ResourceSetting, "resources/" + r.Name + "/subscribe"}, true
	},
	"move resources": func(t *rapid.T, doc *ir.Document) (want, bool) {
		doc.Resources, doc.Prompts = rapid.Permutation(doc.Resources).Draw(t, "resources"), rapid.Permutation(doc.Prompts).Draw(t, "prompts")
		return want{}, true
	},
	"remove a prompt": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, ok := one(t, doc.Prompts, whichever)
		if !ok {
			return want{}, false
		}
		doc.Prompts = without(doc.Prompts, p)
		return want{diff.PromptRemoved, "prompts/" + p.Name}, true
	},
	"rename a prompt": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, ok := one(t, doc.Prompts, func(p *ir.Prompt) bool { return p.Arguments != nil })
		if !ok {
			return want{}, false
		}
		p.Name += "_x"
		return want{diff.PromptRenamed, "prompts/" + p.Name}, true
	},
	"add an argument": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, ok := one(t, doc.Prompts, func(p *ir.Prompt) bool { return p.Arguments != nil })
		if !ok {
			return want{}, false
		}
		f := &ir.Field{Meta: ir.Meta{Pos: p.Pos}, Name: "zzAdded", Type: &ir.String{}, Optional: rapid.Bool().Draw(t, "optional")}
		p.Arguments.Fields = append(p.Arguments.Fields, f)
		return want{diff.FieldAdded, "prompts/" + p.Name + "/arguments/zzAdded"}, true
	},
	"complete": func(t *rapid.T, doc *ir.Document) (want, bool) {
		p, ok := one(t, doc.Prompts, func(p *ir.Prompt) bool { return p.Arguments != nil })
		if !ok {
			return want{}, false
		}
		f := rapid.SampledFrom(p.Arguments.Fields).Draw(t, "argument")
		f.Complete = !f.Complete
		return want{diff.FieldSetting, "prompts/" + p.Name + "/arguments/" + f.Name + "/complete"}, true
	},
	"give up a revision": func(t *rapid.T, doc *ir.Document) (want, bool) {
		if doc.Server == nil {
			return want{}, false
		}
		r := rapid.SampledFrom(doc.Server.Revisions).Draw(t, "revision")
		doc.Server.Revisions = without(doc.Server.Revisions, r)
		return want{diff.ServerSetting, "server/revisions/" + r}, true
	},
	"instruct": func(_ *rapid.T, doc *ir.Document) (want, bool) {
		if doc.Server == nil {
			return want{}, false
		}
		doc.Server.Instructions = "Other words."
		return want{diff.DocsChanged, "server/instructions"}, true
	},
}
