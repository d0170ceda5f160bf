package peer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// toolAnswer is what the answers of MCP servers have in common; what they say of themselves in _meta may differ.
type toolAnswer struct {
	JSONRPC string
	ID      int
	Result  struct {
		Structured any `json:"structuredContent"`
		Content    []struct{ Type, Text string }
		IsError    bool
		Type       string `json:"resultType"`
		Tools      []map[string]any
	}
	Error struct{ Code int64 }
}

// SameToolAnswers returns in which answers to m the contestants differ, or nil. The words that tell a model what is wrong may differ, and
// tools may be listed in any order, with hints that have their usual values.
func SameToolAnswers(ctx context.Context, all []ToolServer, m *work.Message) error {
	var errs []error
	var want *toolAnswer
	for _, s := range all {
		if !s.Does(m) {
			continue
		}
		text := s.Dispatch(ctx, nil, m.Bytes)
		got, err := parseTool(text, m)
		if err == nil && want != nil && !reflect.DeepEqual(got, want) {
			err = errors.New("another answer")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w: %.400s", m.Work, s.Name, err, text))
		}
		want = cmp.Or(want, got)
	}
	return errors.Join(errs...)
}

// Does reports whether a contestant takes part in the work of m: what is written by hand lists nothing.
func (s *ToolServer) Does(m *work.Message) bool { return m.Work != work.ToolList || !s.ByHand }

// parseTool reads an answer, and returns an error when it is not what m asks for.
func parseTool(text []byte, m *work.Message) (*toolAnswer, error) {
	a := new(toolAnswer)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, err
	}
	if m.Code != 0 && a.Error.Code == m.Code && a.JSONRPC == "2.0" && a.ID == 42 {
		return a, nil
	}
	if a.JSONRPC != "2.0" || a.ID != 42 || a.Result.Type != "complete" {
		return nil, errors.New("no complete result")
	}
	if m.Work == work.ToolList {
		return a, a.sortTools()
	}
	if a.Result.IsError != slices.Contains(work.RefusedTools, m.Work) || len(a.Result.Content) != 1 || a.Result.Content[0].Type != "text" {
		return nil, errors.New("not what was asked for")
	}
	content := &a.Result.Content[0]
	if a.Result.IsError {
		content.Text = "what is wrong"
		return a, nil
	}
	var fromText any
	if err := json.Unmarshal([]byte(content.Text), &fromText); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(fromText, a.Result.Structured) {
		return nil, errors.New("the text is not the structured content")
	}
	content.Text = "the structured content"
	return a, nil
}
