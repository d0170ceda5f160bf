package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// guest goes through a plan.
type guest struct {
	plan    *plan
	client  *mcp.Client
	changed chan struct{} // holds a token when the list of tools has changed
}

// doAll does everything in the plan.
func (g *guest) doAll(ctx context.Context) error {
	for _, step := range []func(context.Context) error{g.tool, g.wrong, g.asking, g.resource, g.template, g.prompt, g.change} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (g *guest) tool(ctx context.Context) error {
	t := &g.plan.Tool
	if err := listed(g.client.ListTools(ctx), func(e mcp.Tool) bool { return e.Name == t.Name }); err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	return g.call(ctx, t, false)
}

func (g *guest) wrong(ctx context.Context) error { return g.call(ctx, &g.plan.Wrong, true) }

func (g *guest) asking(ctx context.Context) error {
	if g.plan.Asking == nil {
		return nil
	}
	return g.call(ctx, g.plan.Asking, false)
}

// call calls a tool, and looks for the text in what it answers.
func (g *guest) call(ctx context.Context, t *toolStep, failing bool) error {
	arguments, err := wire.ParseRaw(t.Arguments)
	if err != nil {
		return err
	}
	result, err := g.client.CallTool(ctx, t.Name, arguments)
	if err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	if result.IsError.Or(false) != failing {
		return fmt.Errorf("tool %s: %s", t.Name, blocksText(result.Content))
	}
	return contains("tool "+t.Name, blocksText(result.Content), t.Text)
}

// elicit answers a form as the plan says.
func (g *guest) elicit(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	content := make(map[string]mcp20260728.ElicitResultContentValue)
	for name, value := range g.plan.Asking.Answer {
		content[name] = mcp20260728.ElicitResultContentValueString(value)
	}
	return mcp.ElicitResult{Action: mcp20260728.ElicitResultActionAccept, Content: content}, nil
}

func (g *guest) resource(ctx context.Context) error {
	r := &g.plan.Resource
	if err := listed(g.client.ListResources(ctx), func(e mcp.Resource) bool { return e.URI == r.URI }); err != nil {
		return fmt.Errorf("resource %s: %w", r.URI, err)
	}
	return g.read(ctx, r)
}

func (g *guest) template(ctx context.Context) error {
	if g.plan.Template == nil {
		return nil
	}
	if err := listed(g.client.ListTemplates(ctx), func(mcp.ResourceTemplate) bool { return true }); err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	return g.read(ctx, g.plan.Template)
}

// read reads a resource, and looks for the text in it.
func (g *guest) read(ctx context.Context, r *resourceStep) error {
	result, err := g.client.ReadResource(ctx, r.URI)
	if err != nil {
		return fmt.Errorf("resource %s: %w", r.URI, err)
	}
	var all strings.Builder
	for _, c := range result.Contents {
		if t, ok := c.(*mcp.TextResourceContents); ok {
			all.WriteString(t.Text)
		}
	}
	return contains("resource "+r.URI, all.String(), r.Text)
}

func (g *guest) prompt(ctx context.Context) error {
	p := &g.plan.Prompt
	if err := listed(g.client.ListPrompts(ctx), func(e mcp.Prompt) bool { return e.Name == p.Name }); err != nil {
		return fmt.Errorf("prompt %s: %w", p.Name, err)
	}
	result, err := g.client.GetPrompt(ctx, p.Name, p.Arguments)
	if err != nil {
		return fmt.Errorf("prompt %s: %w", p.Name, err)
	}
	var blocks []mcp.ContentBlock
	for _, m := range result.Messages {
		blocks = append(blocks, m.Content)
	}
	return contains("prompt "+p.Name, blocksText(blocks), p.Text)
}

// change has the list of tools change, and waits until that is told.
func (g *guest) change(ctx context.Context) error {
	if g.plan.Change == nil {
		return nil
	}
	s, err := g.client.Listen(ctx, mcp.Changes{Tools: true})
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer s.Close()
	if err := g.call(ctx, g.plan.Change, false); err != nil {
		return err
	}
	select {
	case <-g.changed:
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("tool %s: nothing was told of a change", g.plan.Change.Name)
	}
}

func (g *guest) listChanged(_ context.Context, list mcp.List) {
	if list != mcp.ListOfTools {
		return
	}
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// listed fails unless a list has an entry that is wanted.
func listed[E any](all iter.Seq2[E, error], wanted func(E) bool) error {
	for e, err := range all {
		if err != nil {
			return err
		}
		if wanted(e) {
			return nil
		}
	}
	return fmt.Errorf("it is not listed")
}

// contains fails unless the text contains what is wanted.
func contains(what, text, wanted string) error {
	if !strings.Contains(text, wanted) {
		return fmt.Errorf("%s: %q is not in %q", what, wanted, text)
	}
	return nil
}

// blocksText is the text in blocks.
func blocksText(blocks []mcp.ContentBlock) string {
	var all []string
	for _, b := range blocks {
		if t, ok := b.(*mcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}
