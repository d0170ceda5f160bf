package peer

import (
	"cmp"
	"fmt"
	"slices"
)

// sortTools brings the tools of a list into one order, and their hints into one form. The error says that there are not thirty.
func (a *toolAnswer) sortTools() error {
	tools := a.Result.Tools
	if len(tools) != 30 {
		return fmt.Errorf("%d tools", len(tools))
	}
	slices.SortFunc(tools, func(a, b map[string]any) int { return cmp.Compare(a["name"].(string), b["name"].(string)) })
	for _, t := range tools {
		hints, _ := t["annotations"].(map[string]any)
		for hint, usual := range map[string]bool{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true} {
			if hints[hint] == usual {
				delete(hints, hint)
			}
		}
	}
	return nil
}
