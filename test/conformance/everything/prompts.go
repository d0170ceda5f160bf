package everything

import (
	"context"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

// prompt returns messages of the user, one a block.
func prompt(blocks ...mcp.ContentBlock) mcp.GetPromptResult {
	messages := make([]mcp.PromptMessage, len(blocks))
	for i, block := range blocks {
		messages[i] = mcp.PromptMessage{Role: mcp20260728.RoleUser, Content: block}
	}
	return mcp.GetPromptResult{Messages: messages}
}

func (*server) TestSimplePrompt(context.Context) (mcp.GetPromptResult, error) {
	return prompt(text("This is a simple prompt for testing.")), nil
}

func (*server) TestPromptWithArguments(_ context.Context, args conformance.TestPromptWithArgumentsArguments) (mcp.GetPromptResult, error) {
	return prompt(text("Prompt with arguments: arg1='" + args.Arg1 + "', arg2='" + args.Arg2 + "'")), nil
}

// CompleteTestPromptWithArgumentsArg1 knows a few words.
func (*server) CompleteTestPromptWithArgumentsArg1(_ context.Context, c mcp.Completing) ([]string, error) {
	return slices.DeleteFunc([]string{"test", "testing", "tested"}, func(word string) bool { return !strings.HasPrefix(word, c.Value) }), nil
}

func (*server) TestPromptWithEmbeddedResource(_ context.Context, args conformance.TestPromptWithEmbeddedResourceArguments) (mcp.GetPromptResult, error) {
	return prompt(
		embedded(args.ResourceURI, plainText, "Embedded resource content for testing."),
		text("Please process the embedded resource above."),
	), nil
}

func (*server) TestPromptWithImage(context.Context) (mcp.GetPromptResult, error) {
	return prompt(picture(), text("Please analyze the image above.")), nil
}

func (*server) TestInputRequiredResultPrompt(ctx context.Context) (mcp.GetPromptResult, error) {
	answer, err := mcp.Elicit(ctx, "user_context", form("What is this about?", "context"))
	if err != nil {
		return mcp.GetPromptResult{}, err
	}
	return prompt(text("This is about " + said(answer, "context") + ".")), nil
}
