package faulty

import "slices"

// listFaults are faults of what the server lists.
var listFaults = []Fault{
	{Name: "Pagination/repeated", Description: "lists a tool twice", hooks: onTools(func(_ *filter, _, r object) {
		r["tools"] = append(list(r["tools"]), list(r["tools"])[0])
	})},
	{Name: "ListUnstable/order", Description: "lists the tools in an order that changes", hooks: func() hooks {
		n := 0
		return onTools(func(_ *filter, _, r object) {
			tools := list(r["tools"])
			n++
			r["tools"] = slices.Concat(tools[n%len(tools):], tools[:n%len(tools)])
		})()
	}},
	{Name: "Schema/reference", Description: "has a $ref that leads nowhere", hooks: property("search_books", "author", func(p object) {
		p["$ref"] = "#/$defs/Author"
	})},
	{Name: "Schema/default", Description: "has a default beyond the maximum", hooks: property("search_books", "limit", func(p object) { p["default"] = 100 })},
	{Name: "Schema/draft-04", Description: "has an exclusiveMinimum that is a boolean", hooks: property("set_price", "price", func(p object) {
		p["minimum"], p["exclusiveMinimum"] = 0, true
	})},
	{Name: "Schema/pattern", Description: "has a pattern that is not a regular expression", hooks: property("search_books", "cursor", func(p object) {
		p["pattern"] = "^[a-z-[0-9]+$("
	})},
	{Name: "ErasDiffer/missing", Description: "does not list a tool to clients without a handshake", hooks: onTools(func(_ *filter, m, r object) {
		if stateless(m) {
			r["tools"] = slices.DeleteFunc(list(r["tools"]), func(tool any) bool { return tool.(object)["name"] == "cover" })
		}
	})},
	{Name: "Capability/resources", Description: "declares resources, and does not list them", hooks: onAnswer(func(_ *filter, m, a object) bool {
		if m["method"] == "resources/list" {
			delete(a, "result")
			a["error"] = object{"code": -32601, "message": "Method not found"}
		}
		return true
	})},
	{Name: "Resource/type", Description: "reads a resource with another MIME type than the one that it lists", hooks: onAnswer(func(_ *filter, m, a object) bool {
		if m["method"] == "resources/read" && params(m)["uri"] == "library://rules" {
			at(result(a)["contents"], 0)["mimeType"] = "application/octet-stream"
		}
		return true
	})},
}

// onTools changes the results of tools/list that have tools.
func onTools(change func(f *filter, m, r object)) func() hooks {
	return onAnswer(func(f *filter, m, a object) bool {
		if r := result(a); m["method"] == "tools/list" && len(list(r["tools"])) > 0 {
			change(f, m, r)
		}
		return true
	})
}

// property changes the schema of an argument.
func property(tool, name string, change func(schema object)) func() hooks {
	return onTools(func(_ *filter, _, r object) {
		for i := range list(r["tools"]) {
			if t := at(r["tools"], i); t["name"] == tool {
				change(t["inputSchema"].(object)["properties"].(object)[name].(object))
			}
		}
	})
}

// stateless reports whether a request is of the era without a handshake.
func stateless(m object) bool {
	meta, _ := params(m)["_meta"].(object)
	return meta["io.modelcontextprotocol/protocolVersion"] != nil
}
