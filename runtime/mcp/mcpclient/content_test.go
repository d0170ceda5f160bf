package mcpclient_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// receive returns how many blocks a reader of content finds in a result. With an output, the
// structured content is read first.
func receive(t *testing.T, era mcp.Era, result string, output bool, read func(*mcpclient.ToolRequest) int) (n int, err error) {
	t.Helper()
	s := &script{answer: func(method string, _ wire.Peek) string {
		switch method {
		case "tools/call":
			return `"result":` + result
		case "initialize":
			return shaken
		}
		return ""
	}}
	c, err := mcpclient.Connect(t.Context(), s.dial, mcpclient.Options{Era: era, Logger: shop.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	q := c.NewToolRequest("draw", nil)
	defer q.Close(&err)
	q.SendEmpty(t.Context())
	if output {
		for q.Structured(nil) {
			q.Reader().Skip()
		}
	} else {
		q.NoResult(nil)
	}
	n = read(q)
	return n, q.Err()
}

func oneImage(q *mcpclient.ToolRequest) int {
	return len(mcpclient.BlockOf[mcp.ImageContent](q).Data)
}

func images(q *mcpclient.ToolRequest) int { return len(mcpclient.BlocksOf[mcp.ImageContent](q)) }

func textsAndImages(q *mcpclient.ToolRequest) int { return len(q.Content("text", "image")) }

func anything(q *mcpclient.ToolRequest) int { return len(q.Content()) }

const (
	imageBlock = `{"type":"image","data":"QQ==","mimeType":"image/png"}`
	audioBlock = `{"type":"audio","data":"QQ==","mimeType":"audio/wav"}`
	textBlock  = `{"type":"text","text":"x"}`
	alienBlock = `{"type":"hologram","of":"a hammer"}`
)

// contentCases are results, and what a client makes of them: a number of blocks (or of bytes, of one
// image), or an error.
var contentCases = map[string]struct {
	result string
	output bool
	read   func(*mcpclient.ToolRequest) int
	want   int
	fault  string // the error, after the name of the call; empty if there is none
}{
	"one":                  {`{"content":[` + imageBlock + `]}`, false, oneImage, 1, ""},
	"one, none sent":       {`{"content":[]}`, false, oneImage, 0, "the tool gave another number of content blocks: /content: minItems: expected one block of the kind image, got 0"},
	"one, no content":      {`{}`, false, oneImage, 0, "the tool gave another number of content blocks: /content: minItems: expected one block of the kind image, got 0"},
	"one, two sent":        {`{"content":[` + imageBlock + `,` + imageBlock + `]}`, false, oneImage, 0, "the tool gave another number of content blocks: /content: maxItems: expected one block of the kind image, got 2"},
	"one, another":         {`{"content":[` + audioBlock + `]}`, false, oneImage, 0, `content block 0 is of a kind that the schema does not declare: /content/0/type: enum: expected image, got "audio"`},
	"one, unknown":         {`{"content":[` + alienBlock + `]}`, false, oneImage, 0, `content block 0 is of a kind that the schema does not declare: /content/0/type: enum: expected image, got "hologram"`},
	"one, invalid":         {`{"content":[{"type":"image","mimeType":"image/png"}]}`, false, oneImage, 0, `the result does not fit the schema: /content/0/data: required: expected member "data"`},
	"list":                 {`{"content":[` + imageBlock + `,` + imageBlock + `]}`, false, images, 2, ""},
	"list, none":           {`{"content":[]}`, false, images, 0, ""},
	"list, another":        {`{"content":[` + imageBlock + `,` + textBlock + `]}`, false, images, 0, `content block 1 is of a kind that the schema does not declare: /content/1/type: enum: expected image, got "text"`},
	"several":              {`{"content":[` + textBlock + `,` + imageBlock + `,` + textBlock + `]}`, false, textsAndImages, 3, ""},
	"several, another":     {`{"content":[` + textBlock + `,` + imageBlock + `,` + audioBlock + `]}`, false, textsAndImages, 0, `content block 2 is of a kind that the schema does not declare: /content/2/type: enum: expected text or image, got "audio"`},
	"anything":             {`{"content":[` + alienBlock + `,` + audioBlock + `]}`, false, anything, 2, ""},
	"output":               {`{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"},` + imageBlock + `]}`, true, oneImage, 1, ""},
	"output, indented":     {`{"structuredContent":{"a":1,"b":2},"content":[{"type":"text","text":"{\n  \"b\": 2,\n  \"a\": 1.0\n}"},` + imageBlock + `]}`, true, oneImage, 1, ""},
	"output, not repeated": {`{"structuredContent":{"a":1},"content":[` + imageBlock + `]}`, true, images, 1, ""},
	"output, as text only": {`{"content":[{"type":"text","text":"{\"a\":1}"},` + imageBlock + `]}`, true, oneImage, 1, ""},
	"output, other text":   {`{"structuredContent":{"a":1},"content":[` + textBlock + `,` + imageBlock + `]}`, true, textsAndImages, 2, ""},
	"output, another":      {`{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"},` + imageBlock + `,` + audioBlock + `]}`, true, images, 0, `content block 2 is of a kind that the schema does not declare: /content/2/type: enum: expected image, got "audio"`},
	"output, only repeated": {`{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"}]}`, true, oneImage, 0,
		"the tool gave another number of content blocks: /content: minItems: expected one block of the kind image, got 0"},
}

func TestTypedContent(t *testing.T) {
	for name, test := range contentCases {
		for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
			t.Run(name+" "+era.String(), func(t *testing.T) {
				got, err := receive(t, era, test.result, test.output, test.read)
				if got != test.want || (err == nil) != (test.fault == "") {
					t.Fatalf("got %d, %v", got, err)
				}
				if e, ok := errors.AsType[*runtime.ResponseError](err); test.fault != "" && (!ok || e.Error() != "the response to tools/call draw: "+test.fault) {
					t.Errorf("got %v\nwant %s", err, test.fault)
				}
			})
		}
	}
}

// TestTypedContentFails: an error of the tool is not read as content.
func TestTypedContentFails(t *testing.T) {
	for _, read := range []func(*mcpclient.ToolRequest) int{oneImage, images, textsAndImages} {
		_, err := receive(t, mcp.Stateless, `{"content":[{"type":"text","text":"broken"}],"isError":true}`, false, read)
		if e, ok := errors.AsType[*mcpclient.ToolFailure](err); !ok || e.Text != "broken" {
			t.Error(err)
		}
	}
}

// TestTypedContentOfStrangers: what a server writes as a kind is quoted and clipped in the error.
func TestTypedContentOfStrangers(t *testing.T) {
	_, err := receive(t, mcp.Stateless, `{"content":[{"type":"`+strings.Repeat("a\\u001b", 10_000)+`"}]}`, false, images)
	if err == nil || len(err.Error()) > 1000 || strings.ContainsRune(err.Error(), 0x1b) {
		t.Error(err)
	}
}
