package ir

// ScalarInfo is what every part of the compiler knows of a type that says all that it says in one word and its rules. Package judge knows its values by itself:
// it is the second opinion.
type ScalarInfo struct {
	Name  string // the built-in type of the language; empty if it is written otherwise
	Word  string // what the kind is called in schemas
	Kinds Kinds  // of its values in JSON

	Syntax bool   // its values have a syntax or a range of their own, which their JSON kinds do not tell
	Loses  bool   // decoders do not keep the text of its values
	Format string // of JSON Schema
	Fact   string // what a string of TypeScript does not say of its values

	Go   GoName // the type in Go
	Wire string // what its functions of runtime/gen/wire are called after Append; empty if there are none
	Read string // the method of the reader there
	Size int    // how many bytes an interface takes to hold a value, besides itself

	Script []string // the types in TypeScript
	Check  string   // the validator in TypeScript
	Big    string   // the validator of values that may be bigint as well; empty if none may

	make func(At) Type
}

// New returns a new type.
func (s *ScalarInfo) New(at At) Type { return s.make(at) }

// Scalars are the scalar types, in the order in which they are listed.
var Scalars = []*ScalarInfo{textInfo, boolInfo, integerInfo, int32Info, int64Info, uint32Info, uint64Info, floatInfo, decimalInfo, anyInfo, bytesInfo, timeInfo, idInfo}

// ScalarOf returns what is known of a type; nil if it lists values, has parts or is a name.
func ScalarOf(t Type) *ScalarInfo {
	if t == nil {
		return nil
	}
	s, _ := t.facts()
	return s
}

// The sizes in bytes of what an interface that holds a value points to.
const (
	WordSize  = 8
	TextSize  = 16
	SliceSize = 24
)

// RuntimePath is the import path of the package that generated Go has its types of.
const RuntimePath = "github.com/rpcgen-go/rpcgen/runtime"

func goName(name string) GoName { return GoName{Type: name} }

// Bool is true or false.
type Bool struct{ At }

func (*Bool) facts() (*ScalarInfo, *[]Rule) { return boolInfo, nil }

var boolInfo = &ScalarInfo{Name: "boolean", Word: "boolean", Kinds: KindSet(Boolean), Go: goName("bool"), Wire: "Bool", Read: "Bool",
	Script: []string{"boolean"}, Check: "boolean", make: func(at At) Type { return &Bool{at} }}

// Int is an integer: 1.0 and 1e2 are integers, a fraction or an overflow is a violation.
type Int struct {
	At
	Bits     int // 32 or 64
	Unsigned bool
	Rules    []Rule // Range, MultipleOf
}

func (t *Int) facts() (*ScalarInfo, *[]Rule) { return t.width(), &t.Rules }

func (t *Int) width() *ScalarInfo {
	switch {
	case t.Bits == 32 && t.Unsigned:
		return uint32Info
	case t.Bits == 32:
		return int32Info
	case t.Unsigned:
		return uint64Info
	}
	return int64Info
}

// The widths of integers. Those of 32 bits are appended as ones of 64.
var (
	integerInfo = intInfo(ScalarInfo{Name: "integer", Go: goName("int64"), Wire: "Int", Read: "Int64", Check: "integer", Big: "int64"}, 64, false)
	int32Info   = intInfo(ScalarInfo{Name: "int32", Go: goName("int32"), Read: "Int32", Check: "int32"}, 32, false)
	int64Info   = intInfo(ScalarInfo{Name: "int64", Go: goName("int64"), Wire: "Int", Read: "Int64", Check: "integer", Big: "int64"}, 64, false)
	uint32Info  = intInfo(ScalarInfo{Name: "uint32", Go: goName("uint32"), Read: "Uint32", Check: "uint32"}, 32, true)
	uint64Info  = intInfo(ScalarInfo{Name: "uint64", Go: goName("uint64"), Wire: "Uint", Read: "Uint64", Check: "natural", Big: "uint64"}, 64, true)
)

func intInfo(s ScalarInfo, bits int, unsigned bool) *ScalarInfo {
	s.Word, s.Kinds, s.Syntax, s.Size, s.Script = "integer", KindSet(Integer), true, WordSize, []string{"number"}
	s.make = func(at At) Type { return &Int{At: at, Bits: bits, Unsigned: unsigned} }
	return &s
}

// Float is a float64.
type Float struct {
	At
	Rules []Rule // Range, MultipleOf
}

func (t *Float) facts() (*ScalarInfo, *[]Rule) { return floatInfo, &t.Rules }

var floatInfo = &ScalarInfo{Name: "number", Word: "number", Kinds: KindSet(Integer, Number), Syntax: true, Go: goName("float64"), Wire: "Float", Read: "Float64",
	Size: WordSize, Script: []string{"number"}, Check: "number", make: func(at At) Type { return &Float{At: at} }}

// Decimal is a number whose text is kept: money, large ids.
type Decimal struct {
	At
	Rules []Rule // Range, MultipleOf
}

func (t *Decimal) facts() (*ScalarInfo, *[]Rule) { return decimalInfo, &t.Rules }

var decimalInfo = &ScalarInfo{Name: "decimal", Word: "decimal", Kinds: KindSet(Integer, Number), Go: GoName{Import: RuntimePath, Type: "Number"}, Wire: "Number",
	Read: "Number", Size: TextSize, Check: "decimal", make: func(at At) Type { return &Decimal{At: at} }}

// String is text.
type String struct {
	At
	Rules []Rule // Length, Pattern, Format
}

func (t *String) facts() (*ScalarInfo, *[]Rule) { return textInfo, &t.Rules }

var textInfo = &ScalarInfo{Name: "string", Word: "string", Kinds: KindSet(Text), Go: goName("string"), Wire: "String", Read: "String", Size: TextSize,
	Script: []string{"string"}, Check: "string", make: func(at At) Type { return &String{At: at} }}

// Bytes is base64 text (RFC 4648 section 4, padded) holding bytes.
type Bytes struct {
	At
	Rules []Rule // Length, counted in characters of the base64 text
}

func (t *Bytes) facts() (*ScalarInfo, *[]Rule) { return bytesInfo, &t.Rules }

var bytesInfo = &ScalarInfo{Name: "bytes", Word: "bytes", Kinds: KindSet(Text), Syntax: true, Fact: "Base64, with padding.", Go: goName("[]byte"), Wire: "Bytes",
	Read: "Bytes", Size: SliceSize, Script: []string{"string"}, Check: "bytes", make: func(at At) Type { return &Bytes{At: at} }}

// Time is an RFC 3339 date-time.
type Time struct{ At }

func (*Time) facts() (*ScalarInfo, *[]Rule) { return timeInfo, nil }

var timeInfo = &ScalarInfo{Name: "datetime", Word: "datetime", Kinds: KindSet(Text), Syntax: true, Loses: true, Format: "date-time",
	Fact: "A date-time of RFC 3339.", Go: GoName{Import: "time", Type: "Time"}, Wire: "Time", Read: "Time", Size: SliceSize, Script: []string{"string"}, Check: "datetime",
	make: func(at At) Type { return &Time{at} }}

// ID is `string | integer`: text or an integer without bounds, its text kept.
type ID struct{ At }

func (*ID) facts() (*ScalarInfo, *[]Rule) { return idInfo, nil }

var idInfo = &ScalarInfo{Word: "id", Kinds: KindSet(Text, Integer), Go: GoName{Import: RuntimePath, Type: "ID"}, Wire: "ID", Read: "ID", Size: TextSize,
	Script: []string{"string", "number"}, Check: "id", Big: "bigId", make: func(at At) Type { return &ID{at} }}

// Any is any JSON value.
type Any struct {
	At
	Rules []Rule // Conform
}

func (t *Any) facts() (*ScalarInfo, *[]Rule) { return anyInfo, &t.Rules }

var anyInfo = &ScalarInfo{Name: "any", Word: "any", Kinds: EveryKind, Go: GoName{Import: RuntimePath, Type: "Raw"}, Wire: "Raw", Read: "Raw", Size: TextSize,
	make: func(at At) Type { return &Any{At: at} }}
