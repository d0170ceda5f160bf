package conform

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// New returns the schema that a text is, or an error that says where it is not one that this package
// checks. A schema that a program does not contain, such as one that a peer has sent, has to be made
// by New: the other functions take a text as correct.
func New(source string) (*Schema, error) {
	if err := Verify(source); err != nil {
		return nil, err
	}
	return &Schema{Text: source}, nil
}

// Fault is the first place of a text at which it is not a schema that this package checks.
type Fault struct {
	Pointer string // RFC 6901
	Err     error
}

func (f *Fault) Error() string {
	return cmp.Or(f.Pointer, "the root") + ": " + f.Err.Error()
}

// Verify returns what keeps a text from being a schema that this package checks, which is a [Fault] if the text is JSON. It takes the
// keywords refused for faults too: New takes them for annotations.
func Verify(source string, refused ...string) error {
	if err := wire.Check([]byte(source), wire.MaxDepth); err != nil {
		return err
	}
	v := &verifier{document: new(document), refused: refused, defined: map[string]int{"#": 0}, inPlace: map[int][]int{}}
	if !v.parse(source) {
		return errors.New("the schema is too large")
	}
	if v.tokens[0].kind() == object {
		v.children(0, func(_, name, value int) {
			if v.text(name) == "$defs" && v.tokens[value].kind() == object {
				v.children(value, func(_, name, value int) { v.defined["#/$defs/"+v.text(name)] = value })
			}
		})
	}
	v.schema(0, "")
	if v.fault == nil {
		v.cycles()
	}
	if v.fault == nil {
		return nil // not a nil *Fault
	}
	return v.fault
}

// verifier finds the first place of a document at which it is not a schema that can be compiled.
type verifier struct {
	*document
	blank   node // whose fields say what keywords hold
	refused []string
	defined map[string]int // the tokens of the schemas that references may lead to
	inPlace map[int][]int  // by token of a schema: the schemas that apply to the same value
	fault   *Fault
}

func (v *verifier) fail(at, format string, args ...any) {
	if v.fault == nil {
		v.fault = &Fault{at, fmt.Errorf(format, args...)}
	}
}

// is asks the value of a keyword to have one of the kinds.
func (v *verifier) is(value int, kinds kind, at, what string) bool {
	if v.tokens[value].kind()&kinds == 0 {
		v.fail(at, "expected %s", what)
		return false
	}
	return true
}

// schema verifies a schema.
func (v *verifier) schema(token int, at string) {
	if !v.is(token, object|boolean, at, "a schema, which is an object or a boolean") || v.tokens[token].kind() == boolean {
		return
	}
	v.children(token, func(_, name, value int) {
		word := v.text(name)
		v.keyword(token, word, value, at+"/"+violation.EscapePointer(word))
	})
}

// keyword verifies one keyword of the schema owner.
func (v *verifier) keyword(owner int, word string, value int, at string) {
	const help = "%s is not supported: use $ref with # or #/$defs/NAME, and dependentRequired or dependentSchemas"
	if slices.Contains(v.refused, word) || slices.Contains([]string{"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "dependencies"}, word) {
		v.fail(at, help, word)
	}
	switch field := v.blank.field(word); field.(type) {
	case nil:
		if word == "$defs" {
			v.members(value, at, func(_ string, value int, at string) { v.schema(value, at) })
		}
	case *kind:
		v.types(value, at)
	case *map[uint64]bool:
		if word == "enum" {
			v.is(value, array, at, "an array")
		}
	case *[]limit, *int:
		numbers := field == any(&v.blank.numbers)
		if numbers && v.is(value, number|integer, at, "a number") && word == "multipleOf" && !positive(v.raw(value)) {
			v.fail(at, "expected a number greater than 0")
		}
		if !numbers && v.is(value, integer, at, "an integer") && strings.HasPrefix(v.raw(value), "-") {
			v.fail(at, "expected an integer of at least 0")
		}
	case *bool:
		v.is(value, boolean, at, "a boolean")
	case **regexp.Regexp:
		if v.is(value, text, at, "a regular expression") {
			v.pattern(v.text(value), at)
		}
	case *[]string:
		v.names(value, at)
	default:
		v.applicator(owner, word, field, value, at)
	}
}

// applicator verifies a keyword that holds schemas, or names by names.
func (v *verifier) applicator(owner int, word string, field any, value int, at string) {
	inPlace := slices.Contains([]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}, word)
	part := func(value int, at string) {
		if inPlace {
			v.inPlace[owner] = append(v.inPlace[owner], value)
		}
		v.schema(value, at)
	}
	switch field.(type) {
	case *[]dependency, *[]patternSchema, *map[string]*node:
		v.members(value, at, func(name string, value int, at string) {
			if word == "patternProperties" {
				v.pattern(name, at)
			}
			if word == "dependentRequired" {
				v.names(value, at)
			} else {
				part(value, at)
			}
		})
	case *[]*node:
		if v.is(value, array, at, "an array of schemas") {
			v.children(value, func(i, _, value int) { part(value, fmt.Sprint(at, "/", i)) })
		}
	case **node:
		if word == "$ref" {
			v.reference(owner, value, at)
		} else {
			part(value, at)
		}
	}
}

// types verifies the value of the keyword type.
func (v *verifier) types(value int, at string) {
	if !v.is(value, text|array, at, "the name of a type, or an array of them") {
		return
	}
	named := func(value int, at string) {
		if v.tokens[value].kind() != text || kindNames[v.text(value)] == 0 {
			v.fail(at, "expected null, boolean, integer, number, string, array or object")
		}
	}
	if v.tokens[value].kind() == text {
		named(value, at)
		return
	}
	v.children(value, func(i, _, value int) { named(value, fmt.Sprint(at, "/", i)) })
}

// names verifies an array of names.
func (v *verifier) names(value int, at string) {
	if v.is(value, array, at, "an array of names") {
		v.children(value, func(i, _, value int) { v.is(value, text, fmt.Sprint(at, "/", i), "a name") })
	}
}

// members calls visit for each member of an object.
func (v *verifier) members(value int, at string, visit func(name string, value int, at string)) {
	if v.is(value, object, at, "an object") {
		v.children(value, func(_, name, value int) { visit(v.text(name), value, at+"/"+violation.EscapePointer(v.text(name))) })
	}
}

func (v *verifier) pattern(source, at string) {
	if _, err := regexp.Compile(source); err != nil {
		v.fail(at, "expected a regular expression (RE2): %w", err)
	}
}

func (v *verifier) reference(owner, value int, at string) {
	if !v.is(value, text, at, "a reference") {
		return
	}
	to, known := v.defined[v.text(value)]
	if !known {
		v.fail(at, "expected # or #/$defs/NAME of this schema, got %q", v.text(value))
		return
	}
	v.inPlace[owner] = append(v.inPlace[owner], to)
}

// cycles refuses references that lead back to the same value: they say nothing and never end.
func (v *verifier) cycles() {
	const entered, left = 1, 2
	state := map[int]int{}
	var visit func(token int)
	visit = func(token int) {
		if state[token] != 0 {
			if state[token] == entered {
				v.fail("", "a $ref leads back to its own schema without a property or an element in between")
			}
			return
		}
		state[token] = entered
		for _, to := range v.inPlace[token] {
			visit(to)
		}
		state[token] = left
	}
	for _, token := range slices.Sorted(maps.Keys(v.inPlace)) {
		visit(token)
	}
}

// positive reports whether a JSON number is greater than 0.
func positive(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	return !strings.HasPrefix(number, "-") && strings.ContainsAny(mantissa, "123456789")
}
