package faulty

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// inputFaults are faults of whether the server takes what it says it takes. Those of AcceptsInvalid put a valid argument in the place of an
// invalid one, and the clean server answers.
var inputFaults = []Fault{
	{Name: "AcceptsInvalid/required", Description: "adds a book without a title", hooks: repair("add_book", func(a object) {
		if _, ok := a["title"]; !ok {
			a["title"] = "untitled"
		}
	})},
	{Name: "AcceptsInvalid/type", Description: "takes text for a number", hooks: repair("search_books", func(a object) {
		if text, ok := a["limit"].(string); ok && regexp.MustCompile(`^[1-9][0-9]?$`).MatchString(text) {
			a["limit"] = json.Number(text)
		} else if ok {
			delete(a, "limit")
		}
	})},
	{Name: "AcceptsInvalid/null-list", Description: "takes null for a list that is required", hooks: repair("add_book", func(a object) {
		if tags, ok := a["tags"]; ok && tags == nil {
			a["tags"] = []any{}
		}
	})},
	{Name: "AcceptsInvalid/minimum", Description: "takes a limit below 1", hooks: repair("search_books", func(a object) {
		if n, ok := number(a["limit"]); ok && n < 1 {
			a["limit"] = 1
		}
	})},
	{Name: "AcceptsInvalid/exclusiveMinimum", Description: "takes a price of 0", hooks: repair("set_price", func(a object) {
		if n, ok := number(a["price"]); ok && n == 0 {
			a["price"] = 0.01
		}
	})},
	{Name: "AcceptsInvalid/minLength-bytes", Description: "counts bytes for minLength", hooks: repair("search_books", func(a object) {
		if q, _ := a["query"].(string); utf8.RuneCountInString(q) < 2 && len(q) >= 2 {
			a["query"] = "vol"
		}
	})},
	{Name: "AcceptsInvalid/maxLength", Description: "cuts a title that is too long", hooks: repair("add_book", func(a object) {
		if title, _ := a["title"].(string); utf8.RuneCountInString(title) > 60 {
			a["title"] = string([]rune(title)[:60])
		}
	})},
	{Name: "AcceptsInvalid/pattern-front", Description: "takes an id with something in front", hooks: repair("get_book", func(a object) {
		id, _ := a["id"].(string)
		if tail := regexp.MustCompile(`bk-[0-9]{4}$`).FindString(id); tail != "" {
			a["id"] = tail
		}
	})},
	{Name: "AcceptsInvalid/maxItems", Description: "takes four genres", hooks: repair("search_books", func(a object) {
		if genres := list(a["genres"]); len(genres) > 3 {
			a["genres"] = genres[:3]
		}
	})},
	{Name: "AcceptsInvalid/enum-nested", Description: "takes any language in where", hooks: repair("search_books", func(a object) {
		if where, _ := a["where"].(object); where != nil {
			if language, ok := where["language"].(string); ok && !slices.Contains([]string{"de", "en", "fr"}, language) {
				delete(where, "language")
			}
		}
	})},
	{Name: "AcceptsInvalid/const", Description: "takes any text as the kind", hooks: repair("add_book", func(a object) {
		if _, ok := a["kind"].(string); ok {
			a["kind"] = "book"
		}
	})},
	{Name: "AcceptsInvalid/later-items", Description: "checks the first genre of a list only", hooks: repair("search_books", func(a object) {
		genres := list(a["genres"])
		for i := range genres {
			genres[i] = genres[0]
		}
	})},

	{Name: "DropsUnknown/root", Description: "drops unknown arguments", hooks: repair("search_books", func(a object) {
		for name := range a {
			if !slices.Contains([]string{"query", "genres", "limit", "author", "since", "where", "cursor"}, name) {
				delete(a, name)
			}
		}
	})},

	{Name: "RefusesValid/maximum", Description: "refuses the greatest limit", hooks: refuse("search_books", func(a object) string {
		if n, ok := number(a["limit"]); ok && n == 20 {
			return "Invalid arguments: limit must be less than 20"
		}
		return ""
	})},
	{Name: "RefusesValid/optional", Description: "refuses a search without a limit, which has a default", hooks: refuse("search_books", func(a object) string {
		if _, ok := a["limit"]; !ok {
			return "Invalid arguments: limit is required"
		}
		return ""
	})},
	{Name: "RefusesValid/empty-list", Description: "refuses an empty list of tags", hooks: refuse("add_book", func(a object) string {
		if tags, ok := a["tags"].([]any); ok && len(tags) == 0 {
			return "Invalid arguments: tags must have at least one item"
		}
		return ""
	})},
	{Name: "RefusesValid/four-bytes", Description: "refuses letters of four bytes", hooks: refuse("search_books", func(a object) string {
		if q, _ := a["query"].(string); strings.ContainsFunc(q, func(r rune) bool { return r > 0xffff }) {
			return "Invalid arguments: query is not a valid text"
		}
		return ""
	})},
	{Name: "RefusesValid/format", Description: "refuses times with an offset or a fraction", hooks: refuse("search_books", func(a object) string {
		since, ok := a["since"].(string)
		if ok && !regexp.MustCompile(`^[0-9-]{10}T[0-9:]{8}Z$`).MatchString(since) {
			return "Invalid arguments: since must be a valid date-time such as 2026-01-01T12:00:00Z"
		}
		return ""
	})},
}

// repair changes the arguments of a tool before the clean server gets them.
func repair(tool string, change func(a object)) func() hooks {
	return onRequest(func(_ *filter, m object) bool {
		if a := arguments(m, tool); a != nil {
			change(a)
		}
		return true
	})
}

// refuse fails calls of a tool for which reason returns a text.
func refuse(tool string, reason func(a object) string) func() hooks {
	return onRequest(func(f *filter, m object) bool {
		if a := arguments(m, tool); a != nil {
			if text := reason(a); text != "" {
				return f.refuse(m, text)
			}
		}
		return true
	})
}
