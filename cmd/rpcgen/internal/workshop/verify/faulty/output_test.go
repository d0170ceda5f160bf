package faulty

import (
	"encoding/json"
	"strings"
)

// Secret is a value of the environment of the faulty server, which it may not answer. The program does not need it to be there.
const Secret = "lib-7Qm2ZtR94xKw"

// outputFaults are faults of whether the server answers what it says it answers.
var outputFaults = []Fault{
	{Name: "OutputSchema/extra", Description: "answers a member that the closed result does not have", hooks: alter("get_book", func(_, s object) { s["isbn"] = "9780000000000" })},
	{Name: "OutputSchema/null", Description: "answers null for a text", hooks: alter("get_book", func(_, s object) { s["title"] = nil })},
	{Name: "OutputSchema/enum", Description: "answers a genre that its schema lacks", hooks: alter("search_books", func(_, s object) {
		if at(s["books"], 0)["genre"] == "essay" {
			at(s["books"], 0)["genre"] = "Essay"
		}
	})},
	{Name: "OutputSchema/second-element", Description: "answers text for a number in the second element of a list", hooks: alter("search_books", func(_, s object) {
		if n, ok := at(s["books"], 1)["pages"].(json.Number); ok {
			at(s["books"], 1)["pages"] = n.String()
		}
	})},
	{Name: "OutputSchema/failed", Description: "has structured content in a failed result that does not fit", hooks: onAnswer(func(_ *filter, m, a object) bool {
		if calls(m, "get_book") && failed(a) {
			result(a)["structuredContent"] = object{"error": "not found"}
		}
		return true
	})},

	{Name: "TextDiffers/number", Description: "has another number in the text than in the structured content", hooks: retext("get_book", func(s object) {
		if n, ok := number(s["pages"]); ok {
			s["pages"] = n + 1
		}
	})},
	{Name: "TextDiffers/shorter", Description: "has one element less in the text than in the structured content", hooks: retext("search_books", func(s object) {
		if books := list(s["books"]); len(books) > 0 {
			s["books"] = books[:len(books)-1]
		}
	})},
	{Name: "Content/image", Description: "answers an image without a MIME type", hooks: onAnswer(func(_ *filter, m, a object) bool {
		if calls(m, "cover") && !failed(a) {
			delete(at(result(a)["content"], 0), "mimeType")
		}
		return true
	})},

	{Name: "ResultLimit/tokens", Description: "answers 30,000 tokens", hooks: lengthen("apa", strings.Repeat(" ibidem, see above", 30_000/4))},
	{Name: "ResultLimit/frame", Description: "answers a frame of 9 MiB", hooks: lengthen("chicago", strings.Repeat(" ibidem", 9<<20/7))},

	{Name: "Leak/traceback", Description: "answers a Python traceback", hooks: failure("Traceback (most recent call last):\n" +
		"  File \"/srv/app/library/server.py\", line 81, in call\n    return self.books[id]\nKeyError: 'bk-9999'")},
	{Name: "Leak/path", Description: "answers a path of its installation", hooks: failure("no such book in /home/ann/node_modules/library/dist/data/books.json")},
	{Name: "Leak/environment", Description: "answers a value of its environment", hooks: failure("no such book; searched with the token " + Secret)},

	{Name: "ErrorCode/internal", Description: "answers the failure of a tool as the error -32603", hooks: protocolError(-32603)},
	{Name: "ErrorCode/server", Description: "answers the failure of a tool as the error -32000", hooks: protocolError(-32000)},
}

// alter changes the structured content of a successful answer of a tool, given its arguments. The text follows.
func alter(tool string, change func(arguments, structured object)) func() hooks {
	return onAnswer(func(_ *filter, m, a object) bool {
		if s := structured(a); s != nil && calls(m, tool) {
			change(arguments(m, tool), s)
			result(a)["content"] = textBlock(string(encode(s)))
		}
		return true
	})
}

// retext changes what the text of a successful answer says, and not the structured content.
func retext(tool string, change func(s object)) func() hooks {
	return onAnswer(func(_ *filter, m, a object) bool {
		if structured(a) != nil && calls(m, tool) {
			text, _ := at(result(a)["content"], 0)["text"].(string)
			if s, _ := decode([]byte(text)).(object); s != nil {
				change(s)
				result(a)["content"] = textBlock(string(encode(s)))
			}
		}
		return true
	})
}

// lengthen adds to the line of a bibliography, in one style.
func lengthen(style, more string) func() hooks {
	return onAnswer(func(_ *filter, m, a object) bool {
		if block := at(result(a)["content"], 0); arguments(m, "cite_book")["style"] == style && !failed(a) {
			block["text"] = block["text"].(string) + more
		}
		return true
	})
}

// unknownBook reports whether an answer says that get_book does not know the book.
func unknownBook(m, a object) bool {
	text, _ := at(result(a)["content"], 0)["text"].(string)
	return calls(m, "get_book") && failed(a) && strings.HasSuffix(text, "not found")
}

// failure changes what get_book says of an unknown book.
func failure(text string) func() hooks {
	return onAnswer(func(_ *filter, m, a object) bool {
		if unknownBook(m, a) {
			fail(a, text)
		}
		return true
	})
}

// protocolError answers that a book is unknown by an error of the protocol.
func protocolError(code int) func() hooks {
	return onAnswer(func(_ *filter, m, a object) bool {
		if unknownBook(m, a) {
			delete(a, "result")
			a["error"] = object{"code": code, "message": "no such book"}
		}
		return true
	})
}
