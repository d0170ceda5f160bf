package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
	"github.com/rpcgen-go/rpcgen/schema/text"
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

// judgeAnswer classifies an answer.
func judgeAnswer(t *tool, json string, hint values.Break, a *answer) *attempt {
	if sent := t.listedParams(json); sent != nil {
		json = sent.JSON()
	}
	at := &attempt{tool: t, json: json, hint: hint, answer: a, mcp: t.method == nil}
	at.args, _ = jsontree.Parse([]byte(json))
	if t.input != nil {
		at.breaks = t.input.Judge([]byte(json))
	}
	if a.outcome != answered {
		at.ending = unanswered
		return at
	}
	switch e := a.whole.In("error"); {
	case e != nil:
		at.text = e.In("message").Str()
		if data := e.In("data"); data != nil {
			at.text += " " + data.JSON()
		}
	case at.mcp && a.result().In("isError").True():
		at.text = contentText(a.result())
	default:
		return at
	}
	at.ending = failed
	if code, _ := a.code(); !missingWords().MatchString(at.text) && (code == -32602 || invalidWords().MatchString(at.text) && at.names()) {
		at.ending = refused
	}
	return at
}

// missing names the scopes for lack of which a call was refused, of a tool or a method that lists its scopes.
func (at *attempt) missing() string {
	list := at.answer.whole.In("error").In("data").In("missing")
	if !at.tool.scoped || !list.Is(jsontree.Array) {
		return ""
	}
	var all []string
	for _, scope := range list.Items {
		all = append(all, scope.Str())
	}
	return strings.Join(all, " ")
}

// contentText is all text of a result.
func contentText(result *jsontree.Value) string {
	var all []string
	if content := result.In("content"); content.Is(jsontree.Array) {
		for _, block := range content.Items {
			all = append(all, block.In("text").Str())
		}
	}
	return strings.Join(all, "\n")
}

var (
	invalidWords = text.Pattern(`(?i)\b(invalid|expected|required|must|unknown argument|unrecognized|unexpected|validation|should be|too (long|short|small|big|large|many|few)|not allowed|not (a )?valid|at (least|most)|missing|cannot be empty|allowed values|one of)\b`)
	missingWords = text.Pattern(`(?i)\b(not found|no such|does ?n[o']t exist|denied|outside|not allowed - path|ENOENT|EACCES|unavailable|not exist|no .{1,30} found|failed to fetch|unauthori[sz]ed|api key|credential|rate limit|too many requests)\b`)
)

// names reports whether a text names an argument or its value.
func (at *attempt) names() bool {
	found := false
	lower := strings.ToLower(at.text)
	has := func(word string) bool { return len(word) > 1 && strings.Contains(lower, strings.ToLower(word)) }
	at.args.Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		if len(path) > 0 && path[len(path)-1].Index < 0 {
			found = found || has(path[len(path)-1].Name)
		}
		found = found || (v.Kind == jsontree.Text || v.Is(jsontree.Number)) && has(clip(v.Text, 40))
		return !found
	})
	for _, v := range at.breaks { // a member that is not there
		if name := quotation().FindString(v.Expected); name != "" {
			found = found || has(strings.Trim(name, `"`))
		}
		found = found || has(v.Pointer[strings.LastIndexByte(v.Pointer, '/')+1:])
	}
	if left := at.place(); left.Keyword == "absent" {
		found = found || has(left.Pointer[strings.LastIndexByte(left.Pointer, '/')+1:])
	}
	return found
}

var quotation = text.Pattern(`"[^"]*"`)

// faults returns what is wrong with an answer, other than that there is none.
func (at *attempt) faults() []fault {
	if at.ending == unanswered || at.answer.outcome != answered || !at.args.Is(jsontree.Object) { // arguments that are not an object are malformed: see Malformed
		return nil
	}
	all := slices.Concat(at.leaks(), at.inputFaults(), at.errorCode(), at.outputFaults())
	if at.mcp {
		all = slices.Concat(all, at.contentFaults(), at.tooLarge())
	}
	all = slices.Concat(all, at.garbage(), at.slow())
	for i := range all {
		all[i] = all[i].complete()
	}
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
		return []fault{{check: "Unhelpful", keyword: at.breaks[0].Keyword, pointer: general(at.breaks[0].Pointer),
			message: fmt.Sprintf("%s refuses arguments, and its answer names neither the argument nor the value: %q", t.name, clip(at.text, 100))}}
	}
	return nil
}

func (at *attempt) acceptsInvalid() fault {
	t, v := at.tool, at.breaks[0]
	f := fault{check: "AcceptsInvalid", keyword: v.Keyword, pointer: t.general(v.Pointer)}
	for _, one := range at.breaks {
		if one.Keyword == at.hint.Keyword && one.Pointer == at.hint.Pointer {
			v = one
			f.keyword, f.pointer = v.Keyword, t.general(v.Pointer)
		}
	}
	if combined := []string{"anyOf", "oneOf", "not", "contains"}; slices.Contains(combined, v.Keyword) && at.hint.Keyword != "" {
		f.keyword, f.pointer = at.hint.Keyword, t.general(at.hint.Pointer)
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
		f.check, f.severity = "DropsUnknown", ""
		f.message = fmt.Sprintf("%s answers although the argument %s is unknown, and the schema says additionalProperties: false", t.name, where)
	case v.Keyword == "required":
		f.message = fmt.Sprintf("%s answers although %s lacks %s, which the schema requires", t.name, where, strings.TrimPrefix(v.Expected, "a member "))
	case v.Keyword == "type" && value != nil && value.Kind == jsontree.Null && f.pointer != "":
		f.message = fmt.Sprintf("%s answers although %s is null, and the schema says %s", t.name, where, v.Expected)
		if !at.requires(v.Pointer) {
			f.keyword, f.severity = "null", Note
		}
	default:
		if v.Keyword == "propertyNames" {
			where = "the name of a member of " + where
		}
		f.message = fmt.Sprintf("%s answers although %s is %s, and the schema says %s: %s", t.name, where, clip(v.Got, 60), f.keyword, clip(v.Expected, 80))
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

var index = text.Pattern(`/[0-9]+(/|$)`)

// general is a pointer for all elements of lists.
func general(pointer string) string { return index().ReplaceAllString(pointer, "/*$1") }

// general is a pointer into arguments for all elements of lists, and for all members that are described together.
func (t *tool) general(pointer string) string {
	at := t.schema()
	parts := strings.Split(pointer, "/")
	for i := 1; i < len(parts) && at != nil; i++ {
		member, together := at.In("properties").In(parts[i]), at.In("additionalProperties")
		switch {
		case member != nil:
			at = member
		case together.Is(jsontree.Object):
			at, parts[i] = together, "*"
		default:
			at = at.In("items")
		}
	}
	return general(strings.Join(parts, "/"))
}

// refusesValid is a note for free texts and for rules across arguments, which no schema of the server says.
func (at *attempt) refusesValid() fault {
	t, hint := at.tool, at.place()
	f := fault{check: "RefusesValid", keyword: hint.Keyword, pointer: general(hint.Pointer),
		message: fmt.Sprintf("%s refuses arguments that fit its schema: %q", t.name, clip(at.text, 160))}
	value := at.args.At(hint.Pointer)
	declared := false
	switch hint.Keyword {
	case "minimum", "maximum", "minLength", "maxLength", "pattern", "enum", "format", "minItems", "maxItems", "default", "spelling":
		declared = true
	case "type":
		declared = value != nil && (value.Kind != jsontree.Text || at.listed(value))
	case "properties":
		declared = value.Is(jsontree.Object) && len(value.Fields) == 0 && hint.Pointer != ""
	case "absent":
		declared = !at.namesOther(hint.Pointer)
	}
	if declared && at.refers(hint.Pointer) && !opaque().MatchString(hint.Pointer) {
		f.severity, f.proof = Warning, ByContract
		what := "is left out"
		if value != nil {
			what = "is " + clip(value.JSON(), 60)
		}
		f.message = fmt.Sprintf("%s refuses a call in which %s %s, which fits its schema: %q", t.name, strings.TrimPrefix(hint.Pointer, "/"), what,
			clip(at.text, 120))
	}
	return f
}

// listed reports whether an enum of the input schema has a value.
func (at *attempt) listed(value *jsontree.Value) bool {
	found := false
	at.tool.schema().Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		if n := len(path); n > 0 && path[n-1].Name == "enum" && v.Kind == jsontree.Array {
			found = found || slices.ContainsFunc(v.Parts(), value.Equal)
		}
		return !found
	})
	return found
}

// opaque are arguments that only the server knows values of.
var opaque = text.Pattern(`(?i)(cursor|token|id|ids|uri|url|path|file|filename|key)(/\*|/\d+)?$`)

// place is where the call differs from a control; or, if the refusal names another member alone, which has another value than in the control and
// is not a text, that one: what is put into an object that the control lacks differs in several places.
func (at *attempt) place() values.Break {
	if at.hint.Pointer == "" {
		return at.leftOut()
	}
	if at.refers(at.hint.Pointer) {
		return at.hint
	}
	found, several := "", false
	at.args.Walk(nil, func(path []jsontree.Step, v *jsontree.Value) bool {
		if n := len(path); n > 0 && path[n-1].Index < 0 && v.Kind != jsontree.Object && len(path[n-1].Name) > 2 &&
			strings.Contains(strings.ToLower(at.text), strings.ToLower(path[n-1].Name)) {
			several = several || found != ""
			found = jsontree.Pointer(path)
		}
		return true
	})
	control, err := jsontree.Parse([]byte(at.tool.control))
	if found == "" || several || err != nil || at.args.At(found).Kind == jsontree.Text || at.args.At(found).Equal(control.At(found)) {
		return at.hint
	}
	return values.Break{Keyword: "type", Pointer: found}
}

// leftOut is the optional argument that a call leaves out, if the refusal names it and no other one; else the hint.
func (at *attempt) leftOut() values.Break {
	for _, name := range at.tool.entry.In("inputSchema").In("properties").Names() {
		left := values.Break{Keyword: "absent", Pointer: "/" + name}
		if len(name) > 2 && at.args.In(name) == nil && strings.Contains(strings.ToLower(at.text), strings.ToLower(name)) && !at.namesOther(left.Pointer) {
			return left
		}
	}
	return at.hint
}

// refers reports whether the refusal names the argument at a pointer, or its value. That it names an object around it says so only if it names no
// other member of the object.
func (at *attempt) refers(pointer string) bool {
	lower := strings.ToLower(at.text)
	has := func(name string) bool { return len(name) > 1 && strings.Contains(lower, strings.ToLower(name)) }
	path := strings.Split(index().ReplaceAllString(pointer, "$1"), "/")
	last := path[len(path)-1]
	value := at.args.At(pointer)
	if has(last) || value != nil && len(value.Text) > 1 && strings.Contains(at.text, clip(value.Text, 40)) {
		return true
	}
	around := pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	return slices.ContainsFunc(path[:len(path)-1], has) && !slices.ContainsFunc(at.args.At(around).Names(), has)
}

// namesOther reports whether the refusal names another argument than that at a pointer, other than by repeating the call.
func (at *attempt) namesOther(pointer string) bool {
	lower := strings.ToLower(strings.ReplaceAll(at.text, at.json, ""))
	return slices.ContainsFunc(at.tool.entry.In("inputSchema").In("properties").Names(), func(name string) bool {
		return !strings.HasPrefix(pointer+"/", "/"+name+"/") && len(name) > 2 && strings.Contains(lower, strings.ToLower(name))
	})
}

// errorCode reports failures that are errors of the protocol.
func (at *attempt) errorCode() []fault {
	code, ok := at.answer.code()
	internal := code == -32603 || code <= -32000 && code >= -32019 && at.mcp && code != -32002
	if !ok || !internal {
		return nil
	}
	f := fault{check: "ErrorCode", keyword: fmt.Sprint(code),
		message: fmt.Sprintf("%s reports a failure as the error %d of the protocol: %q", at.tool.name, code, clip(at.text, 120))}
	if at.tool.control != "" {
		f.severity = Warning
	}
	return []fault{f}
}
