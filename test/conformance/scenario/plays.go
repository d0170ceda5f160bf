package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// tools returns the names of the tools that the server has.
func tools(ctx context.Context, c *mcpclient.Client) (names []string, err error) {
	for tool, err := range c.ListTools(ctx) {
		if err != nil {
			return nil, err
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

func listTools(ctx context.Context, c *mcpclient.Client, _ Scenario) error {
	_, err := tools(ctx, c)
	return err
}

// call calls a tool; arguments are a JSON object.
func call(ctx context.Context, c *mcpclient.Client, tool, arguments string) error {
	raw, err := wire.ParseRaw([]byte(arguments))
	if err != nil {
		return err
	}
	result, err := c.CallTool(ctx, tool, raw)
	if err == nil && result.IsError.Or(false) {
		err = fmt.Errorf("the tool %s has failed", tool)
	}
	return err
}

func addNumbers(ctx context.Context, c *mcpclient.Client, s Scenario) error {
	return errors.Join(listTools(ctx, c, s), call(ctx, c, "add_numbers", `{"a":5,"b":3}`))
}

// callOf lists the tools, and calls some of them.
func callOf(names ...string) play {
	return func(ctx context.Context, c *mcpclient.Client, s Scenario) error {
		if err := listTools(ctx, c, s); err != nil {
			return err
		}
		for _, name := range names {
			if err := call(ctx, c, name, "{}"); err != nil {
				return err
			}
		}
		return nil
	}
}

// callListed calls every tool that the list has: what a client may not call is not in it.
func callListed(ctx context.Context, c *mcpclient.Client, _ Scenario) error {
	names, err := tools(ctx, c)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := call(ctx, c, name, `{"region":"us-west1"}`); err != nil {
			return err
		}
	}
	return nil
}

// callAsTold makes the calls that the scenario's context has.
func callAsTold(ctx context.Context, c *mcpclient.Client, s Scenario) error {
	var told struct {
		ToolCalls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal([]byte(s.Context), &told); err != nil {
		return err
	}
	if err := listTools(ctx, c, s); err != nil {
		return err
	}
	for _, t := range told.ToolCalls {
		if err := call(ctx, c, t.Name, string(t.Arguments)); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema sends a schema back as it came.
func echoSchema(ctx context.Context, c *mcpclient.Client, _ Scenario) error {
	var schema []byte
	for tool, err := range c.ListTools(ctx) {
		if err != nil {
			return err
		}
		if tool.Name != "json_schema_2020_12_tool" {
			continue
		}
		if schema, err = wire.Marshal(&tool.InputSchema); err != nil {
			return err
		}
	}
	if schema == nil {
		return errors.New("there is no tool json_schema_2020_12_tool")
	}
	return call(ctx, c, "json_schema_echo", `{"schema":`+string(schema)+`}`)
}

// useEverything lists and uses all that the server has.
func useEverything(ctx context.Context, c *mcpclient.Client, s Scenario) error {
	if err := callListed(ctx, c, s); err != nil {
		return err
	}
	for resource, err := range c.ListResources(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.ReadResource(ctx, resource.URI); err != nil {
			return err
		}
	}
	for prompt, err := range c.ListPrompts(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.GetPrompt(ctx, prompt.Name, nil); err != nil {
			return err
		}
	}
	return nil
}
