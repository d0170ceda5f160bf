package faulty

import (
	"regexp"
	"slices"
)

// stateFaults are faults of whether the server keeps its word between calls.
var stateFaults = []Fault{
	{Name: "ReadOnlyLie/marks", Description: "tags a book as read when it is read", hooks: func() hooks {
		read := map[any]bool{}
		return hooks{answer: func(_ *filter, m, a object) bool {
			s := structured(a)
			if calls(m, "get_book") && s != nil {
				read[s["id"]] = true
			}
			if calls(m, "search_books") {
				for i := range list(s["books"]) {
					if b := at(s["books"], i); read[b["id"]] {
						b["tags"] = append(list(b["tags"]), "read")
					}
				}
				matchText(a)
			}
			return true
		}}
	}},
	{Name: "ReadOnlyLie/sorts", Description: "orders the books for good when they are searched by genre", hooks: func() hooks {
		sorted := false
		return hooks{answer: func(_ *filter, m, a object) bool {
			if calls(m, "search_books") {
				if sorted {
					slices.Reverse(list(structured(a)["books"]))
					matchText(a)
				}
				sorted = sorted || len(list(arguments(m, "search_books")["genres"])) > 0
			}
			return true
		}}
	}},
	{Name: "IdempotentLie/second-call", Description: "fails when the same price is set a second time", hooks: func() hooks {
		prices := map[string]string{} // by id
		return hooks{request: func(f *filter, m object) bool {
			if a := arguments(m, "set_price"); a != nil {
				id, price := string(encode(a["id"])), string(encode(a["price"]))
				if prices[id] == price {
					return f.refuse(m, "the book has this price")
				}
				prices[id] = price
			}
			return true
		}}
	}},
	{Name: "CreateThenRead/other-id", Description: "returns an id of a new book that get_book does not find", hooks: alter("add_book", func(_, s object) {
		if id, ok := s["id"].(string); ok {
			s["id"] = "bk-9" + id[len(id)-3:]
		}
	})},
	{Name: "UseAfterDelete/hidden", Description: "hides a deleted book from searches only", hooks: func() hooks {
		hidden := map[any]bool{}
		return hooks{
			request: func(_ *filter, m object) bool {
				a := arguments(m, "delete_book")
				if id, ok := a["id"].(string); ok && regexp.MustCompile(`^bk-[0-9]{4}$`).MatchString(id) {
					hidden[id] = true
					a["id"] = "bk-0000"
				}
				return true
			},
			answer: func(_ *filter, m, a object) bool {
				s := structured(a)
				switch {
				case s != nil && calls(m, "delete_book"):
					s["deleted"] = true
				case s != nil && calls(m, "search_books"):
					s["books"] = slices.DeleteFunc(list(s["books"]), func(b any) bool { return hidden[b.(object)["id"]] })
				}
				matchText(a)
				return true
			},
		}
	}},
	{Name: "Pagination/cursor-refused", Description: "refuses the cursors that it returns", hooks: refuse("search_books", func(a object) string {
		if a["cursor"] != nil {
			return "Invalid arguments: cursor is unknown"
		}
		return ""
	})},
}

// matchText makes the text of an answer that of its structured content.
func matchText(a object) {
	if s := structured(a); s != nil {
		result(a)["content"] = textBlock(string(encode(s)))
	}
}
