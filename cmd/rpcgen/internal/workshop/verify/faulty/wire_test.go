package faulty

import (
	"slices"
	"strings"
)

// wireFaults are faults of how the server speaks JSON-RPC.
var wireFaults = []Fault{
	{Name: "IDKept/empty", Description: "answers the id \"\" with null", hooks: changeID(func(id any) any {
		if id == "" {
			return nil
		}
		return id
	})},
	{Name: "IDKept/negative", Description: "answers the id -1 with 1", hooks: changeID(func(id any) any {
		if n, ok := number(id); ok && n == -1 {
			return 1
		}
		return id
	})},
	{Name: "IDKept/long", Description: "cuts ids after 255 bytes", hooks: changeID(func(id any) any {
		text, _ := id.(string)
		if len(text) > 255 {
			return strings.ToValidUTF8(text[:255], "")
		}
		return id
	})},
	{Name: "Notified/unknown", Description: "answers a notification that it does not know", hooks: onRequest(func(f *filter, m object) bool {
		if _, request := m["id"]; !request && !slices.Contains(notifications, m["method"]) {
			f.print(encode(object{"jsonrpc": "2.0", "id": nil, "error": object{"code": -32601, "message": "Method not found"}}))
		}
		return true
	})},
	{Name: "Batch/shorter", Description: "answers a batch without its last answer", hooks: func() hooks {
		return hooks{batch: func(_ *filter, answers []any) []any { return answers[:max(1, len(answers)-1)] }}
	}},
	{Name: "Cancel/unknown-id", Description: "answers nothing more after the cancellation of a request that it does not know", hooks: onRequest(func(f *filter, m object) bool {
		if m["method"] == "notifications/cancelled" && f.asked[string(encode(params(m)["requestId"]))] == nil {
			f.silent = true
		}
		return true
	})},
	{Name: "MixedUp/swapped", Description: "swaps the answers of two calls when four calls of a tool run at once", hooks: onBurst(func(calls []object) []object {
		if len(calls) >= 4 {
			first, second := params(calls[0]), params(calls[1])
			if first["name"] == second["name"] {
				first["arguments"], second["arguments"] = second["arguments"], first["arguments"]
			}
		}
		return calls
	})},
	{Name: "MixedUp/shared", Description: "keeps the arguments of all calls that run at once in one place", hooks: onBurst(func(calls []object) []object {
		last := params(calls[len(calls)-1])
		for _, m := range calls {
			if params(m)["name"] == last["name"] {
				params(m)["arguments"] = last["arguments"]
			}
		}
		return calls
	})},
	{Name: "Flood/hundred", Description: "loses the calls beyond a hundred that run at once", hooks: onBurst(func(calls []object) []object {
		return calls[:min(len(calls), 100)]
	})},
}

// notifications are those that clients of MCP send.
var notifications = []any{"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
	"notifications/tasks/status"}

// changeID changes the ids of answers.
func changeID(change func(id any) any) func() hooks {
	return onAnswer(func(_ *filter, _, a object) bool {
		a["id"] = change(a["id"])
		return true
	})
}

// onBurst changes calls that come together.
func onBurst(change func(calls []object) []object) func() hooks {
	return func() hooks {
		return hooks{burst: func(_ *filter, calls []object) []object { return change(calls) }}
	}
}
