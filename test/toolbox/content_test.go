package toolbox_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

var hammer = toolbox.Choice{Sku: "ABC-0001"}

// TestContentKinds calls tools whose schema says of which kinds their content blocks are.
func TestContentKinds(t *testing.T) {
	eras(t, "accept", "", func(t *testing.T, c *toolbox.Client) {
		ctx := t.Context()
		image, err := c.Draw(ctx, hammer)
		if err != nil || string(image.Data) != "PNG" || image.MimeType != "image/png" {
			t.Error(image, err)
		}
		links, err := c.Related(ctx, hammer)
		if err != nil || len(links) != 2 || links[1].URI != "shop://items/ABC-0001" {
			t.Error(links, err)
		}
		if links, err := c.Related(ctx, toolbox.Choice{Sku: "ABC-0009"}); err != nil || len(links) != 0 {
			t.Error(links, err)
		}
		label, err := c.Label(ctx, hammer)
		text, _ := label.Content.Resource.(*mcp.TextResourceContents)
		if err != nil || label.Output.Count != 1 || text == nil || text.Text != "label" {
			t.Error(label, err)
		}
		frames, err := c.Frames(ctx, hammer)
		if err != nil || frames.Output.Count != 2 || len(frames.Content) != 2 || string(frames.Content[1].Data) != "PNG" {
			t.Error(frames, err)
		}
	})
}

// TestContentOfSeveralKinds: the typed client has what the handler gave, in its order; also the
// block that looks like the text of the output.
func TestContentOfSeveralKinds(t *testing.T) {
	eras(t, "accept", "", func(t *testing.T, c *toolbox.Client) {
		blocks, err := c.Introduce(t.Context(), hammer)
		if err != nil || len(blocks) != 2 {
			t.Fatal(blocks, err)
		}
		text, _ := blocks[0].(*mcp.TextContent)
		sound, _ := blocks[1].(*mcp.AudioContent)
		if text == nil || text.Text != "A hammer." || sound == nil || string(sound.Data) != "WAV" {
			t.Error(text, sound)
		}
		explained, err := c.Explain(t.Context(), hammer)
		if err != nil || explained.Output.Count != 1 || len(explained.Content) != 1 {
			t.Error(explained, err)
		}
	})
}

// TestContentOfTasks: the result of a task has the same types.
func TestContentOfTasks(t *testing.T) {
	eras(t, "accept", "", func(t *testing.T, c *toolbox.Client) {
		drawing, err := c.StartDraw(t.Context(), hammer)
		if err != nil {
			t.Fatal(err)
		}
		if image, err := drawing.Wait(t.Context()); err != nil || string(image.Data) != "PNG" {
			t.Error(image, err)
		}
		printing, err := c.StartLabel(t.Context(), hammer)
		if err != nil {
			t.Fatal(err)
		}
		if label, err := printing.Wait(t.Context()); err != nil || label.Output.Count != 1 || label.Content.Resource == nil {
			t.Error(label, err)
		}
	})
}

// TestContentFaults: what a handler may not give fails the call, and is the server's fault.
func TestContentFaults(t *testing.T) {
	type call func(context.Context, *toolbox.Client, toolbox.Choice) error
	introduce := func(ctx context.Context, c *toolbox.Client, in toolbox.Choice) error {
		_, err := c.Introduce(ctx, in)
		return err
	}
	explain := func(ctx context.Context, c *toolbox.Client, in toolbox.Choice) error {
		_, err := c.Explain(ctx, in)
		return err
	}
	draw := func(ctx context.Context, c *toolbox.Client, in toolbox.Choice) error {
		_, err := c.Draw(ctx, in)
		return err
	}
	label := func(ctx context.Context, c *toolbox.Client, in toolbox.Choice) error {
		_, err := c.Label(ctx, in)
		return err
	}
	for name, test := range map[string]struct {
		call   call
		sku    toolbox.Sku
		result bool   // the answer is a result with isError
		logged string // by the server
	}{
		"undeclared kind":             {introduce, "ABC-0009", true, `content block 2 is of the kind \"resource_link\": the schema declares text or image or audio`},
		"nil":                         {introduce, "ABC-0008", true, `content block 2 has no kind: the schema declares text`},
		"undeclared kind, and output": {explain, "ABC-0009", true, `content block 1 is of the kind \"image\": the schema declares text or resource`},
		"rule":                        {draw, "ABC-0009", false, "/content/0/annotations/priority: maximum"},
		"no resource, and output":     {label, "ABC-0009", false, "/content/0/resource: required"},
	} {
		for _, revision := range []string{mcp.Revision20251125, mcp.Revision20260728} {
			t.Run(name+" "+revision, func(t *testing.T) {
				var log bytes.Buffer
				logger := slog.New(slog.NewTextHandler(&log, nil))
				conn, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(toolbox.NewServer(box{}, mcp.Options{Logger: logger})), mcpclient.Options{Revisions: []string{revision}})
				if err != nil {
					t.Fatal(err)
				}
				err = test.call(t.Context(), toolbox.NewClient(conn), toolbox.Choice{Sku: test.sku})
				conn.Close()
				failure, failed := errors.AsType[*mcpclient.ToolFailure](err)
				internal, _ := errors.AsType[*runtime.Error](err)
				if failed != test.result || failed && failure.Text != "The tool failed." || !failed && (internal == nil || internal.Code != runtime.CodeInternalError) {
					t.Error(err)
				}
				if !strings.Contains(log.String(), test.logged) || !strings.Contains(log.String(), "level=ERROR") {
					t.Error(log.String())
				}
			})
		}
	}
}

// TestContentErrors: errors that the schema declares come before blocks.
func TestContentErrors(t *testing.T) {
	eras(t, "accept", "", func(t *testing.T, c *toolbox.Client) {
		image, err := c.Draw(t.Context(), toolbox.Choice{Sku: "ABC-0008"})
		if _, ok := errors.AsType[*toolbox.ClosedError](err); !ok || image.Data != nil {
			t.Error(image, err)
		}
	})
}

// TestContentOfOldRevisions: a client gets blocks as they are, also of a kind that is newer than
// its revision.
func TestContentOfOldRevisions(t *testing.T) {
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(toolbox.NewServer(box{}, mcp.Options{})), mcpclient.Options{Revisions: []string{mcp.Revision20250326}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	result, err := mcpclient.Call(t.Context(), c, "tools/call", wire.RawOf([]byte(`{"name":"related","arguments":{"sku":"ABC-0001"}}`)))
	const want = `{"content":[{"name":"stats","uri":"shop://stats","type":"resource_link"},{"name":"item","uri":"shop://items/ABC-0001","type":"resource_link"}]}`
	if err != nil || result.String() != want {
		t.Errorf("got  %s, %v\nwant %s", result, err, want)
	}
	if links, err := toolbox.NewClient(c).Related(t.Context(), hammer); err != nil || len(links) != 2 {
		t.Error(links, err)
	}
}
