package diff

// Kind says what happened to what.
type Kind string

// The kinds. Those that end in -added and -removed come in pairs.
const (
	ProtocolChanged   Kind = "protocol-changed"
	PackageRenamed    Kind = "package-renamed"
	ImportAdded       Kind = "import-added"
	ImportRemoved     Kind = "import-removed"
	MethodAdded       Kind = "method-added"
	MethodRemoved     Kind = "method-removed"
	MethodRenamed     Kind = "method-renamed"
	MethodDirection   Kind = "method-direction"
	MethodKind        Kind = "method-kind" // a request became a notification, or the other way round
	MethodSetting     Kind = "method-setting"
	MethodError       Kind = "method-error" // an error that a method may return
	ParamsPresence    Kind = "params-presence"
	ParamsOrder       Kind = "params-order"
	ServerAdded       Kind = "server-added"
	ServerRemoved     Kind = "server-removed"
	ServerSetting     Kind = "server-setting"
	ToolAdded         Kind = "tool-added"
	ToolRemoved       Kind = "tool-removed"
	ToolRenamed       Kind = "tool-renamed"
	ToolSetting       Kind = "tool-setting"
	AskAdded          Kind = "ask-added" // something that a tool may need of the client
	AskRemoved        Kind = "ask-removed"
	AskChanged        Kind = "ask-changed"
	ResourceAdded     Kind = "resource-added"
	ResourceRemoved   Kind = "resource-removed"
	ResourceRenamed   Kind = "resource-renamed"
	ResourceSetting   Kind = "resource-setting"
	PromptAdded       Kind = "prompt-added"
	PromptRemoved     Kind = "prompt-removed"
	PromptRenamed     Kind = "prompt-renamed"
	PromptSetting     Kind = "prompt-setting"
	ListOrder         Kind = "list-order"
	ErrorAdded        Kind = "error-added"
	ErrorRemoved      Kind = "error-removed"
	ErrorRenamed      Kind = "error-renamed"
	ErrorCode         Kind = "error-code"
	ErrorSetting      Kind = "error-setting"
	TypeAdded         Kind = "type-added"
	TypeRemoved       Kind = "type-removed"
	TypeRenamed       Kind = "type-renamed"
	TypeChanged       Kind = "type-changed"
	FieldAdded        Kind = "field-added"
	FieldRemoved      Kind = "field-removed"
	FieldRenamed      Kind = "field-renamed"
	FieldPresence     Kind = "field-presence"
	FieldDefault      Kind = "field-default"
	FieldSetting      Kind = "field-setting"
	NullChanged       Kind = "null-changed"
	AdditionalChanged Kind = "additional-changed"
	RuleChanged       Kind = "rule-changed"
	ValueAdded        Kind = "value-added"
	ValueRemoved      Kind = "value-removed"
	OpenChanged       Kind = "open-changed"
	BranchAdded       Kind = "branch-added"
	BranchRemoved     Kind = "branch-removed"
	DecisionChanged   Kind = "decision-changed"
	DataChanged       Kind = "data-changed" // an error has data now, or no more
	Deprecation       Kind = "deprecation"
	DocsChanged       Kind = "docs-changed"
	ExtensionChanged  Kind = "extension-changed"
	NameInGo          Kind = "go-name"
	OwnJSON           Kind = "own-json"      // what json.Marshal writes of a branch by itself
	CodecChanged      Kind = "codec-changed" // of a document
	ReservedChanged   Kind = "reserved-changed"
)
