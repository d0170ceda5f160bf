package hosts

import "slices"

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

// Checks lists the limits that a list of tools may break, in the order in which they are explained.
func Checks() []Check {
	return []Check{
		{ToolName, Pattern, "A name that a host does not take", "The name of a tool, without what a host puts before it, has to match a pattern. What does " +
			"not match is refused or left out, with the whole list or alone."},
		{FullName, Number, "A name that is too long with the name of the server",
			"Hosts put the name of the server, as their users configure it, before the name of a tool. Together they may have so many characters; a longer " +
				"name is refused, left out, or shortened, and no two hosts shorten alike."},
		{NameBudget, Number, "A name that leaves no room for the name of the server",
			"So many characters are left for the name of a tool when a host has put the name of a server before it."},
		{UniqueNames, Flag, "Two tools with one name", "The names of tools differ, also where upper and lower case, dots, slashes, hyphens and underscores " +
			"count as equal, as they do after a host has made a name fit."},
		{PropertyName, Pattern, "The name of an argument that an API does not take", "The names of properties of an input, at any depth, have to match a pattern."},
		{ToolDescription, Number, "A description that is cut", "The description of a tool may have so many characters. A longer one is cut, most often silently."},
		{DescriptionMin, Number, "A tool without description", "The description of a tool needs so many characters."},
		{SchemaDescription, Number, "A description within a schema that is cut", "The descriptions within an input may have so many characters."},
		{Instructions, Number, "Instructions that are cut", "The instructions of the server may have so many characters. What follows is cut, most often silently."},
		{ListBytes, Number, "A list that is too large", "The list of tools may have so many bytes, without icons."},
		{ListTokens, Number, "A list that takes too many tokens", "The list of tools may have so many tokens, as rpcgen budget estimates them."},
		{InputRoot, Words, "A keyword that is refused at the root of an input",
			"The root of an input may not have these keywords, such as anyOf. They may stand further down."},
		{InputType, Words, "An input that is not an object", "The root of an input has this type, written out."},
		{OutputRoot, Words, "An output that is not an object", "The root of an output has this type, written out."},
		{Keywords, Words, "A keyword that is refused", "The schema of an input may not have these keywords at any depth."},
		{NoRefs, Flag, "A reference in an input", "The schema of an input may have neither $ref nor $defs."},
		{NoRecursion, Flag, "An input that contains itself", "No definition of an input may refer to itself, directly or through others."},
		{ArrayItems, Flag, "An array without items", "An array in an input says what its items are."},
		{TypeArrays, Flag, "A list of types", "The type of a member of an input is one type, not a list such as [string, null]."},
		{Typed, Flag, "A member without a type", "Every member of an input has a type, a reference, an enum, a constant or a union."},
		{EnumType, Words, "Values of an enum that are not text", "The values of an enum have one of these types."},
		{EnumEmpty, Flag, "An enum with nothing in it, or with an empty text", "An enum has values, and none of them is an empty text."},
		{Formats, Words, "A format of text that is refused", "The format of a text in an input is one of these."},
		{Lookaround, Flag, "A pattern with a look-around", "A pattern in an input has no groups that look around, such as (?!x)."},
		{BoolSchema, Flag, "true or false as a schema", "Schemas are objects: neither true nor false stands for one, but for additionalProperties and " +
			"unevaluatedProperties."},
		{Draft07, Flag, "A schema that draft-07 does not allow", "The schema of an input has to be valid by the meta-schema of JSON Schema draft-07, too."},
		{RequiredDeclared, Flag, "A required name that is not a property", "The names in required are properties of the same object."},
		{Required, Flag, "A property that may be missing", "Strict modes: every property of an input is required. Write one that may be missing as required " +
			"and nullable."},
		{Closed, Flag, "An open object", "Strict modes: every object of an input says additionalProperties: false."},
		{Properties, Number, "Too many properties", "The input of one tool may have so many properties, at all depths together."},
		{Depth, Number, "Objects that are nested too deeply", "The input of one tool may have objects and arrays within each other up to this depth."},
		{EnumValues, Number, "Too many values of enums", "The input of one tool may have so many values in all its enums together."},
		{EnumTexts, Number, "Enums whose values are too long", "The names of properties and the values of enums in the input of one tool may have so many " +
			"characters together."},
		{Tools, Number, "Too many tools", "A server may have so many tools."},
		{ToolsGrouped, Number, "Tools that are put into groups", "From so many tools on, a host shows groups of them to the model."},
		{StrictTools, Number, "Too many strict tools", "Strict modes: a request may have so many tools."},
		{OptionalTotal, Number, "Too many optional parameters", "Strict modes: all tools together may have so many properties that may be missing."},
		{UnionTotal, Number, "Too many unions", "Strict modes: all tools together may have so many parameters with anyOf or a list of types."},
		{MaxItemsTotal, Number, "Arrays that are too long together", "The sum of maxItems over all inputs may be so large."},
	}
}

// others are the limits that no list of tools can break.
var others = []Check{
	{ResultTokens, Number, "", "A result may have so many tokens."},
	{ResultChars, Number, "", "A result may have so many characters."},
	{ErrorChars, Number, "", "The text of an error may have so many characters."},
	{FrameBytes, Number, "", "A message may have so many bytes."},
	{StartSeconds, Number, "", "A server has to answer so many seconds after its start."},
	{CallSeconds, Number, "", "A call may take so many seconds."},
}

func checkOf(key string) (Check, bool) {
	all := slices.Concat(Checks(), others)
	i := slices.IndexFunc(all, func(c Check) bool { return string(c.Key) == key })
	if i < 0 {
		return Check{}, false
	}
	return all[i], true
}
