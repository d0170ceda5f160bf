package hosts

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Key names a limit. The keys are a closed list, since each is a check.
type Key string

// The limits of names.
const (
	ToolName     Key = "toolName"
	FullName     Key = "fullName"
	NameBudget   Key = "nameBudget"
	UniqueNames  Key = "uniqueNames"
	PropertyName Key = "propertyName"
)

// The limits of texts and sizes.
const (
	ToolDescription   Key = "toolDescription"
	DescriptionMin    Key = "descriptionMin"
	SchemaDescription Key = "schemaDescription"
	Instructions      Key = "instructions"
	ListBytes         Key = "listBytes"
	ListTokens        Key = "listTokens"
)

// The limits of schemas.
const (
	InputRoot        Key = "inputRoot"
	InputType        Key = "inputType"
	OutputRoot       Key = "outputRoot"
	Keywords         Key = "keywords"
	NoRefs           Key = "noRefs"
	NoRecursion      Key = "noRecursion"
	ArrayItems       Key = "arrayItems"
	TypeArrays       Key = "typeArrays"
	Typed            Key = "typed"
	EnumType         Key = "enumType"
	EnumEmpty        Key = "enumEmpty"
	Formats          Key = "formats"
	Lookaround       Key = "lookaround"
	BoolSchema       Key = "boolSchema"
	Draft07          Key = "draft07"
	RequiredDeclared Key = "requiredDeclared"
	Required         Key = "required"
	Closed           Key = "closed"
)

// The limits of numbers: of one tool, and of all tools of a server.
const (
	Properties    Key = "properties"
	Depth         Key = "depth"
	EnumValues    Key = "enumValues"
	EnumTexts     Key = "enumTexts"
	Tools         Key = "tools"
	ToolsGrouped  Key = "toolsGrouped"
	StrictTools   Key = "strictTools"
	OptionalTotal Key = "optionalTotal"
	UnionTotal    Key = "unionTotal"
	MaxItemsTotal Key = "maxItemsTotal"
)

// The limits of results and processes, which no list of tools can break.
const (
	ResultTokens Key = "resultTokens"
	ResultChars  Key = "resultChars"
	ErrorChars   Key = "errorChars"
	FrameBytes   Key = "frameBytes"
	StartSeconds Key = "startSeconds"
	CallSeconds  Key = "callSeconds"
)

// Form is the form of the value of a limit.
type Form uint8

// The forms.
const (
	Number  Form = iota // a positive integer
	Pattern             // a regular expression
	Words               // a word, or a list of them
	Flag                // true
)

// forms are their words.
var forms = []string{"number", "pattern", "words", "flag"}

// Check is what a limit is about.
type Check struct {
	Key
	Form  Form
	Title string // what a finding is, for the list of diagnostics
	Doc   string // what is checked
}

// Code is the diagnostic that reports a finding, such as HostFullName.
func (c Check) Code() string { return "Host" + upper(string(c.Key)) }

func upper(s string) string { return string(s[0]-'a'+'A') + s[1:] }

//go:embed checks.txt
var checks string

// Checks lists the limits that a list of tools may break, in the order in which they are explained.
var Checks = sync.OnceValue(func() (all []Check) {
	for _, paragraph := range strings.Split(strings.TrimSpace(checks), "\n\n")[1:] {
		head, doc, _ := strings.Cut(paragraph, "\n")
		name, title, _ := strings.Cut(head, ": ")
		key, form, _ := strings.Cut(name, " ")
		all = append(all, Check{Key(key), Form(slices.Index(forms, form)), title, doc})
	}
	return all
})

// serverLimits are the limits that no list of tools can break.
var serverLimits = []Check{
	{ResultTokens, Number, "", "A result may have so many tokens."},
	{ResultChars, Number, "", "A result may have so many characters."},
	{ErrorChars, Number, "", "The text of an error may have so many characters."},
	{FrameBytes, Number, "", "A message may have so many bytes."},
	{StartSeconds, Number, "", "A server has to answer so many seconds after its start."},
	{CallSeconds, Number, "", "A call may take so many seconds."},
}

func checkOf(key string) (Check, bool) {
	all := slices.Concat(Checks(), serverLimits)
	i := slices.IndexFunc(all, func(c Check) bool { return string(c.Key) == key })
	if i < 0 {
		return Check{}, false
	}
	return all[i], true
}
