package everything

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

// Media types.
const (
	plainText = "text/plain"
	pngImage  = "image/png"
)

// pixel is an image of one red pixel.
var pixel = sync.OnceValue(func() []byte {
	dot := image.NewRGBA(image.Rect(0, 0, 1, 1))
	dot.Set(0, 0, color.RGBA{R: 255, A: 255})
	var b bytes.Buffer
	if err := png.Encode(&b, dot); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
})

// silence is a WAV file without a sample: 8 kHz, 16 bits, one channel.
var silence = sync.OnceValue(func() []byte {
	b, err := base64.StdEncoding.DecodeString("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")
	if err != nil {
		panic(err) // the text is constant
	}
	return b
})

// result returns what a tool answers with.
func result(blocks ...mcp.ContentBlock) mcp.CallToolResult {
	return mcp.CallToolResult{Content: blocks}
}

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func picture() *mcp.ImageContent { return &mcp.ImageContent{Data: pixel(), MimeType: pngImage} }

func embedded(uri, mimeType, s string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: uri, MimeType: runtime.Some(mimeType), Text: s}}
}

func (*server) TestSimpleText(context.Context) (mcp.CallToolResult, error) {
	return result(text("This is a simple text response for testing.")), nil
}

func (*server) TestImageContent(context.Context) (mcp.CallToolResult, error) {
	return result(picture()), nil
}

func (*server) TestAudioContent(context.Context) (mcp.CallToolResult, error) {
	return result(&mcp.AudioContent{Data: silence(), MimeType: "audio/wav"}), nil
}

func (*server) TestEmbeddedResource(context.Context) (mcp.CallToolResult, error) {
	return result(embedded("test://embedded-resource", plainText, "This is an embedded resource content.")), nil
}

func (*server) TestMultipleContentTypes(context.Context) (mcp.CallToolResult, error) {
	return result(
		text("Multiple content types test:"),
		picture(),
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
	), nil
}

func (*server) TestErrorHandling(context.Context) error { return &conformance.IntendedError{} }

func (*server) TestXMCPHeader(_ context.Context, in conformance.TestXMCPHeaderInput) (mcp.CallToolResult, error) {
	region, given := in.Region.Get()
	if !given {
		return result(text("No region was given.")), nil
	}
	return result(text("The region is " + region + ".")), nil
}

func (*server) JSONSchema202012Tool(_ context.Context, in conformance.Person) (mcp.CallToolResult, error) {
	method, given := in.ContactMethod.Get()
	byPhone := given && method == conformance.PersonContactMethodPhone
	switch {
	case byPhone && !in.Phone.IsSet():
		return mcp.CallToolResult{}, &conformance.UnreachableError{Missing: "phone"}
	case !byPhone && !in.Email.IsSet():
		return mcp.CallToolResult{}, &conformance.UnreachableError{Missing: "email"}
	}
	return result(text("The person can be reached.")), nil
}
