package templates

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// module is this module's own path: generated code imports the runtime from the module that generated it, so a fork is one
// rename.
var module = strings.TrimSuffix(reflect.TypeFor[plan]().PkgPath(), "/templates")

var (
	runtimePath   = module + "/runtime"
	genPath       = runtimePath + "/gen"
	youngPath     = runtimePath + "/x"
	whenPath      = runtimePath + "/when"
	ratelimitPath = youngPath + "/ratelimit"
	cachePath     = youngPath + "/cache"
	wirePath      = genPath + "/wire"
	rulePath      = genPath + "/rule"
	patternPath   = genPath + "/pattern"
	conformPath   = genPath + "/conform"
	dynamicPath   = genPath + "/dynamic"
	mcpPath       = runtimePath + "/mcp"
	mcpgenPath    = genPath + "/mcpgen"
	mcpclientPath = mcpPath + "/mcpclient"
	mcptaskPath   = youngPath + "/mcptask"
	uriPath       = genPath + "/uri"
)

func rt(name string) *jen.Statement        { return jen.Qual(runtimePath, name) }
func gen(name string) *jen.Statement       { return jen.Qual(genPath, name) }
func when(name string) *jen.Statement      { return jen.Qual(whenPath, name) }
func cache(name string) *jen.Statement     { return jen.Qual(cachePath, name) }
func ratelimit(name string) *jen.Statement { return jen.Qual(ratelimitPath, name) }
func wire(name string) *jen.Statement      { return jen.Qual(wirePath, name) }
func rule(name string) *jen.Statement      { return jen.Qual(rulePath, name) }
func mcp(name string) *jen.Statement       { return jen.Qual(mcpPath, name) }
func mcpgen(name string) *jen.Statement    { return jen.Qual(mcpgenPath, name) }
func mcpclient(name string) *jen.Statement { return jen.Qual(mcpclientPath, name) }
func mcptask(name string) *jen.Statement   { return jen.Qual(mcptaskPath, name) }
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
	case *ir.Bool, *ir.Int, *ir.Float, *ir.String, *ir.Bytes:
		return kindScalar
	case *ir.Union:
		if !contextual(t) {
			return kindUnion
		}
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

func (t *named) kind() kind {
	k := kindOf(t.typ)
	if k == kindAlias && (t.decl == nil || isChecked(t.typ)) {
		return kindWrapper
	}
	return k
}

// isChecked reports whether t is any with rules: a declaration of it has methods, which check them.
func isChecked(t ir.Type) bool {
	kept, ok := t.(*ir.Any)
	return ok && len(kept.Rules) > 0
}

// byPointer reports whether the codec's methods take a pointer: structs do, slices and maps are small.
func (t *named) byPointer() bool {
	k := t.kind()
	return k == kindStruct || k == kindTuple || k == kindWrapper
}

// ident is the name of t, qualified when it is imported.
func (t *named) ident() *jen.Statement { return t.sibling(t.name) }

// sibling is an identifier of the package that t is in.
func (t *named) sibling(name string) *jen.Statement {
	if t.pkg == "" {
		return jen.Id(name)
	}
	return jen.Qual(t.pkg, name)
}

// goType is how a value of t is held.
func (p *plan) goType(t ir.Type) *jen.Statement {
	if b, ok := bound(t); ok {
		return jen.Qual(b.Import, b.Type)
	}
	if n := p.of(t); n != nil {
		return n.ident()
	}
	switch t := t.(type) {
	case *ir.Bool:
		return jen.Bool()
	case *ir.Int:
		return jen.Id(intType(t))
	case *ir.Float:
		return jen.Float64()
	case *ir.String:
		return jen.String()
	case *ir.Bytes:
		return jen.Index().Byte()
	case *ir.Time:
		return jen.Qual("time", "Time")
	case *ir.Decimal:
		return rt("Number")
	case *ir.ID:
		return rt("ID")
	case *ir.Literal:
		return jen.Struct()
	case *ir.List:
		return jen.Index().Add(p.goType(t.Elem))
	case *ir.Map:
		return jen.Map(jen.String()).Add(p.goType(t.Elem))
	case *ir.Nullable:
		return rt("Nullable").Index(p.elemType(t))
	}
	return rt("Raw") // Any, and unions that no decoder can decide
}

// elemType is how what may be null is held when it is not.
func (p *plan) elemType(t *ir.Nullable) *jen.Statement {
	if t.Boxed {
		return jen.Op("*").Add(p.goType(t.Elem))
	}
	return p.goType(t.Elem)
}

// asString is x, a value of t, as a Go string without conversion to JSON; nil if it is not held as one.
func (p *plan) asString(t ir.Type, x string) jen.Code {
	switch s := ir.Underlying(t).(type) {
	case *ir.String:
		if p.of(t) == nil && !isBound(t) {
			return jen.Id(x)
		}
		return jen.String().Call(jen.Id(x))
	case *ir.Decimal:
		return jen.String().Call(jen.Id(x))
	case *ir.Enum:
		if enumBase(s) == "string" {
			return jen.String().Call(jen.Id(x))
		}
	}
	return nil
}

// fromInt is x, a Go int, as a value of the number type t.
func (p *plan) fromInt(t ir.Type, x jen.Code) jen.Code {
	if _, ok := ir.Underlying(t).(*ir.Decimal); ok {
		return rt("Number").Call(jen.Qual("strconv", "Itoa").Call(x))
	}
	return p.goType(t).Call(x)
}

// literal is a value of t as a Go expression.
func (p *valueWriter) literal(t ir.Type, v ir.Value) *jen.Statement {
	switch s := ir.Underlying(t).(type) {
	case *ir.Enum:
		for i := range s.Values {
			if known := &s.Values[i]; known.Value.Text == v.Text && p.of(t) != nil {
				return p.of(t).sibling(p.values[known])
			}
		}
		return p.goType(t).Call(scalar(v))
	case *ir.Bool, *ir.Int, *ir.Float, *ir.String:
		return scalar(v)
	case *ir.Decimal:
		return jen.Lit(v.Text)
	case *ir.ID:
		if v.Kind == ir.Text {
			return wire("StringID").Call(jen.Lit(v.Text))
		}
		if _, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return wire("IntID").Call(scalar(v))
		}
	case *ir.List:
		if v.Kind == ir.Array {
			items := make([]jen.Code, len(v.Items))
			for i := range v.Items {
				items[i] = p.literal(s.Elem, v.Items[i])
			}
			return p.goType(t).Values(items...)
		}
	case *ir.Map:
		if v.Kind == ir.Object && len(v.Fields) == 0 {
			return p.goType(t).Values()
		}
	case *ir.Nullable:
		if v.Kind == ir.Null {
			return rt("Null").Index(p.elemType(s)).Call()
		}
		if s.Boxed {
			break
		}
		return rt("NotNull").Index(p.goType(s.Elem)).Call(p.literal(s.Elem, v))
	}
	return p.decoded(t, v)
}

// decoded is a value that is best written as JSON: it is decoded where it is needed.
func (p *valueWriter) decoded(t ir.Type, v ir.Value) *jen.Statement {
	return wire("MustDecode").Call(jen.Lit(jsonText(v)), p.readFunc(t))
}

func intType(t *ir.Int) string {
	switch {
	case t.Bits == 32 && t.Unsigned:
		return "uint32"
	case t.Bits == 32:
		return "int32"
	case t.Unsigned:
		return "uint64"
	}
	return "int64"
}

// fieldType is how the field f is held in its struct; nil when it is not.
func (p *plan) fieldType(f *ir.Field) *jen.Statement {
	t := p.valueType(f)
	switch formOf(f) {
	case formConst:
		return nil
	case formOptConst:
		return jen.Bool()
	case formPointer:
		return jen.Op("*").Add(t)
	case formOpt:
		return rt("Opt").Index(t)
	}
	return t
}

// valueType is the type of the value of f when it is there.
func (p *plan) valueType(f *ir.Field) *jen.Statement {
	if f.Go.Bound() {
		return jen.Qual(f.Go.Import, f.Go.Type)
	}
	return p.goType(f.Type)
}

// enumBase is the Go type under an enum.
func enumBase(e *ir.Enum) string {
	if e.Values[0].Value.Kind == ir.Text {
		return "string"
	}
	return "int64"
}

// zeroMeansDefault reports whether the zero value of a defaulted field breaks the field's own schema, so that a sender who sets
// nothing asks for the default. Other zero values, such as false, are sent as they are.
func zeroMeansDefault(t ir.Type) bool {
	switch s := ir.Underlying(t).(type) {
	case *ir.List, *ir.Map, *ir.Union:
		return true
	case *ir.Enum:
		for i := range s.Values {
			if text := s.Values[i].Value.Text; text == "" || text == "0" && s.Values[i].Value.Kind != ir.Text {
				return false
			}
		}
		return !s.Open
	case *ir.String:
		return refusesEmpty(ir.AllRules(t))
	case *ir.Int:
		return refusesZero(ir.AllRules(t))
	case *ir.Float:
		return refusesZero(ir.AllRules(t))
	}
	return false
}

func refusesEmpty(rules []ir.Rule) bool {
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Format:
			return true
		case *ir.Length:
			if r.Min > 0 {
				return true
			}
		}
	}
	return false
}

func refusesZero(rules []ir.Rule) bool {
	for _, r := range rules {
		if r, ok := r.(*ir.Range); ok && (above(r.Min, r.ExclusiveMin) || below(r.Max, r.ExclusiveMax)) {
			return true
		}
	}
	return false
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
