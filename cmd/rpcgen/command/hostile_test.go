package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// evil is what the hostile server says wherever it may say something.
const evil = "evil \x1b]0;title\a\x1b[2J\u009b31m\u202e\u2028\x00\r\U000e0041\nfake: line\tend"

// serveHostile is the program hostile: an MCP server that says evil things. With the argument endless, its list of tools has no end; with
// the argument large, no end and large pages; with the argument same, all its pages have the same cursor; with the argument changes, the
// second page lists another tool each time; with the argument prints, it prints a line before each answer; with the argument ends, it ends after the
// first page.
func serveHostile() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	fmt.Fprintln(os.Stderr, evil)
	pages := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &q) != nil || q.ID == nil {
			continue
		}
		var result any
		switch q.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": evil, "version": evil}}
		case "tools/list":
			pages++
			result = toolPage(mode, pages)
		case "tools/call":
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": evil},
				map[string]any{"type": "resource_link", "name": evil, "uri": "https://evil.example"}}, "isError": mode == "fails"}
		default:
			answer(map[string]any{"jsonrpc": "2.0", "id": q.ID, "error": map[string]any{"code": -32601, "message": evil}})
			continue
		}
		answer(map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": result})
	}
}

func toolPage(mode string, page int) map[string]any {
	switch mode {
	case "endless":
		return map[string]any{"tools": []any{}, "nextCursor": fmt.Sprint(page)}
	case "large":
		return map[string]any{"tools": []any{}, "nextCursor": fmt.Sprint(page), "other": strings.Repeat("x", 1<<20)}
	case "long":
		return map[string]any{"tools": []any{map[string]any{"name": "long", "description": strings.Repeat("x ", 6<<20), "inputSchema": map[string]any{"type": "object"}}}}
	case "same":
		return map[string]any{"tools": []any{}, "nextCursor": evil}
	case "changes", "ends":
		name, next := "first", "2"
		if page%2 == 0 {
			name, next = fmt.Sprint("second_", page), ""
		}
		if mode == "ends" && page == 2 {
			os.Exit(3)
		}
		list := map[string]any{"tools": []any{map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}}}}
		if next != "" {
			list["nextCursor"] = next
		}
		return list
	case "prints":
		fmt.Println("listening on port 80")
		return map[string]any{"tools": []any{map[string]any{"name": "plain", "inputSchema": map[string]any{"type": "object"}}}}
	case "many":
		one := map[string]any{"name": "a", "inputSchema": map[string]any{"type": "object"}}
		all := make([]any, 101)
		for i := range all {
			all[i] = one
		}
		return map[string]any{"tools": all, "nextCursor": fmt.Sprint(page)}
	}
	schema := map[string]any{"type": "object", "required": []string{"a"}, "properties": map[string]any{
		"a":  map[string]any{"type": "string", "description": evil, "default": evil, "pattern": evil},
		evil: map[string]any{"type": "string", "enum": []string{evil, "b"}, "title": evil},
	}}
	return map[string]any{"tools": []any{
		map[string]any{"name": "plain", "title": evil, "description": evil, "inputSchema": schema},
		map[string]any{"name": evil, "description": evil, "inputSchema": schema},
	}}
}

func answer(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", b)
}
