package toolbox_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

var update = flag.Bool("update", false, "write what the server says into the exchanges")

// box is a server of everything that the schema declares.
type box struct{ toolbox.UnimplementedServer }

var items = []toolbox.Item{
	{Sku: "ABC-0001", Name: "Hammer", Cents: 1999, Colour: runtime.Some(toolbox.ColourRed)},
	{Sku: "ABC-0002", Name: "Saw", Cents: 2499},
}

func (box) SearchItems(_ context.Context, in toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	if in.Query == "busy" {
		return toolbox.SearchItemsOutput{}, &toolbox.BusyError{RetryAfter: 7}
	}
	if in.Query == "broken" {
		return toolbox.SearchItemsOutput{Items: []toolbox.Item{{Sku: "nonsense"}}}, nil
	}
	return toolbox.SearchItemsOutput{Items: items[:min(int(in.Limit), len(items))], More: int(in.Limit) < len(items)}, nil
}

func (box) PlaceOrder(ctx context.Context, in toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	var none toolbox.PlaceOrderOutput
	switch in.Sku {
	case "ABC-0003":
		return none, &toolbox.OutOfStockError{Sku: in.Sku, Left: 0}
	case "ABC-0004":
		return none, &toolbox.ClosedError{Until: time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)}
	case "ABC-0005":
		return none, errors.New("the secret is 1234")
	}
	form, err := toolbox.AskPlaceOrderConfirm(ctx, in)
	if err != nil {
		return none, err
	}
	return toolbox.PlaceOrderOutput{OrderID: fmt.Sprintf("%s-%d-%v-%s", in.Sku, in.Count, form.Ok, form.Note)}, nil
}

func (box) Chart(_ context.Context, in toolbox.ChartInput) (toolbox.ChartResult, error) {
	if in.Colour.Or(toolbox.ColourRed) == toolbox.ColourBlue {
		return toolbox.ChartResult{Output: toolbox.ChartOutput{Counted: -1}}, nil
	}
	return toolbox.ChartResult{Output: toolbox.ChartOutput{Counted: 7}, Content: []mcp.ContentBlock{
		&mcp.ImageContent{Data: []byte("PNG"), MimeType: "image/png"},
		&mcp.ResourceLink{Name: "stats", URI: "shop://stats"},
		&mcp.TextContent{Text: "Seven."},
	}}, nil
}

// pixel is an image of one block.
var pixel = mcp.ImageContent{Data: []byte("PNG"), MimeType: "image/png"}

// Draw makes an image that breaks a rule of the protocol of the item ABC-0009.
func (box) Draw(_ context.Context, in toolbox.Choice) (mcp.ImageContent, error) {
	switch in.Sku {
	case "ABC-0008":
		return pixel, &toolbox.ClosedError{Until: time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)}
	case "ABC-0009":
		return mcp.ImageContent{Annotations: &mcp.Annotations{Priority: runtime.Some(2.0)}}, nil
	}
	return pixel, nil
}

func (box) Related(_ context.Context, in toolbox.Choice) ([]mcp.ResourceLink, error) {
	if in.Sku == "ABC-0009" {
		return nil, nil
	}
	return []mcp.ResourceLink{{Name: "stats", URI: toolbox.URIStats}, {Name: "item", URI: toolbox.ItemURI(toolbox.ItemParams(in))}}, nil
}

// Introduce gives a block of a kind that the schema does not declare for the item ABC-0009, and none at all for ABC-0008.
func (box) Introduce(_ context.Context, in toolbox.Choice) ([]mcp.ContentBlock, error) {
	blocks := []mcp.ContentBlock{&mcp.TextContent{Text: "A hammer."}, &mcp.AudioContent{Data: []byte("WAV"), MimeType: "audio/wav"}}
	switch in.Sku {
	case "ABC-0008":
		blocks = append(blocks, nil)
	case "ABC-0009":
		blocks = append(blocks, &mcp.ResourceLink{Name: "stats", URI: toolbox.URIStats})
	}
	return blocks, nil
}

// Label gives no resource for the item ABC-0009.
func (box) Label(_ context.Context, in toolbox.Choice) (toolbox.LabelResult, error) {
	if in.Sku == "ABC-0009" {
		return toolbox.LabelResult{}, nil
	}
	return toolbox.LabelResult{Output: toolbox.Tally{Count: 1}, Content: mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: toolbox.URIReadme, Text: "label"}}}, nil
}

func (box) Frames(context.Context, toolbox.Choice) (toolbox.FramesResult, error) {
	return toolbox.FramesResult{Output: toolbox.Tally{Count: 2}, Content: []mcp.ImageContent{pixel, pixel}}, nil
}

// Explain gives an image for the item ABC-0009, which the schema does not declare.
func (box) Explain(_ context.Context, in toolbox.Choice) (toolbox.ExplainResult, error) {
	out := toolbox.ExplainResult{Output: toolbox.Tally{Count: 1}, Content: []mcp.ContentBlock{&mcp.TextContent{Text: `{"count":1}`}}}
	if in.Sku == "ABC-0009" {
		out.Content = append(out.Content, &pixel)
	}
	return out, nil
}

func (box) Reserve(_ context.Context, in toolbox.ReserveInput) error {
	if in.Sku == "ABC-0009" {
		return &toolbox.TooManyError{}
	}
	return busy(in.Sku)
}

// busy returns an error of the protocol for one item.
func busy(sku toolbox.Sku) error {
	if sku == "ABC-0010" {
		return &toolbox.BusyError{RetryAfter: 7}
	}
	return nil
}

func (box) CountStock(context.Context, toolbox.CountStockInput) (toolbox.CountStockOutput, error) {
	return toolbox.CountStockOutput{}, &toolbox.BusyError{RetryAfter: 7}
}

func (box) LookUp(_ context.Context, in toolbox.Query) (map[string]string, error) {
	return map[string]string{"text": in.Text}, nil
}

func (box) Picture(_ context.Context, in toolbox.PictureInput) (mcp.CallToolResult, error) {
	if err := busy(in.Sku); err != nil {
		return mcp.CallToolResult{}, err
	}
	return mcp.CallToolResult{Content: []mcp.ContentBlock{
		&mcp.TextContent{Text: string(in.Sku)}, &mcp.ImageContent{Data: []byte{1, 2, 3}, MimeType: "image/png"},
	}}, nil
}

func (box) ReadCatalogue(context.Context) ([]toolbox.Item, error) { return items, nil }

func (box) ReadItem(_ context.Context, params toolbox.ItemParams) (toolbox.Item, error) {
	at := slices.IndexFunc(items, func(i toolbox.Item) bool { return i.Sku == params.Sku })
	if at < 0 {
		return toolbox.Item{}, fmt.Errorf("%s: %w", params.Sku, mcp.ErrNotFound)
	}
	return items[at], nil
}

func (box) CompleteItemSku(_ context.Context, c mcp.Completing) ([]string, error) {
	return []string{c.Value + "ABC-0001"}, nil
}

func (box) ReadPage(_ context.Context, params toolbox.PageParams) (toolbox.Markdown, error) {
	if params.Lang == "busy" {
		return "", &toolbox.BusyError{RetryAfter: 7}
	}
	return toolbox.Markdown("# " + params.Lang + " " + params.Path), nil
}

func (box) ReadSwatch(_ context.Context, params toolbox.SwatchParams) ([]byte, error) {
	return fmt.Appendf(nil, "%s %d %s", params.Colour, params.Size, params.Part), nil
}

func (box) ReadAll(context.Context) (mcp.ReadResourceResult, error) {
	return mcp.ReadResourceResult{Contents: []mcp.ResourceContents{&mcp.TextResourceContents{URI: toolbox.URIAll, Text: "all"}}}, nil
}

func (box) ReadReadme(context.Context) (string, error) { return "read me", nil }

func (box) ReadStats(context.Context) (toolbox.StatsContent, error) {
	return toolbox.StatsContent{Items: 2}, nil
}

func (box) ReviewOrder(_ context.Context, args toolbox.ReviewOrderArguments) (mcp.GetPromptResult, error) {
	if args.OrderID == "busy" {
		return mcp.GetPromptResult{}, &toolbox.BusyError{RetryAfter: 7}
	}
	return mcp.GetPromptResult{Messages: []mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Review " + args.OrderID + ", " + string(args.Tone.Or("kind")) + "."}},
	}}, nil
}

func (box) CompleteReviewOrderOrderID(_ context.Context, c mcp.Completing) ([]string, error) {
	return []string{c.Value + "1", c.Value + "2"}, nil
}

func (box) ToolboxStats(context.Context) (toolbox.ToolboxStatsResult, error) {
	return toolbox.ToolboxStatsResult{Calls: 7}, nil
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

var (
	identity = regexp.MustCompile(`"_meta":\{"io\.modelcontextprotocol/serverInfo":\{.*?\]\}\}`)
	state    = regexp.MustCompile(`"requestState":"([^"]*)"`)
)

// TestExchanges plays testdata/exchanges.txtar: what stateless clients send, newline-separated, and what the server answers. META stands for the
// _meta of a request, SERVER for that of a result, and STATE for the requestState that came last.
func TestExchanges(t *testing.T) {
	const file = "testdata/exchanges.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	d := runtime.NewDispatcher(toolbox.NewServer(box{}, mcp.Options{Logger: quiet}), runtime.Options{Logger: quiet})
	last, got := "", []byte(nil)
	for i := range archive.Files {
		section := &archive.Files[i]
		if section.Name == "server" {
			if d := linediff.Diff("want", section.Data, "got", got); d != nil && !*update {
				t.Errorf("section %d: %s", i+1, d)
			}
			section.Data, got = got, nil
			continue
		}
		for line := range bytes.Lines(section.Data) {
			line := strings.NewReplacer("META", meta, "STATE", last).Replace(strings.TrimSpace(string(line)))
			answer := identity.ReplaceAllString(string(d.Dispatch(t.Context(), nil, []byte(line))), "SERVER")
			if m := state.FindStringSubmatch(answer); m != nil {
				last = m[1]
			}
			got = append(got, state.ReplaceAllString(answer, `"requestState":"STATE"`)+"\n"...)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestURIs makes URIs of templates; that servers take them apart again, the exchanges show.
func TestURIs(t *testing.T) {
	for got, want := range map[string]string{
		toolbox.ItemURI(toolbox.ItemParams{Sku: "ABC-0001"}):                                              "shop://items/ABC-0001",
		toolbox.PageURI(toolbox.PageParams{Lang: "de/at", Path: "a b/ü?x"}):                               "shop://pages/de%2Fat/a%20b/%C3%BC?x.md",
		toolbox.SwatchURI(toolbox.SwatchParams{Colour: toolbox.ColourRed, Size: 4294967295, Part: "top"}): "shop://swatches/red/4294967295/#top",
	} {
		if got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
}

// TestErrors looks at what models are told of errors.
func TestErrors(t *testing.T) {
	var declared mcp.ToolError = &toolbox.OutOfStockError{Sku: "ABC-0003", Left: 2}
	if declared.Error() != "ABC-0003 is out of stock" || declared.ToolError() != "OutOfStock" || string(declared.AppendData(nil)) != `{"sku":"ABC-0003","left":2}` {
		t.Error(declared, declared.ToolError(), string(declared.AppendData(nil)))
	}
	declared = &toolbox.TooManyError{}
	if len(declared.AppendData(nil)) != 0 {
		t.Error("data come from nowhere")
	}
}
