package diag

// Code names a kind of fault. It is stable: people search for it, and programs switch on it.
type Code string

// The text of a file.
const (
	FileUnreadable   Code = "FileUnreadable"   // the file, or one that it imports, cannot be read
	InvalidText      Code = "InvalidText"      // not UTF-8, a byte order mark, a control character
	TooLarge         Code = "TooLarge"         // more bytes, values or depth than any schema needs
	YAMLSyntax       Code = "YAMLSyntax"       // not YAML
	TabIndent        Code = "TabIndent"        // a tab where YAML wants spaces
	YAMLAnchor       Code = "YAMLAnchor"       // &name
	YAMLAlias        Code = "YAMLAlias"        // *name
	MergeKey         Code = "MergeKey"         // <<
	YAMLTag          Code = "YAMLTag"          // !!str
	SeveralDocuments Code = "SeveralDocuments" // --- twice
	DuplicateKey     Code = "DuplicateKey"     // one key twice in a mapping
	InvalidKey       Code = "InvalidKey"       // a key that is not text
)

// The document and the form of its parts.
const (
	MissingVersion     Code = "MissingVersion"     // no `rpcgen: v1`
	UnsupportedVersion Code = "UnsupportedVersion" // a language version this rpcgen does not know
	UnknownKey         Code = "UnknownKey"         // a key that means nothing there
	MisplacedKey       Code = "MisplacedKey"       // a key that means something elsewhere
	MissingKey         Code = "MissingKey"         // a key that must be there
	ConflictingKeys    Code = "ConflictingKeys"    // keys that exclude each other
	WrongKind          Code = "WrongKind"          // a list where a mapping belongs, and so on
	InvalidValue       Code = "InvalidValue"       // a value that its key does not take
)

// Names.
const (
	InvalidName     Code = "InvalidName"     // a name with characters that names do not have
	BuiltinName     Code = "BuiltinName"     // a type named like a built-in one
	ReservedName    Code = "ReservedName"    // a name, method or code listed under reserved
	InvalidGoName   Code = "InvalidGoName"   // go: that is not an exported Go identifier
	DuplicateField  Code = "DuplicateField"  // name and name? in one object
	DuplicateMethod Code = "DuplicateMethod" // one name under methods and notifications
	UnknownType     Code = "UnknownType"     // a type that is not declared
	UnknownAlias    Code = "UnknownAlias"    // alias.Type without an import of that alias
	UnknownError    Code = "UnknownError"    // an error that is not declared
	UnknownMethod   Code = "UnknownMethod"   // a notification that is not declared
	UnusedImport    Code = "UnusedImport"    // an import that nothing uses
	ImportCycle     Code = "ImportCycle"     // files that import each other
)

// Types.
const (
	InvalidExpression   Code = "InvalidExpression"   // a type expression that cannot be read
	UnsupportedKeyword  Code = "UnsupportedKeyword"  // JSON Schema that cannot become a Go type
	RemoteRef           Code = "RemoteRef"           // $ref out of the file
	FieldsAndProperties Code = "FieldsAndProperties" // both spellings in one object
	UnknownRequired     Code = "UnknownRequired"     // required names no property
	RecursiveType       Code = "RecursiveType"       // a type that contains itself by value
	ExtendsCycle        Code = "ExtendsCycle"        // bases that extend each other
	NotAnObject         Code = "NotAnObject"         // a base that is not an object
	MixinAsType         Code = "MixinAsType"         // a mixin used as a type
	InvalidTuple        Code = "InvalidTuple"        // an element that must be there, after one that may be missing
	FieldConflict       Code = "FieldConflict"       // a field that is not a narrowing of its base's
)

// Rules and values.
const (
	InvalidRule       Code = "InvalidRule"       // a limit that is not a number, or negative
	EmptyRange        Code = "EmptyRange"        // limits that no value meets
	RuleMismatch      Code = "RuleMismatch"      // a rule of another kind of type
	InvalidPattern    Code = "InvalidPattern"    // a pattern that is not RE2
	UnknownFormat     Code = "UnknownFormat"     // a format that has no check
	InvalidEnum       Code = "InvalidEnum"       // an empty enum, or mixed values
	DuplicateEnum     Code = "DuplicateEnum"     // a value twice
	InvalidRequire    Code = "InvalidRequire"    // a require that cannot be read or names no field
	InvalidConst      Code = "InvalidConst"      // a const that does not fit its type
	InvalidDefault    Code = "InvalidDefault"    // a default that does not fit its type
	InvalidExample    Code = "InvalidExample"    // an example that does not fit its type
	DefaultOnRequired Code = "DefaultOnRequired" // a default that is never used
	InvalidHeader     Code = "InvalidHeader"     // a header on a number or list, malformed, or twice
)

// Unions.
const (
	UndecidableUnion Code = "UndecidableUnion" // branches that cannot be told apart
	InvalidUnion     Code = "InvalidUnion"     // a branch without the discriminator, a tag that contradicts its branch
	AbsentNoTag      Code = "AbsentNoTag"      // absent names no tag
)

// Errors and methods.
const (
	CodeRange          Code = "CodeRange"          // an error code that is not an int32
	DuplicateCode      Code = "DuplicateCode"      // a code of two errors
	ReservedCode       Code = "ReservedCode"       // a code that belongs to JSON-RPC or to MCP
	UnknownPlaceholder Code = "UnknownPlaceholder" // {field} in a message that the data does not have
	UnknownCondition   Code = "UnknownCondition"   // when: that the runtime does not know
	DuplicateCondition Code = "DuplicateCondition" // one condition, two errors
	UnfillableData     Code = "UnfillableData"     // data that the runtime cannot fill for its condition
	NotificationResult Code = "NotificationResult" // a notification with a result
	InvalidParams      Code = "InvalidParams"      // params that JSON-RPC cannot carry
	InvalidTimeout     Code = "InvalidTimeout"     // not a duration such as 30s
	InvalidPath        Code = "InvalidPath"        // page or header that names no field
)

// MCP servers.
const (
	UnknownModule      Code = "UnknownModule"      // use: of a module that is not there
	MissingModule      Code = "MissingModule"      // a key of a module that the file does not use
	MissingServer      Code = "MissingServer"      // tools, resources or prompts without a server
	UnknownRevision    Code = "UnknownRevision"    // a revision that MCP does not have
	InvalidToolName    Code = "InvalidToolName"    // a tool that clients cannot name
	InvalidToolRoot    Code = "InvalidToolRoot"    // input or output that is not an object
	DuplicateError     Code = "DuplicateError"     // two errors, one name
	UnknownRequest     Code = "UnknownRequest"     // asks: for what no client answers
	InvalidForm        Code = "InvalidForm"        // a form with more than MCP's forms can ask for
	InvalidURI         Code = "InvalidURI"         // no absolute URI
	DuplicateURI       Code = "DuplicateURI"       // a URI of two resources
	InvalidTemplate    Code = "InvalidTemplate"    // a URI template that cannot be matched
	TemplateParams     Code = "TemplateParams"     // params that are not the variables of the template
	AmbiguousTemplates Code = "AmbiguousTemplates" // templates that one URI matches
	InvalidArgument    Code = "InvalidArgument"    // an argument of a prompt that is not text
)

// Backends.
const (
	ServerURL       Code = "ServerURL"       // a server that is not a plain https URL
	ServerField     Code = "ServerField"     // a part of the server that is not one of its variables
	UnknownBackend  Code = "UnknownBackend"  // a backend that is not declared
	UnknownScheme   Code = "UnknownScheme"   // a scheme that the backend does not have
	ForbiddenHeader Code = "ForbiddenHeader" // a header that schemes or the connection set
	PathField       Code = "PathField"       // a field of a path that may be absent
	SamePlace       Code = "SamePlace"       // two values in one place of a request
	NoBody          Code = "NoBody"          // a member of the body of a request without one
	NotInPlace      Code = "NotInPlace"      // a type that has no form in its place
	AnswerPath      Code = "AnswerPath"      // a path into a body that cannot be read
)

// Go names and overrides, found by later phases.
const (
	OverBudget        Code = "OverBudget"        // tools that take more tokens than the schema grants
	OutOfDate         Code = "OutOfDate"         // a file that a command would write anew
	ListedDiffers     Code = "ListedDiffers"     // an entry of server.listed that means something else than the schema
	GoNameClash       Code = "GoNameClash"       // two things, one Go name
	OverrideUnmatched Code = "OverrideUnmatched" // go.rename or lint.ignore that matches nothing
)
