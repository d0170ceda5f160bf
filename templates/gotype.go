package templates

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// module is this module's own path: generated code imports the runtime from the module that generated it, so a fork is one rename.
var module = strings.TrimSuffix(reflect.TypeFor[names]().PkgPath(), "/templates")

var (
	runtimePath   = ir.RuntimePath
	genPath       = runtimePath + "/gen"
	youngPath     = runtimePath + "/x"
	whenPath      = runtimePath + "/when"
	ratelimitPath = youngPath + "/ratelimit"
	cachePath     = youngPath + "/cache"
	backendPath   = youngPath + "/backend"
	scopePath     = genPath + "/scope"
	wirePath      = genPath + "/wire"
	rulePath      = genPath + "/rule"
	patternPath   = genPath + "/pattern"
	conformPath   = genPath + "/conform"
	dynamicPath   = genPath + "/dynamic"
	mcpPath       = runtimePath + "/mcp"
	mcpgenPath    = genPath + "/mcpgen"
	profilePath   = genPath + "/profile"
	mcpviewPath   = genPath + "/mcpview"
	mcpclientPath = mcpPath + "/mcpclient"
	mcptaskPath   = youngPath + "/mcptask"
	uriPath       = genPath + "/uri"
	compactPath   = genPath + "/compact"
	distinctPath  = genPath + "/distinct"
	exactPath     = genPath + "/exact"
	formatPath    = genPath + "/format"
	optionalPath  = genPath + "/optional"
	positionPath  = genPath + "/position"
	inflightPath  = genPath + "/inflight"
	streamPath    = genPath + "/stream"
	unionPath     = genPath + "/union"
)

// apart holds the packages of what only some schemas need, which programs of others do not link, with the names that they have of each package that all use.
var apart = map[string]map[string]string{
	genPath: homes(map[string]string{
		compactPath:  "Decode Reply Invoke WalkString WalkBool WalkInt64 WalkInt32 WalkFloat64",
		optionalPath: "ReadNullable AppendNullable ReadBoxed AppendBoxed SomeNonZero MessageOpt MessagePointer",
		positionPath: "ByPosition ByName",
		inflightPath: "CancelBy Reporting Reports WithReports Expect",
	}),
	wirePath: homes(map[string]string{
		compactPath: "Walker WalkAppend WalkDecode WalkRules WalkList WalkPointer Optional Required StepRead StepWrite StepCheck StepReset",
		exactPath:   "Unique",
		unionPath:   "NoUnion AppendTagged AppendTags MarshalTagged",
	}),
	rulePath: homes(map[string]string{
		distinctPath: "Unique",
		exactPath:    "MultipleOfFloat MultipleOfText DecimalMultipleOf DecimalMin DecimalMax",
		formatPath:   strings.Join(ir.Each(ir.Formats, func(f ir.FormatInfo) string { return f.Check }), " "),
	}),
}

// homes returns the package of each name.
func homes(names map[string]string) map[string]string {
	all := map[string]string{}
	for path, names := range names {
		for name := range strings.FieldsSeq(names) {
			all[name] = path
		}
	}
	return all
}

// ofRuntime is a name of a package for generated code, or of the package apart that holds it.
func ofRuntime(path, name string) *jen.Statement {
	if home, ok := apart[path][name]; ok {
		path = home
	}
	return jen.Qual(path, name)
}

// invoke is a call of a method of a variable.
func invoke(variable, method string, args ...jen.Code) *jen.Statement {
	return jen.Id(variable).Dot(method).Call(args...)
}

// selector is a member of a variable. That it is not inlined, as setField, saves some hundred bytes of the compiler for each use.
//
//go:noinline
func selector(variable, member string) *jen.Statement { return jen.Id(variable).Dot(member) }

// setField sets a field of a literal.
//
//go:noinline
func setField(d jen.Dict, name string, value jen.Code) { d[jen.Id(name)] = value }

func rt(name string) *jen.Statement        { return jen.Qual(runtimePath, name) }
func gen(name string) *jen.Statement       { return ofRuntime(genPath, name) }
func stream(name string) *jen.Statement    { return jen.Qual(streamPath, name) }
func cache(name string) *jen.Statement     { return jen.Qual(cachePath, name) }
func ratelimit(name string) *jen.Statement { return jen.Qual(ratelimitPath, name) }
func scope(name string) *jen.Statement     { return jen.Qual(scopePath, name) }
func wire(name string) *jen.Statement      { return ofRuntime(wirePath, name) }
func rule(name string) *jen.Statement      { return ofRuntime(rulePath, name) }
func mcp(name string) *jen.Statement       { return jen.Qual(mcpPath, name) }
func mcpgen(name string) *jen.Statement    { return jen.Qual(mcpgenPath, name) }
func mcpclient(name string) *jen.Statement { return jen.Qual(mcpclientPath, name) }
func uri(name string) *jen.Statement       { return jen.Qual(uriPath, name) }
func dynamic(name string) *jen.Statement   { return jen.Qual(dynamicPath, name) }

// kind is what a named type is in Go.
type kind uint8

const (
	kindStruct  kind = iota // struct with a field a member
	kindTuple               // struct with a field an element
	kindEnum                // string or int64 with constants
	kindScalar              // string, bool or number
	kindList                // slice
	kindMap                 // map
	kindUnion               // sealed interface
	kindWrapper             // struct{ Value T }: a branch whose type can have no methods of its own
	kindAlias               // another name
)

// kindOf is what a declaration of type t becomes. The runtime's own types keep their methods as aliases.
func kindOf(t ir.Type) kind {
	switch t.(type) {
	case *ir.Struct:
		return kindStruct
	case *ir.Tuple:
		return kindTuple
	case *ir.Enum:
		return kindEnum
	case *ir.List:
		return kindList
	case *ir.Map:
		return kindMap
	}
	switch s := ir.ScalarOf(t); {
	case len(ir.Branches(t)) > 0 && !ir.IsContextual(t):
		return kindUnion
	case s != nil && s.Go.Import == "":
		return kindScalar
	}
	return kindAlias
}

// isAlias reports whether a declaration of type t becomes an alias.
func isAlias(t ir.Type) bool { return kindOf(t) == kindAlias }

// declares reports whether t becomes a Go type of its own, wherever it is written.
func declares(t ir.Type) bool {
	switch kindOf(t) {
	case kindStruct, kindTuple, kindEnum, kindUnion:
		return true
	}
	return false
}

func (t *namedType) kind() kind {
	k := kindOf(t.typ)
	if k == kindAlias && (t.decl == nil || isChecked(t.typ)) {
		return kindWrapper
	}
	return k
}

// target is the named type that a type is, also under other names; nil if there is none.
func (n *names) target(t ir.Type) *namedType {
	own := n.of(t)
	for own != nil && own.kind() == kindAlias {
		own = n.of(own.typ)
	}
	return own
}

// isScalar reports whether values of a type are of a named text, number or boolean.
func (n *names) isScalar(t ir.Type) bool {
	own := n.target(t)
	return own != nil && own.kind() == kindScalar
}

// isChecked reports whether t is kept as JSON text and has rules: a declaration of it has methods, which check them.
func isChecked(t ir.Type) bool {
	_, ok := t.(*ir.Any)
	return (ok || ir.IsContextual(t)) && len(ir.RulesOf(t)) > 0
}

// byPointer reports whether the codec's methods take a pointer: structs do, slices and maps are small.
func (t *namedType) byPointer() bool {
	k := t.kind()
	return k == kindStruct || k == kindTuple || k == kindWrapper
}

// heldAs is how a branch of the type called name lies in its union: what is written by a pointer is held by one.
func heldAs(name string, byPointer bool) *jen.Statement {
	if byPointer {
		return jen.Op("*").Id(name)
	}
	return jen.Id(name)
}

// ownMethods reports whether values of t have the methods of the codec.
func (n *names) ownMethods(t ir.Type) bool {
	own := n.of(t)
	return own != nil && !ir.IsBound(t) && (own.byPointer() || own.kind() == kindList || own.kind() == kindMap)
}

// ident is the name of t, qualified when it is imported.
func (t *namedType) ident() *jen.Statement { return t.sibling(t.name) }

// sibling is an identifier of the package that t is in.
func (t *namedType) sibling(name string) *jen.Statement {
	if t.pkg == "" {
		return jen.Id(name)
	}
	return jen.Qual(t.pkg, name)
}

// goType is how a value of t is held.
func (n *names) goType(t ir.Type) *jen.Statement {
	if b, ok := ir.BoundType(t); ok {
		return jen.Qual(b.Import, b.Type)
	}
	if own := n.of(t); own != nil && !(n.spelled && own.turns()) {
		return own.ident()
	} else if own != nil {
		t = own.typ
	}
	if s := ir.ScalarOf(t); s != nil {
		return jen.Qual(s.Go.Import, s.Go.Type)
	}
	switch t := t.(type) {
	case *ir.Literal:
		return jen.Struct()
	case *ir.List:
		return jen.Index().Add(n.goType(t.Elem))
	case *ir.Map:
		return jen.Map(jen.String()).Add(n.goType(t.Elem))
	case *ir.Nullable:
		return rt("Nullable").Index(n.elemType(t))
	}
	return rt("Raw") // unions that no decoder can decide
}

// elemType is how what may be null is held when it is not.
func (n *names) elemType(t *ir.Nullable) *jen.Statement {
	if t.Boxed {
		return jen.Op("*").Add(n.argument().goType(t.Elem))
	}
	return n.argument().goType(t.Elem)
}

// argument returns n as it writes the arguments of generic types: the compiler takes no alias there that it is about to find out about.
func (n *names) argument() *names {
	inner := *n
	inner.spelled = true
	return &inner
}

// turns reports whether t is an alias that what it stands for refers to.
func (t *namedType) turns() bool {
	if _, nullable := t.typ.(*ir.Nullable); !nullable || t.decl == nil {
		return false
	}
	if t.reached == nil {
		t.reached = map[*ir.Decl]bool{}
		ir.Reach(t.typ, t.reached)
	}
	return t.reached[t.decl]
}

func intType(t *ir.Int) string { return ir.ScalarOf(t).Go.Type }

// fieldType is how the field f is held in its struct; nil when it is not.
func (n *names) fieldType(f *ir.Field) *jen.Statement {
	t := n.valueType(f)
	switch formOf(f) {
	case formConst:
		return nil
	case formOptConst:
		return jen.Bool()
	case formPointer:
		return jen.Op("*").Add(t)
	case formOpt:
		return rt("Opt").Index(n.argument().valueType(f))
	}
	return t
}

// valueType is the type of the value of f when it is there.
func (n *names) valueType(f *ir.Field) *jen.Statement {
	if f.Go.Bound() {
		return jen.Qual(f.Go.Import, f.Go.Type)
	}
	return n.goType(f.Type)
}

// enumBase is the Go type under an enum.
func enumBase(e *ir.Enum) string {
	if e.Values[0].Value.Kind == ir.Text {
		return "string"
	}
	return "int64"
}

// enumNames are the values of an enumeration.
func enumNames(e *ir.Enum) []string {
	return ir.Each(e.Values, func(v ir.EnumValue) string { return v.Value.Text })
}

// heldByNil reports whether a value of t is nil when it is the zero value of its Go type, and never otherwise.
func heldByNil(t ir.Type) bool {
	t = ir.Underlying(t)
	k := kindOf(t)
	return k == kindList || k == kindMap || k == kindUnion || ir.IsContextual(t) && !isChecked(t)
}

// zeroMeansDefault reports whether the zero value of a defaulted field breaks the field's own schema, so that a sender who sets
// nothing asks for the default. Other zero values, such as false, are sent as they are.
func zeroMeansDefault(t ir.Type) bool {
	if heldByNil(t) {
		return true
	}
	switch s := ir.Underlying(t).(type) {
	case *ir.Enum:
		for i := range s.Values {
			if text := s.Values[i].Value.Text; text == "" || text == "0" && s.Values[i].Value.Kind != ir.Text {
				return false
			}
		}
		return !s.Open
	case *ir.String:
		return refusesEmpty(ir.AllRules(t))
	case *ir.Int, *ir.Float, *ir.Decimal:
		return refusesZero(ir.AllRules(t))
	case *ir.ID: // its zero value means that there is none
		return true
	}
	return false
}

func refusesEmpty(rules []ir.Rule) bool {
	return slices.ContainsFunc(rules, func(r ir.Rule) bool {
		switch r := r.(type) {
		case *ir.Format:
			return !ir.FormatNamed(r.Name).Empty
		case *ir.Pattern:
			return !regexp.MustCompile(r.Expr).MatchString("")
		case *ir.Length:
			return r.Min > 0
		}
		return false
	})
}

func refusesZero(rules []ir.Rule) bool {
	return slices.ContainsFunc(rules, func(r ir.Rule) bool {
		limit, ok := r.(*ir.Range)
		return ok && (above(limit.Min, limit.ExclusiveMin) || below(limit.Max, limit.ExclusiveMax))
	})
}

// above reports whether a lower bound lies above zero.
func above(min string, exclusive bool) bool {
	return min != "" && min[0] != '-' && (exclusive || strings.ContainsAny(mantissa(min), "123456789"))
}

// below reports whether an upper bound lies below zero.
func below(max string, exclusive bool) bool {
	if max == "" {
		return false
	}
	zero := !strings.ContainsAny(mantissa(max), "123456789")
	return zero && exclusive || !zero && max[0] == '-'
}

func mantissa(number string) string {
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		return number[:at]
	}
	return number
}

// form is how a field is held in its struct.
type form uint8

const (
	formPlain    form = iota // T: always there
	formDefault              // T: filled in when absent
	formNil                  // T whose nil is absent: slice, map, interface
	formPointer              // *T: nil is absent
	formOpt                  // runtime.Opt[T]
	formConst                // nothing: the codec writes and checks it
	formOptConst             // bool: whether the constant is there
)

func formOf(f *ir.Field) form {
	_, isBound := ir.BoundType(f.Type)
	isBound = isBound || f.Go.Bound()
	if _, ok := ir.Underlying(f.Type).(*ir.Literal); ok && !isBound {
		if f.Optional && f.Default == nil {
			return formOptConst
		}
		return formConst
	}
	switch {
	case !f.Optional:
		return formPlain
	case f.Default != nil:
		return formDefault
	case isBound:
		return formPointer
	}
	t := ir.Underlying(f.Type)
	switch kindOf(t) {
	case kindList, kindMap, kindUnion:
		return formNil
	case kindStruct, kindTuple:
		return formPointer
	}
	if _, bytes := t.(*ir.Bytes); bytes {
		return formNil
	}
	return formOpt
}

// mayMiss reports whether an element of t may be missing before another one, which is a fault.
func mayMiss(t ir.Type) bool {
	tuple, ok := t.(*ir.Tuple)
	if !ok {
		return false
	}
	missing := len(tuple.Items) - leastItems(tuple)
	return missing > 1 || missing > 0 && tuple.Rest != nil
}

// duration is d as a Go expression.
func duration(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond}, {"Microsecond", time.Microsecond}} {
		if d%unit.size == 0 {
			return jen.Id(fmt.Sprint(int64(d/unit.size))).Op("*").Qual("time", unit.name)
		}
	}
	return jen.Qual("time", "Duration").Call(jen.Lit(int64(d)))
}

// token returns the field with which a client asks for the progress of m, or nil. Its type is runtime.Opt[runtime.ID].
func (n *names) token(m *method) *ir.Field {
	if m.Notification || m.Params == nil || n.progress() == nil || ir.IsBound(m.Params) {
		return nil
	}
	s, ok := ir.Underlying(m.Params).(*ir.Struct)
	if !ok {
		return nil
	}
	for _, f := range s.Fields {
		if f.Name != n.doc.Protocol.Progress.Param {
			continue
		}
		if _, ok := ir.Underlying(f.Type).(*ir.ID); ok && formOf(f) == formOpt && !f.Go.Bound() {
			return f
		}
	}
	return nil
}

// askParam is what the message of a question takes its fields from; nil if it takes none.
func (n *names) askParam(t *tool, a *question) (name string, held jen.Code) {
	used := false
	for _, part := range a.Message {
		used = used || part.Field != nil
	}
	switch {
	case a.Params != nil:
		return "params", n.goType(a.Params)
	case used:
		return "in", n.goType(t.Input)
	}
	return "", nil
}

// speaksForItself reports whether a value of t, or nothing at all, knows how to write, read and check itself.
func (n *names) speaksForItself(t ir.Type) bool {
	if t == nil {
		return true
	}
	own := n.of(t)
	return own != nil && own.byPointer() && !ir.IsBound(t)
}

// leastItems is how many elements of a tuple are always there.
func leastItems(t *ir.Tuple) int {
	if at := slices.IndexFunc(t.Items, func(f *ir.Field) bool { return f.Optional }); at >= 0 {
		return at
	}
	return len(t.Items)
}

// hasDefaults reports whether a struct has fields that are filled in.
func hasDefaults(s *ir.Struct) bool {
	return slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return formOf(f) == formDefault })
}
