package contract

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// fault is what is wrong with one answer.
type fault struct {
	check, keyword, pointer string
	severity                Severity
	proof                   Proof
	message, advice         string
}

// Ways in which a call ends.
type ending int

const (
	succeeded ending = iota
	refused          // the server says that the arguments are invalid
	failed           // otherwise
	unanswered
)

// attempt is one call and what came of it. Judging it needs nothing else: the verdict depends on the final bytes only.
type attempt struct {
	tool   *tool
	json   string
	args   *jsontree.Value
	hint   values.Break // the place in which it differs from a control; zero if it is not known
	answer *answer
	ending ending
	text   string // that the result or the error says
	breaks []values.Violation
	mcp    bool
}

// judged classifies an answer.
func (r *runner) judged(t *tool, json string, hint values.Break, a *answer) *attempt {
	at := &attempt{tool: t, json: json, hint: hint, answer: a, mcp: t.method == nil}
	at.args, _ = jsontree.Parse([]byte(json))
	if t.input != nil {
		at.breaks = t.input.Judge([]byte(json))
	}
	if a.outcome != answered {
		at.ending = unanswered
		return at
	}
	if e := a.whole.Get("error"); e != nil {
		at.text = e.Get("message").Str()
		if data := e.Get("data"); data != nil {
			at.text += " " + data.JSON()
		}
		code, _ := a.code()
		at.ending = failed
		if code == -32602 && !missing(at.text) || at.invalid() {
			at.ending = refused
		}
		return at
	}
	if !a.result().Get("isError").True() || !at.mcp {
		return at
	}
	at.text = contentText(a.result())
	at.ending = failed
	if at.invalid() {
		at.ending = refused
	}
	return at
}

// contentText is all text of a result.
func contentText(result *jsontree.Value) string {
	content := result.Get("content")
	if !content.Is(jsontree.List) {
		return ""
	}
	var all []string
	for _, block := range content.Items {
		all = append(all, block.Get("text").Str())
	}
	return strings.Join(all, "\n")
}

var (
	invalidWords = regexp.MustCompile(`(?i)\b(invalid|expected|required|must|unknown argument|unrecognized|unexpected|validation|should be|too (long|short|small|big|large|many|few)|not allowed|not (a )?valid|at (least|most)|missing|cannot be empty|allowed values|one of)\b`)
	missingWords = regexp.MustCompile(`(?i)\b(not found|no such|does ?n[o']t exist|denied|outside|not allowed - path|ENOENT|EACCES|unavailable|not exist|no .{1,30} found|failed to fetch|unauthori[sz]ed|api key|credential|rate limit|too many requests)\b`)
)

// missing reports whether a text says that something is not there or not permitted.
func missing(text string) bool { return missingWords.MatchString(text) }

// invalid reports whether a text refuses the arguments.
func (at *attempt) invalid() bool {
	return invalidWords.MatchString(at.text) && !missing(at.text) && at.names()
}

// names reports whether a text names an argument or its value.
func (at *attempt) names() bool {
	found := false
	lower := strings.ToLower(at.text)
	has := func(word string) bool { return len(word) > 1 && strings.Contains(lower, strings.ToLower(word)) }
	at.args.Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		if len(path) > 0 && path[len(path)-1].Index < 0 {
			found = found || has(path[len(path)-1].Name)
		}
		found = found || (v.Kind == jsontree.Text || v.Kind == jsontree.Number) && has(clip(v.Text, 40))
		return !found
	})
	for _, v := range at.breaks { // a member that is not there
		if name := quoted.FindString(v.Expected); name != "" {
			found = found || has(strings.Trim(name, `"`))
		}
		found = found || has(v.Pointer[strings.LastIndexByte(v.Pointer, '/')+1:])
	}
	if at.hint.Keyword == "absent" {
		found = found || has(at.hint.Pointer[strings.LastIndexByte(at.hint.Pointer, '/')+1:])
	}
	return found
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// faults returns what is wrong with an answer, other than that there is none.
func (at *attempt) faults() []fault {
	if at.ending == unanswered || at.answer.outcome != answered || !at.args.Is(jsontree.Object) { // arguments that are not an object are malformed: see Malformed
		return nil
	}
	var all []fault
	add := func(f ...fault) { all = append(all, f...) }
	if f := at.leaks(); f != nil {
		add(*f)
	}
	add(at.inputFaults()...)
	add(at.errorCode()...)
	add(at.outputFaults()...)
	if at.mcp {
		add(at.contentFaults()...)
		add(at.tooLarge()...)
	}
	add(at.garbage()...)
	add(at.slow()...)
	return all
}

// inputFaults are those of what the server takes.
func (at *attempt) inputFaults() []fault {
	t := at.tool
	switch {
	case t.control == "" || t.input == nil:
		return nil
	case at.ending == succeeded && len(at.breaks) > 0:
		return []fault{at.acceptsInvalid()}
	case at.ending == refused && len(at.breaks) == 0 && len(t.input.Unjudged()) == 0:
		return []fault{at.refusesValid()}
	case at.ending == refused && len(at.breaks) == 1 && !at.names():
		return []fault{{check: "Unhelpful", severity: Note, proof: Heuristic, keyword: at.breaks[0].Keyword, pointer: general(at.breaks[0].Pointer),
			message: fmt.Sprintf("%s refuses arguments, and its answer names neither the argument nor the value: %q", t.name, clip(at.text, 100)),
			advice:  "Say in the answer which argument is wrong, and what is expected, so that a model can correct it."}}
	}
	return nil
}

func (at *attempt) acceptsInvalid() fault {
	t, v := at.tool, at.breaks[0]
	f := fault{check: "AcceptsInvalid", keyword: v.Keyword, pointer: general(v.Pointer), severity: Warning, proof: ByContract}
	for _, one := range at.breaks {
		if one.Keyword == at.hint.Keyword && one.Pointer == at.hint.Pointer {
			v = one
			f.keyword, f.pointer = v.Keyword, general(v.Pointer)
		}
	}
	if combined(v.Keyword) && at.hint.Keyword != "" {
		f.keyword, f.pointer = at.hint.Keyword, general(at.hint.Pointer)
	}
	if t.writes() {
		f.severity = Error
	}
	where := "the arguments"
	if v.Pointer != "" {
		where = strings.TrimPrefix(v.Pointer, "/")
	}
	value := at.args.At(v.Pointer)
	switch {
	case v.Keyword == "additionalProperties":
		f.check, f.severity = "DropsUnknown", Warning
		f.message = fmt.Sprintf("%s answers although the argument %s is unknown, and the schema says additionalProperties: false", t.name, where)
		f.advice = "Refuse unknown arguments, as the schema says: a misspelled argument is lost otherwise."
	case v.Keyword == "required":
		f.message = fmt.Sprintf("%s answers although %s lacks %s, which the schema requires", t.name, where, strings.TrimPrefix(v.Expected, "a member "))
		f.advice = "Refuse calls without it, or take it from `required`."
	case v.Keyword == "type" && value != nil && value.Kind == jsontree.Null && f.pointer != "":
		f.keyword, f.severity = "null", Note
		f.message = fmt.Sprintf("%s answers although %s is null, and the schema says %s", t.name, where, v.Expected)
		f.advice = "Models send null for what they leave out. Say in the schema that it is taken."
		if at.requires(v.Pointer) {
			f.keyword, f.severity = "type", Warning
			if t.writes() {
				f.severity = Error
			}
		}
	default:
		f.message = fmt.Sprintf("%s answers although %s is %s, and the schema says %s: %s", t.name, where, clip(v.Got, 60), f.keyword, clip(v.Expected, 80))
		f.advice = "Check arguments against the published schema before they are used, or publish what is taken."
	}
	return f
}

// requires reports whether the member at a pointer is required.
func (at *attempt) requires(pointer string) bool {
	i := strings.LastIndexByte(pointer, '/')
	parent := at.args.At(pointer[:i])
	if !parent.Is(jsontree.Object) {
		return false
	}
	without := at.args.Put(steps(at.args, pointer), nil)
	return slices.ContainsFunc(at.tool.input.Judge([]byte(without.JSON())), func(v values.Violation) bool { return v.Keyword == "required" })
}

// steps is the path of a pointer into a value.
func steps(v *jsontree.Value, pointer string) (path []jsontree.Step) {
	v.Walk(nil, func(at []jsontree.Step, _ *jsontree.Value) bool {
		if here := jsontree.Pointer(at); here == pointer {
			path = at
		} else if here != "" && !strings.HasPrefix(pointer, here+"/") {
			return false
		}
		return true
	})
	return path
}

func combined(keyword string) bool {
	return keyword == "anyOf" || keyword == "oneOf" || keyword == "not" || keyword == "contains"
}

var index = regexp.MustCompile(`/[0-9]+(/|$)`)

// general is a pointer for all elements of lists.
func general(pointer string) string { return index.ReplaceAllString(pointer, "/*$1") }

// refusesValid is a note for free texts and for rules across arguments, which no schema of the server says.
func (at *attempt) refusesValid() fault {
	t := at.tool
	f := fault{check: "RefusesValid", keyword: at.hint.Keyword, pointer: general(at.hint.Pointer), severity: Note, proof: Heuristic,
		message: fmt.Sprintf("%s refuses arguments that fit its schema: %q", t.name, clip(at.text, 160)),
		advice:  "Say in the schema what is taken: by format, pattern, enum, bounds, required, or in the description."}
	value := at.args.At(at.hint.Pointer)
	declared := false
	switch at.hint.Keyword {
	case "minimum", "maximum", "minLength", "maxLength", "pattern", "enum", "format", "minItems", "maxItems", "default", "spelling":
		declared = true
	case "type":
		declared = value != nil && value.Kind != jsontree.Text
	case "absent":
		declared = !at.namesOther()
	}
	if declared && at.namesPlace() && !opaque.MatchString(at.hint.Pointer) {
		f.severity, f.proof = Warning, ByContract
		what := "is left out"
		if value != nil {
			what = "is " + clip(value.JSON(), 60)
		}
		f.message = fmt.Sprintf("%s refuses a call in which %s %s, which fits its schema: %q", t.name, strings.TrimPrefix(at.hint.Pointer, "/"), what, clip(at.text, 120))
	}
	return f
}

// opaque are arguments that only the server knows values of.
var opaque = regexp.MustCompile(`(?i)(cursor|token|id|ids|uri|url|path|file|filename|key)(/\*|/\d+)?$`)

// namesPlace reports whether the refusal names the argument in which the call differs from a control, or its value.
func (at *attempt) namesPlace() bool {
	lower := strings.ToLower(at.text)
	for name := range strings.SplitSeq(at.hint.Pointer, "/") {
		if len(name) > 1 && strings.Contains(lower, strings.ToLower(name)) {
			return true
		}
	}
	value := at.args.At(at.hint.Pointer)
	return value != nil && len(value.Text) > 1 && strings.Contains(at.text, clip(value.Text, 40))
}

// namesOther reports whether the refusal names another argument of the call.
func (at *attempt) namesOther() bool {
	lower := strings.ToLower(at.text)
	for _, name := range names(at.tool.entry.Get("inputSchema").Get("properties")) {
		if "/"+name != at.hint.Pointer && len(name) > 2 && strings.Contains(lower, strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// errorCode reports failures that are errors of the protocol.
func (at *attempt) errorCode() []fault {
	code, ok := at.answer.code()
	internal := code == -32603 || code <= -32000 && code >= -32019 && at.mcp && code != -32002
	if !ok || !internal {
		return nil
	}
	f := fault{check: "ErrorCode", keyword: fmt.Sprint(code), severity: Note, proof: ByProtocol,
		message: fmt.Sprintf("%s reports a failure as the error %d of the protocol: %q", at.tool.name, code, clip(at.text, 120)),
		advice:  "Answer a failed call with a result that has isError: true and says why, so that the model sees it (server/tools, Error Handling)."}
	if !at.mcp {
		f.advice = "Answer arguments that are invalid with -32602, and failures with an error of the method."
	}
	if at.tool.control != "" {
		f.severity = Warning
	}
	return []fault{f}
}

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
		return at.unfitting(t.output.Judge([]byte(result.JSON())), Error)
	}
	if kind := result.Get("resultType").Str(); kind != "" && kind != "complete" || result.Get("task") != nil {
		return nil
	}
	structured := result.Get("structuredContent")
	var all []fault
	switch {
	case t.output == nil:
	case at.ending == succeeded && structured == nil && at.answer.bytes <= maxMessage:
		all = append(all, fault{check: "OutputSchema", keyword: "missing", severity: Error, proof: ByProtocol,
			message: t.name + " has an output schema, and answers without structured content",
			advice:  "Return structuredContent that fits the output schema with every success (server/tools, Structured Content)."})
	case at.ending == succeeded:
		all = append(all, at.unfitting(t.output.Judge([]byte(structured.JSON())), Error)...)
	case structured != nil:
		all = append(all, at.unfitting(t.output.Judge([]byte(structured.JSON())), Warning)...)
	}
	return append(all, at.textDiffers(structured)...)
}

// unfitting reports the first place of each rule that a result breaks.
func (at *attempt) unfitting(vs []values.Violation, severity Severity) []fault {
	var all []fault
	for _, v := range vs {
		f := fault{check: "OutputSchema", keyword: v.Keyword, pointer: general(v.Pointer), severity: severity, proof: ByContract,
			advice: "Return what the output schema says, or publish what is returned: strict clients refuse the result."}
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
			f.message = fmt.Sprintf("%s answers with %s being %s, and its output schema says %s: %s", at.tool.name, where, clip(v.Got, 60), v.Keyword, clip(v.Expected, 80))
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
	data := at.answer.whole.Get("error").Get("data")
	if err != nil || data == nil {
		return nil
	}
	all := at.unfitting(s.Judge([]byte(data.JSON())), Error)
	for i := range all {
		all[i].message = strings.Replace(all[i].message, "the result", fmt.Sprintf("the data of the error %d", code), 1)
	}
	return all
}

// textDiffers compares a text that is JSON with the structured content.
func (at *attempt) textDiffers(structured *jsontree.Value) []fault {
	content := at.answer.result().Get("content")
	if structured == nil || !content.Is(jsontree.List) || len(content.Items) != 1 {
		return nil
	}
	text := strings.TrimSpace(content.Items[0].Get("text").Str())
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return nil
	}
	v, err := jsontree.Parse([]byte(text))
	if err != nil || v.Equal(structured) || wraps(structured, v, text) {
		return nil
	}
	where, is, want := difference(v, structured, "")
	return []fault{{check: "TextDiffers", severity: Warning, proof: ByProtocol, pointer: general(where),
		message: fmt.Sprintf("%s answers with a text that differs from the structured content at %q: %s and %s", at.tool.name, where, is, want),
		advice:  "Write the text from the structured content: some clients show one, some the other (server/tools, Structured Content)."}}
}

// wraps reports whether structured content is an object whose only member is what the text says: results that are not objects have to be wrapped.
func wraps(structured, v *jsontree.Value, text string) bool {
	if !structured.Is(jsontree.Object) || len(structured.Items) != 1 {
		return false
	}
	only := structured.Items[0]
	return only.Equal(v) || only.Is(jsontree.Text) && strings.TrimSpace(only.Text) == text
}

// difference is the first place in which two values differ, and what is there in each.
func difference(a, b *jsontree.Value, at string) (where, left, right string) {
	shown := func(v *jsontree.Value) string {
		if v == nil {
			return "nothing"
		}
		return clip(v.JSON(), 60)
	}
	if a != nil && b != nil && a.Kind == b.Kind {
		switch {
		case a.Kind == jsontree.Object:
			for _, name := range append(slices.Clone(a.Names), b.Names...) {
				if x, y := a.Get(name), b.Get(name); !x.Equal(y) {
					return difference(x, y, at+jsontree.Pointer([]jsontree.Step{{Name: name, Index: -1}}))
				}
			}
		case a.Kind == jsontree.List && len(a.Items) == len(b.Items):
			for i := range a.Items {
				if !a.Items[i].Equal(b.Items[i]) {
					return difference(a.Items[i], b.Items[i], fmt.Sprint(at, "/", i))
				}
			}
		case a.Kind == jsontree.List:
			return at, fmt.Sprint(len(a.Items), " elements"), fmt.Sprint(len(b.Items), " elements")
		}
	}
	return at, shown(a), shown(b)
}

// contentFaults look at the blocks of a result.
func (at *attempt) contentFaults() []fault {
	result := at.answer.result()
	if result == nil || at.answer.bytes > maxMessage || result.Get("inputRequests") != nil || result.Get("task") != nil || result.Get("resultType").Str() == "task" {
		return nil
	}
	wrong := func(keyword, pointer, what string) []fault {
		return []fault{{check: "Content", keyword: keyword, pointer: general(pointer), severity: Error, proof: ByProtocol,
			message: at.tool.name + " answers with " + what, advice: "Return content blocks as the specification has them (server/tools, Tool Result): clients refuse the result otherwise."}}
	}
	content := result.Get("content")
	if !content.Is(jsontree.List) {
		return wrong("content", "/content", "a result that has no list `content`")
	}
	for i, b := range content.Items {
		if keyword, what := blockFault(b); what != "" {
			return wrong(keyword, fmt.Sprint("/content/", i), what)
		}
	}
	return nil
}

// blockFault says what is wrong with a content block.
func blockFault(b *jsontree.Value) (keyword, what string) {
	switch kind := b.Get("type").Str(); kind {
	case "text":
		if !b.Get("text").Is(jsontree.Text) {
			return "text", "a text block whose `text` is " + shownKind(b.Get("text"))
		}
	case "image", "audio":
		data := b.Get("data")
		if !data.Is(jsontree.Text) {
			return "data", "a block of type " + kind + " whose `data` is " + shownKind(data)
		}
		if _, err := base64.StdEncoding.DecodeString(data.Text); err != nil {
			return "data", "a block of type " + kind + " whose `data` is not base64"
		}
		if b.Get("mimeType").Str() == "" {
			return "mimeType", "a block of type " + kind + " without `mimeType`"
		}
	case "resource":
		r := b.Get("resource")
		if r.Get("uri").Str() == "" || r.Get("text") == nil && r.Get("blob") == nil {
			return "resource", "a resource block without `uri`, or without `text` and `blob`"
		}
	case "resource_link":
		if b.Get("uri").Str() == "" || b.Get("name").Str() == "" {
			return "resource_link", "a resource link without `uri` or `name`"
		}
	default:
		return "type", "a block of the unknown type " + clip(fmt.Sprintf("%q", kind), 40)
	}
	return "", ""
}

func shownKind(v *jsontree.Value) string {
	if v == nil {
		return "missing"
	}
	return clip(v.JSON(), 40)
}

var garbageWords = regexp.MustCompile(`\[object Object\]|\bundefined\b|\bNaN\b|%!\w\(|<nil>|\bInstance of '`)

// garbage looks for values that were written by mistake.
func (at *attempt) garbage() []fault {
	text := at.text
	if at.ending == succeeded && at.answer.result() != nil {
		text = contentText(at.answer.result())
	}
	word := garbageWords.FindString(text)
	if word == "" || at.ending == refused || len(text) > 20_000 || strings.Contains(at.json, word) || strings.Contains(at.tool.entry.Get("description").Str(), word) {
		return nil
	}
	return []fault{{check: "Garbage", keyword: word, severity: Note, proof: Heuristic,
		message: fmt.Sprintf("%s answers with %q in a text, which looks like a value that was written by mistake: %q", at.tool.name, word, around(text, word)),
		advice:  "Write the value that is meant."}}
}

// around is what stands around a word in a text.
func around(text, word string) string {
	i := strings.Index(text, word)
	from, to := max(0, i-40), min(len(text), i+len(word)+40)
	return clip(strings.ToValidUTF8(text[from:to], ""), 120)
}

// leakWords are what only an exception says.
var leakWords = []struct {
	keyword string
	re      *regexp.Regexp
}{
	{"stack", regexp.MustCompile(`\n\s+at .+\(?.+:\d+:\d+\)?|Traceback \(most recent call last\)|File "[^"]+", line \d+|goroutine \d+ \[|\n\s+at [\w.$]+\([\w]+\.java:\d+\)|stack backtrace:|\n\s+at .+ in .+:line \d+`)},
	{"exception", regexp.MustCompile(`Cannot read propert(y|ies) of (undefined|null)|is not a function\b|is not iterable|'NoneType' object|object of type 'NoneType'|nil pointer dereference|NullPointerException|index out of range \[|called ` + "`" + `Option::unwrap`)},
	{"path", regexp.MustCompile(`(/|\\)(node_modules|site-packages|dist-packages|pkg/mod|\.cargo/registry)(/|\\)[^\s"']*`)},
	{"sql", regexp.MustCompile(`(?i)SQLITE_ERROR|syntax error at or near|You have an error in your SQL syntax|near "[^"]*": syntax error|ORA-\d{5}`)},
}

// leaks looks for what an error text says about the inside of the server.
func (at *attempt) leaks() *fault {
	if at.ending == succeeded {
		return at.secret(contentText(at.answer.result()))
	}
	if f := at.secret(at.text); f != nil {
		return f
	}
	for _, one := range leakWords {
		word := one.re.FindString(at.text)
		if word == "" || strings.Contains(at.json, word) {
			continue
		}
		f := &fault{check: "Leak", keyword: one.keyword, severity: Warning, proof: ByContract,
			message: fmt.Sprintf("%s answers with what an exception or the inside of the server says: %q", at.tool.name, clip(strings.TrimSpace(word), 100)),
			advice:  "Catch the exception, and answer what the caller can do. Write the details to the log."}
		if one.keyword == "sql" {
			f.severity = Error
		}
		return f
	}
	return nil
}

// secret looks for values that no answer may show.
func (at *attempt) secret(text string) *fault {
	for _, s := range at.tool.secrets() {
		if len(s) >= 12 && strings.Contains(text, s) && !strings.Contains(at.json, s) {
			return &fault{check: "Leak", keyword: "environment", severity: Error, proof: ByContract,
				message: fmt.Sprintf("%s answers with the value of an environment variable, %s...", at.tool.name, s[:3]),
				advice:  "Never write values of the environment into answers."}
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
	advice := "Return a page with a cursor, or take a limit as an argument."
	if at.answer.bytes > limitFrame {
		return []fault{{check: "ResultLimit", keyword: "frame", severity: Error, proof: ByContract, advice: advice,
			message: fmt.Sprintf("%s answers with a message of %d MiB or more; hosts take at most %d", at.tool.name, at.answer.bytes>>20, limitFrame>>20)}}
	}
	text := contentText(at.answer.result())
	if n := utf8.RuneCountInString(text) / 4; n > limitTokens || len(text) > limitBytes {
		return []fault{{check: "ResultLimit", keyword: "tokens", severity: Warning, proof: ByContract, advice: advice,
			message: fmt.Sprintf("%s answers with a text of %d bytes, about %d tokens; hosts cut results above %d bytes or %d tokens", at.tool.name, len(text), n, limitBytes, limitTokens)}}
	}
	return nil
}
