package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// guest goes through a plan.
type guest struct {
	plan    *plan
	client  *mcpclient.Client
	changed chan struct{} // holds a token when the list of tools has changed
	updated chan struct{} // holds a token when a resource has
}

// doAll does everything in the plan.
func (g *guest) doAll(ctx context.Context) error {
	for _, step := range []func(context.Context) error{g.tool, g.calls(&g.plan.Wrong, true), g.calls(g.plan.Asking, false), g.progress, g.capture,
		g.resource, g.template, g.prompt, g.change, g.update} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (g *guest) tool(ctx context.Context) error {
	t := &g.plan.Tool
	if err := listed(g.client.ListTools(ctx), func(e mcpclient.Tool) bool { return e.Name == t.Name }); err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
	}
	_, err := g.call(ctx, t, false)
	return err
}

// calls returns a step that calls a tool, if the plan has one.
func (g *guest) calls(t *toolStep, failing bool) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		if t != nil {
			_, err = g.call(ctx, t, failing)
		}
		return err
	}
}

// progress calls a tool, and fails when nothing was reported meanwhile.
func (g *guest) progress(ctx context.Context) error {
	if g.plan.Progress == nil {
		return nil
	}
	var reports atomic.Int64
	ctx = mcpclient.WithProgress(ctx, func(mcpclient.ProgressReport) { reports.Add(1) })
	if _, err := g.call(ctx, g.plan.Progress, false); err != nil {
		return err
	}
	if reports.Load() == 0 {
		return fmt.Errorf("tool %s: no progress was reported", g.plan.Progress.Name)
	}
	return nil
}

func (g *guest) capture(ctx context.Context) error {
	if g.plan.Capture == nil {
		return nil
	}
	text, err := g.call(ctx, g.plan.Capture, false)
	if err != nil {
		return err
	}
	return g.plan.captured(text)
}

// call calls a tool, and returns what it answers once that contains the text it should.
func (g *guest) call(ctx context.Context, t *toolStep, failing bool) (string, error) {
	arguments, err := wire.ParseRaw(t.Arguments)
	if err != nil {
		return "", err
	}
	result, err := g.client.CallTool(ctx, t.Name, arguments)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", t.Name, err)
	}
	text := blocksText(result.Content)
	if result.IsError.Or(false) != failing {
		return "", fmt.Errorf("tool %s: %s", t.Name, text)
	}
	return text, contains("tool "+t.Name, text, t.Text)
}

// elicit answers a form as the plan says.
func (g *guest) elicit(context.Context, mcp.ElicitRequestFormParams) (r mcp.ElicitResult, err error) {
	answer := append([]byte(`{"action":"accept","content":`), g.plan.Asking.Answer...)
	err = wire.UnmarshalCopy(append(answer, '}'), &r)
	return r, err
}

func (g *guest) resource(ctx context.Context) error {
	r := &g.plan.Resource
	if err := listed(g.client.ListResources(ctx), func(e mcpclient.Resource) bool { return e.URI == r.URI }); err != nil {
		return fmt.Errorf("resource %s: %w", r.URI, err)
	}
	return g.read(ctx, r)
}

func (g *guest) template(ctx context.Context) error {
	if g.plan.Template == nil {
		return nil
	}
	if err := listed(g.client.ListTemplates(ctx), func(mcpclient.ResourceTemplate) bool { return true }); err != nil {
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
	if err := listed(g.client.ListPrompts(ctx), func(e mcpclient.Prompt) bool { return e.Name == p.Name }); err != nil {
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

// change has the list of tools change.
func (g *guest) change(ctx context.Context) error {
	return g.hear(ctx, mcpclient.Changes{Tools: true}, g.plan.Change, g.changed)
}

// update has a resource change.
func (g *guest) update(ctx context.Context) error {
	if g.plan.Update == nil {
		return nil
	}
	return g.hear(ctx, mcpclient.Changes{URIs: []string{g.plan.Update.URI}}, g.plan.Update, g.updated)
}

// hear calls a tool that changes something, and waits until that is told.
func (g *guest) hear(ctx context.Context, wanted mcpclient.Changes, t *toolStep, told <-chan struct{}) error {
	if t == nil {
		return nil
	}
	s, err := g.client.Listen(ctx, wanted)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer s.Close()
	if _, err := g.call(ctx, t, false); err != nil {
		return err
	}
	select {
	case <-told:
		return nil
	case <-time.After(30 * time.Second):
		return fmt.Errorf("tool %s: nothing was told of a change", t.Name)
	}
}

func (g *guest) listChanged(_ context.Context, list mcpclient.List) {
	if list == mcpclient.ListOfTools {
		note(g.changed)
	}
}

func (g *guest) resourceUpdated(_ context.Context, uri string) {
	if uri == g.plan.Update.URI {
		note(g.updated)
	}
}

// note puts a token where there is none.
func note(tokens chan struct{}) {
	select {
	case tokens <- struct{}{}:
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
