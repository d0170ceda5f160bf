package faulty

import "time"

// lifeFaults are faults of whether the server lives.
var lifeFaults = []Fault{
	{Name: "Crash/empty-text", Description: "ends when an argument is an empty text", hooks: onRequest(func(f *filter, m object) bool {
		for _, v := range arguments(m, "search_books") {
			if v == "" {
				f.exit(1)
				return false
			}
		}
		return true
	})},
	{Name: "Crash/null", Description: "ends when an optional argument is null", hooks: onRequest(func(f *filter, m object) bool {
		for _, v := range arguments(m, "search_books") {
			if v == nil {
				f.exit(2)
				return false
			}
		}
		return true
	})},
	{Name: "Crash/fifty-calls", Description: "ends at the 50th call of a tool", hooks: func() hooks {
		n := 0
		return hooks{request: func(f *filter, m object) bool {
			if m["method"] == "tools/call" {
				n++
			}
			if n == 50 {
				f.exit(3)
			}
			return n < 50
		}}
	}},
	{Name: "Crash/later", Description: "ends 300 ms after it has answered that a book is unknown", hooks: onAnswer(func(f *filter, m, a object) bool {
		if calls(m, "get_book") && failed(a) {
			time.AfterFunc(300*time.Millisecond, func() { f.exit(1) })
		}
		return true
	})},
	{Name: "Hang/enum", Description: "never answers for the last value of an enum", hooks: onRequest(func(_ *filter, m object) bool {
		return arguments(m, "cite_book")["style"] != "mla"
	})},
	{Name: "Hang/unknown-tool", Description: "never answers a call of a tool that it does not have", hooks: onRequest(func(_ *filter, m object) bool {
		name, _ := params(m)["name"].(string)
		return m["method"] != "tools/call" || toolNames[name]
	})},
	{Name: "Hang/task", Description: "answers nothing more while a task runs, which never ends", hooks: onAnswer(func(f *filter, _, a object) bool {
		f.silent = result(a)["task"] != nil || result(a)["resultType"] == "task"
		return true
	})},
	{Name: "Malformed/no-json", Description: "ends at a line that is not JSON", hooks: onLine(func(f *filter, line []byte) {
		if decode(line) == nil {
			f.exit(1)
		}
	})},
	{Name: "Malformed/params-list", Description: "ends when params are a list", hooks: onRequest(func(f *filter, m object) bool {
		if list(m["params"]) != nil {
			f.exit(1)
		}
		return list(m["params"]) == nil
	})},
	{Name: "StdoutNoise/banner", Description: "prints a line that is not a message at the third call of a tool", Process: true, hooks: func() hooks {
		n := 0
		return hooks{request: func(f *filter, m object) bool {
			if m["method"] == "tools/call" {
				n++
			}
			if n == 3 {
				f.print([]byte("library: the index is warm"))
			}
			return true
		}}
	}},
	{Name: "NoExit/ignores-end", Description: "goes on when its input has ended", Process: true, hooks: func() hooks {
		return hooks{end: func(*filter) { time.Sleep(time.Hour) }}
	}},
	{Name: "Slow/grows", Description: "takes 2 ms longer for count_books with every call of it", hooks: func() hooks {
		n := time.Duration(0)
		return hooks{request: func(_ *filter, m object) bool {
			if calls(m, "count_books") {
				time.Sleep(n * 2 * time.Millisecond)
				n++
			}
			return true
		}}
	}},
	{Name: "Poisoned/get-book", Description: "fails the call of get_book that follows a failed one", hooks: func() hooks {
		broken := false
		return hooks{answer: func(_ *filter, m, a object) bool {
			if !calls(m, "get_book") {
				return true
			}
			if broken {
				fail(a, "the database is locked")
			}
			broken = !broken && failed(a)
			return true
		}}
	}},
}

// toolNames are the tools of the library.
var toolNames = map[string]bool{
	"search_books": true, "get_book": true, "count_books": true, "take_stock": true, "cite_book": true, "cover": true, "add_book": true,
	"set_price": true, "delete_book": true,
}

// onLine, onRequest and onAnswer make hooks that keep nothing from one message to the next.
func onLine(line func(*filter, []byte)) func() hooks {
	return func() hooks { return hooks{line: line} }
}

func onRequest(request func(*filter, object) bool) func() hooks {
	return func() hooks { return hooks{request: request} }
}

func onAnswer(answer func(f *filter, request, answer object) bool) func() hooks {
	return func() hooks { return hooks{answer: answer} }
}

// fail makes an answer a failed result with a text.
func fail(answer object, text string) {
	if r := result(answer); r != nil {
		delete(r, "structuredContent")
		r["content"], r["isError"] = textBlock(text), true
	}
}

// textBlock is content of one text.
func textBlock(text string) []any { return []any{object{"type": "text", "text": text}} }
