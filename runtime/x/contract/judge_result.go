package contract

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// outputFaults compare a result with what its schema says.
func (at *attempt) outputFaults() []fault {
	result, t := at.answer.result(), at.tool
	if result == nil {
		return at.errorData()
	}
	if !at.mcp {
		if t.output == nil {
			return nil
		}
		return at.schemaFaults(t.output, "/result", Error)
	}
	if kind := result.In("resultType").Str(); kind != "" && kind != "complete" || result.In("task") != nil {
		return nil
	}
	structured := result.In("structuredContent")
	var all []fault
	switch {
	case t.output == nil:
	case at.ending == succeeded && structured == nil && at.answer.bytes <= maxMessage:
		all = append(all, fault{check: "OutputSchema", keyword: "missing", proof: ByProtocol,
			message: t.name + " has an output schema, and answers without structured content"})
	case at.ending == succeeded:
		all = append(all, at.schemaFaults(t.output, "/result/structuredContent", Error)...)
	case structured != nil:
		all = append(all, at.schemaFaults(t.output, "/result/structuredContent", Warning)...)
	}
	return append(all, at.textDiffers(structured)...)
}

// schemaFaults reports the first place of each rule that the part of an answer at a pointer breaks, as it came. What is shown has ownFolder.
func (at *attempt) schemaFaults(schema *values.Schema, part string, severity Severity) []fault {
	var all []fault
	for _, v := range schema.Judge([]byte(at.answer.sent.At(part).JSON())) {
		if got := at.answer.whole.At(part + v.Pointer); got != nil && !got.Equal(at.answer.sent.At(part+v.Pointer)) {
			v.Got = got.JSON()
		}
		f := fault{check: "OutputSchema", keyword: v.Keyword, pointer: general(v.Pointer), severity: severity}
		where := "the structured content"
		if !at.mcp {
			where = "the result"
		}
		if v.Pointer != "" {
			where += " at " + v.Pointer
		}
		switch v.Keyword {
		case "required":
			f.message = fmt.Sprintf("%s answers without %s in %s, which its output schema requires", at.tool.name, strings.TrimPrefix(v.Expected, "a member "), where)
		case "additionalProperties":
			f.message = fmt.Sprintf("%s answers with %s, which its output schema does not have, and it says additionalProperties: false", at.tool.name, where)
		default:
			f.message = fmt.Sprintf("%s answers with %s being %s, and its output schema says %s: %s", at.tool.name, where, clip(v.Got, 60), v.Keyword,
				clip(v.Expected, 80))
		}
		if severity == Warning {
			f.message += " (in a failed result)"
		}
		if !slices.ContainsFunc(all, func(o fault) bool { return o.keyword == f.keyword && o.pointer == f.pointer }) && len(all) < 3 {
			all = append(all, f)
		}
	}
	return all
}

// errorData compares the data of a declared error with its schema.
func (at *attempt) errorData() []fault {
	code, ok := at.answer.code()
	if !ok || at.mcp || at.tool.method.Errors[code] == nil {
		return nil
	}
	s, err := values.Compile(at.tool.method.Errors[code])
	data := at.answer.whole.In("error").In("data")
	if err != nil || data == nil {
		return nil
	}
	all := at.schemaFaults(s, "/error/data", Error)
	for i := range all {
		all[i].message = strings.Replace(all[i].message, "the result", fmt.Sprintf("the data of the error %d", code), 1)
	}
	return all
}

// textDiffers compares a text that is JSON with the structured content.
func (at *attempt) textDiffers(structured *jsontree.Value) []fault {
	content := at.answer.result().In("content")
	if structured == nil || !content.Is(jsontree.Array) || len(content.Items) != 1 {
		return nil
	}
	text := strings.TrimSpace(content.Items[0].In("text").Str())
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	v, err := jsontree.Parse([]byte(text))
	if err != nil || v.Equal(structured) || wraps(structured, v, text) {
		return nil
	}
	where, is, want := difference(v, structured, "")
	return []fault{{check: "TextDiffers", pointer: general(where),
		message: fmt.Sprintf("%s answers with a text that differs from the structured content at %q: %s and %s", at.tool.name, where, is, want)}}
}

// wraps reports whether structured content is an object whose only member is what the text says: results that are not objects have to be wrapped.
func wraps(structured, v *jsontree.Value, text string) bool {
	parts := structured.Parts()
	return structured.Is(jsontree.Object) && len(parts) == 1 && (parts[0].Equal(v) || parts[0].Is(jsontree.Text) && strings.TrimSpace(parts[0].Text) == text)
}

// difference is the first place in which two values differ, and what is there in each.
func difference(a, b *jsontree.Value, at string) (where, left, right string) {
	if a != nil && b != nil && a.Kind == b.Kind {
		switch {
		case a.Kind == jsontree.Object:
			for _, name := range append(a.Names(), b.Names()...) {
				if x, y := a.In(name), b.In(name); !x.Equal(y) {
					return difference(x, y, at+jsontree.Pointer([]jsontree.Step{{Name: name, Index: -1}}))
				}
			}
		case a.Kind == jsontree.Array && len(a.Items) == len(b.Items):
			for i := range a.Items {
				if !a.Items[i].Equal(&b.Items[i]) {
					return difference(&a.Items[i], &b.Items[i], fmt.Sprint(at, "/", i))
				}
			}
		case a.Kind == jsontree.Array:
			return at, fmt.Sprint(len(a.Items), " elements"), fmt.Sprint(len(b.Items), " elements")
		}
	}
	return at, shownPart(a), shownPart(b)
}

// contentFaults look at the blocks of a result.
func (at *attempt) contentFaults() []fault {
	result := at.answer.result()
	if result == nil || at.answer.bytes > maxMessage || result.In("inputRequests") != nil || result.In("task") != nil || result.In("resultType").Str() == "task" {
		return nil
	}
	wrong := func(keyword, pointer, what string) []fault {
		return []fault{{check: "Content", keyword: keyword, pointer: general(pointer), message: at.tool.name + " answers with " + what}}
	}
	if e := result.In("isError"); e != nil && !e.Is(jsontree.Boolean) {
		return wrong("isError", "/isError", "an `isError` that is not a boolean: "+clip(e.JSON(), 40))
	}
	content := result.In("content")
	if !content.Is(jsontree.Array) {
		return wrong("content", "/content", "a result that has no list `content`")
	}
	for i, b := range content.Parts() {
		if keyword, what := blockFault(b); what != "" {
			return wrong(keyword, fmt.Sprint("/content/", i), what)
		}
	}
	return nil
}

// blockFault says what is wrong with a content block.
func blockFault(b *jsontree.Value) (keyword, what string) {
	switch kind := b.In("type").Str(); kind {
	case "text":
		if !b.In("text").Is(jsontree.Text) {
			return "text", "a text block whose `text` is " + shownPart(b.In("text"))
		}
	case "image", "audio":
		data := b.In("data")
		if !data.Is(jsontree.Text) {
			return "data", "a block of type " + kind + " whose `data` is " + shownPart(data)
		}
		if _, err := base64.StdEncoding.DecodeString(data.Text); err != nil {
			return "data", "a block of type " + kind + " whose `data` is not base64"
		}
		if b.In("mimeType").Str() == "" {
			return "mimeType", "a block of type " + kind + " without `mimeType`"
		}
	case "resource":
		r := b.In("resource")
		if r.In("uri").Str() == "" || r.In("text") == nil && r.In("blob") == nil {
			return "resource", "a resource block without `uri`, or without `text` and `blob`"
		}
	case "resource_link":
		if b.In("uri").Str() == "" || b.In("name").Str() == "" {
			return "resource_link", "a resource link without `uri` or `name`"
		}
	default:
		return "type", "a block of the unknown type " + clip(fmt.Sprintf("%q", kind), 40)
	}
	return "", ""
}

// shownPart shows a part of a value, which may be missing.
func shownPart(v *jsontree.Value) string { return clip(cmp.Or(v.Shown(), "nothing"), 60) }

var garbageWords = text.Pattern(`\[object Object\]|\bundefined\b|\bNaN\b|%!\w\(|<nil>|\bInstance of '`)

// garbage looks for values that were written by mistake.
func (at *attempt) garbage() []fault {
	text := at.text
	if at.ending == succeeded && at.answer.result() != nil {
		text = contentText(at.answer.result())
	}
	word := garbageWords().FindString(text)
	if word == "" || at.ending == refused || len(text) > 20_000 || strings.Contains(at.json, word) ||
		strings.Contains(at.tool.entry.In("description").Str(), word) {
		return nil
	}
	return []fault{{check: "Garbage", keyword: word,
		message: fmt.Sprintf("%s answers with %q in a text, which looks like a value that was written by mistake: %q", at.tool.name, word, around(text, word))}}
}

// around is what stands around a word in a text.
func around(text, word string) string {
	i := strings.Index(text, word)
	from, to := max(0, i-40), min(len(text), i+len(word)+40)
	return clip(strings.ToValidUTF8(text[from:to], ""), 120)
}

// leakWords are what only an exception says, by the keywords of the faults.
var leakWords = []struct {
	keyword string
	form    func() *regexp.Regexp
}{
	{"stack", text.Pattern(`\n\s+at .+\(?.+:\d+:\d+\)?|Traceback \(most recent call last\)|File "[^"]+", line \d+|goroutine \d+ \[|\n\s+at [\w.$]+\([\w]+\.java:\d+\)|stack backtrace:|\n\s+at .+ in .+:line \d+`)},
	{"exception", text.Pattern(`Cannot read propert(y|ies) of (undefined|null)|is not a function\b|is not iterable|'NoneType' object|object of type 'NoneType'|nil pointer dereference|NullPointerException|index out of range \[|called ` + "`" + `Option::unwrap`)},
	{"path", text.Pattern(`(/|\\)(node_modules|site-packages|dist-packages|pkg/mod|\.cargo/registry)(/|\\)[^\s"']*`)},
	{"sql", text.Pattern(`SQLITE_ERROR|syntax error at or near|You have an error in your SQL syntax|near "[^"]*": syntax error|ORA-\d{5}|sqlite3\.\w+Error|psycopg2?\.|SQLSTATE\b|\bSELECT [^.]{1,200} FROM \w|\bINSERT INTO \w|\bDELETE FROM \w`)},
	{"home", text.Pattern(`(/home/\w[\w.-]*|/Users/\w[\w.-]*|/root|[A-Z]:\\Users\\\w+)([/\\][\w.@-]+)*[/\\][\w@-]+\.(py|js|mjs|cjs|ts|go|rb|rs|java|php|cs|json|ya?ml|toml|env|db|sqlite3?|log)\b`)},
}

// leaks looks for what an error text says about the inside of the server.
func (at *attempt) leaks() []fault {
	if at.ending == succeeded {
		return at.secret(contentText(at.answer.result()))
	}
	if f := at.secret(at.text); f != nil {
		return f
	}
	code, sql := at.tool.runsCode()
	for _, one := range leakWords {
		if code && (one.keyword == "stack" || one.keyword == "exception") || sql && one.keyword == "sql" { // of the code that it was given
			continue
		}
		word := one.form().FindString(at.text)
		if word == "" || strings.Contains(at.json, word) || one.keyword == "home" && strings.Contains(at.json, word[strings.LastIndexAny(word, `/\`)+1:]) {
			continue
		}
		f := fault{check: "Leak", keyword: one.keyword,
			message: fmt.Sprintf("%s answers with what an exception or the inside of the server says: %q", at.tool.name, clip(strings.TrimSpace(word), 100))}
		if one.keyword == "sql" {
			f.severity = Error
		}
		return []fault{f}
	}
	return nil
}

// What says that an argument such as `query` is SQL, rather than words to search for: its description, or that of a tool whose name says that it runs queries.
var (
	saysSQL = text.Pattern(`(?i:\bSQL\b)|\bSELECT\b`)
	queries = text.Pattern(`(?i)query|queries|sql|select|statement`)
)

// runsCode reports whether the tool runs code that it is given, and whether it runs SQL.
func (t *tool) runsCode() (code, sql bool) {
	properties := t.schema().In("properties")
	about := queries().MatchString(t.name) && saysSQL().MatchString(t.entry.In("description").Str())
	for _, name := range properties.Names() {
		switch plainName(name) {
		case "code", "script", "program", "sourcecode", "expression":
			code = true
		case "sql", "sqlquery", "sqlstatement":
			sql = true
		case "query", "statement":
			sql = sql || about || saysSQL().MatchString(properties.In(name).In("description").Str())
		}
	}
	return code, sql
}

// secret looks for values that no answer may show.
func (at *attempt) secret(text string) []fault {
	for _, s := range at.tool.hidden {
		if len(s) >= 12 && strings.Contains(text, s) && !strings.Contains(at.json, s) {
			return []fault{{check: "Leak", keyword: "environment", severity: Error,
				message: fmt.Sprintf("%s answers with the value of an environment variable, %s...", at.tool.name, s[:3])}}
		}
	}
	return nil
}

// Limits of hosts, as their makers have published or as was measured, November 2026.
const (
	limitBytes  = 100_000
	limitTokens = 25_000
	limitFrame  = 8 << 20
)

// tooLarge compares the size of a result with the limits of hosts.
func (at *attempt) tooLarge() []fault {
	if at.answer.bytes > limitFrame {
		return []fault{{check: "ResultLimit", keyword: "frame", severity: Error,
			message: fmt.Sprintf("%s answers with a message of %d MiB or more; hosts take at most %d", at.tool.name, at.answer.bytes>>20, limitFrame>>20)}}
	}
	text := contentText(at.answer.result())
	if n := utf8.RuneCountInString(text) / 4; n > limitTokens || len(text) > limitBytes {
		return []fault{{check: "ResultLimit", keyword: "tokens",
			message: fmt.Sprintf("%s answers with a text of %d bytes, about %d tokens; hosts cut results above %d bytes or %d tokens", at.tool.name, len(text), n, limitBytes, limitTokens)}}
	}
	return nil
}
