// Package allkinds_test tests what is generated of all kinds against what interprets the schema.
//
//test:full
//test:by ./cmd/rpcgen/internal/language/docs TestExamples/^allkinds$
//test:by ./cmd/rpcgen/internal/language/openrpc TestExamples/^allkinds$
//test:by ./templates/typescript TestGolden/^allkinds$
package allkinds_test

import (
	"encoding/json"
	"reflect"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// holder is a variable of a generated type, seen from a test that does not know which.
type holder interface {
	Decode(r *wire.Reader)
	Append(b []byte) []byte
	Check(vs *rule.Violations)
	Value() any
}

// codec is what the tests need of one generated type.
type codec struct {
	name string // among the definitions of the exported JSON Schema
	make func() holder
}

// codecs are all generated types with a codec of their own. TestEveryTypeIsTested sees to it that none is missing.
var codecs = []codec{
	{"Scalars", of[allkinds.Scalars]()},
	{"OptionalScalars", of[allkinds.OptionalScalars]()},
	{"NullableScalars", of[allkinds.NullableScalars]()},
	{"TriState", of[allkinds.TriState]()},
	{"Defaults", of[allkinds.Defaults]()},
	{"Constants", of[allkinds.Constants]()},
	{"Enums", of[allkinds.Enums]()},
	{"Rules", of[allkinds.Rules]()},
	{"Bounded", of[allkinds.Bounded]()},
	{"BoundedClosed", of[allkinds.BoundedClosed]()},
	{"Tags", of[allkinds.Tags]()},
	{"Matrix", of[allkinds.Matrix]()},
	{"Table", of[allkinds.Table]()},
	{"Shapes", of[allkinds.Shapes]()},
	{"PointMap", of[allkinds.PointMap]()},
	{"Holes", of[allkinds.Holes]()},
	{"Nested", of[allkinds.Nested]()},
	{"Tuples", of[allkinds.Tuples]()},
	{"Arrays", of[allkinds.Arrays]()},
	{"Parts", of[allkinds.Parts]()},
	{"PartLoose", union(allkinds.DecodePartLoose, allkinds.AppendPartLoose, allkinds.CheckPartLoose)},
	{"PartSealed", union(allkinds.DecodePartSealed, allkinds.AppendPartSealed, allkinds.CheckPartSealed)},
	{"PartNamed", union(allkinds.DecodePartNamed, allkinds.AppendPartNamed, allkinds.CheckPartNamed)},
	{"PartNumbered", union(allkinds.DecodePartNumbered, allkinds.AppendPartNumbered, allkinds.CheckPartNumbered)},
	{"PartNested", union(allkinds.DecodePartNested, allkinds.AppendPartNested, allkinds.CheckPartNested)},
	{"PartOther", union(allkinds.DecodePartOther, allkinds.AppendPartOther, allkinds.CheckPartOther)},
	{"RoundPart", of[allkinds.RoundPart]()},
	{"FlatPart", of[allkinds.FlatPart]()},
	{"LoosePart", of[allkinds.LoosePart]()},
	{"SealedPart", of[allkinds.SealedPart]()},
	{"NamedPart", of[allkinds.NamedPart]()},
	{"NumberedPart", of[allkinds.NumberedPart]()},
	{"Row", of[allkinds.Row]()},
	{"Place", of[allkinds.Place]()},
	{"Loose", of[allkinds.Loose]()},
	{"Deep", of[allkinds.Deep]()},
	{"Point", of[allkinds.Point]()},
	{"Inline", of[allkinds.Inline]()},
	{"Empty", of[allkinds.Empty]()},
	{"EmptyClosed", of[allkinds.EmptyClosed]()},
	{"AdditionalAny", of[allkinds.AdditionalAny]()},
	{"AdditionalTyped", of[allkinds.AdditionalTyped]()},
	{"AdditionalUnion", of[allkinds.AdditionalUnion]()},
	{"AdditionalNull", of[allkinds.AdditionalNull]()},
	{"AdditionalInline", of[allkinds.AdditionalInline]()},
	{"AdditionalOnly", of[allkinds.AdditionalOnly]()},
	{"Closed", of[allkinds.Closed]()},
	{"Ignoring", of[allkinds.Ignoring]()},
	{"Extended", of[allkinds.Extended]()},
	{"Imported", of[allkinds.Imported]()},
	{"AllOf", of[allkinds.AllOf]()},
	{"JSONSchema", of[allkinds.JSONSchema]()},
	{"RequireAny", of[allkinds.RequireAny]()},
	{"RequireOne", of[allkinds.RequireOne]()},
	{"RequireImplies", of[allkinds.RequireImplies]()},
	{"RequireMany", of[allkinds.RequireMany]()},
	{"Circle", of[allkinds.Circle]()},
	{"Square", of[allkinds.Square]()},
	{"Polygon", of[allkinds.Polygon]()},
	{"Shape", union(allkinds.DecodeShape, allkinds.AppendShape, allkinds.CheckShape)},
	{"OpenShape", union(allkinds.DecodeOpenShape, allkinds.AppendOpenShape, allkinds.CheckOpenShape)},
	{"Tagged", union(allkinds.DecodeTagged, allkinds.AppendTagged, allkinds.CheckTagged)},
	{"Untagged", union(allkinds.DecodeUntagged, allkinds.AppendUntagged, allkinds.CheckUntagged)},
	{"PlainText", of[allkinds.PlainText]()},
	{"PlainCount", of[allkinds.PlainCount]()},
	{"Box", of[allkinds.Box]()},
	{"Bag", of[allkinds.Bag]()},
	{"Parcel", union(allkinds.DecodeParcel, allkinds.AppendParcel, allkinds.CheckParcel)},
	{"Form", of[allkinds.Form]()},
	{"Address", of[allkinds.Address]()},
	{"ByAbsent", union(allkinds.DecodeByAbsent, allkinds.AppendByAbsent, allkinds.CheckByAbsent)},
	{"ByAbsentOpen", union(allkinds.DecodeByAbsentOpen, allkinds.AppendByAbsentOpen, allkinds.CheckByAbsentOpen)},
	{"ByInteger", union(allkinds.DecodeByInteger, allkinds.AppendByInteger, allkinds.CheckByInteger)},
	{"VersionOne", of[allkinds.VersionOne]()},
	{"VersionTwo", of[allkinds.VersionTwo]()},
	{"ByBoolean", union(allkinds.DecodeByBoolean, allkinds.AppendByBoolean, allkinds.CheckByBoolean)},
	{"Good", of[allkinds.Good]()},
	{"Bad", of[allkinds.Bad]()},
	{"Request", of[allkinds.Request]()},
	{"Notice", of[allkinds.Notice]()},
	{"Reply", of[allkinds.Reply]()},
	{"Failure", of[allkinds.Failure]()},
	{"ByPresence", union(allkinds.DecodeByPresence, allkinds.AppendByPresence, allkinds.CheckByPresence)},
	{"ByPresenceTags", union(allkinds.DecodeByPresenceTags, allkinds.AppendByPresenceTags, allkinds.CheckByPresenceTags)},
	{"ByPresenceElse", union(allkinds.DecodeByPresenceElse, allkinds.AppendByPresenceElse, allkinds.CheckByPresenceElse)},
	{"ByPresenceOpen", union(allkinds.DecodeByPresenceOpen, allkinds.AppendByPresenceOpen, allkinds.CheckByPresenceOpen)},
	{"OddKeys", union(allkinds.DecodeOddKeys, allkinds.AppendOddKeys, allkinds.CheckOddKeys)},
	{"OddSlash", of[allkinds.OddSlash]()},
	{"OddQuote", of[allkinds.OddQuote]()},
	{"Kinds", union(allkinds.DecodeKinds, allkinds.AppendKinds, allkinds.CheckKinds)},
	{"ScalarOrList", union(allkinds.DecodeScalarOrList, allkinds.AppendScalarOrList, allkinds.CheckScalarOrList)},
	{"IntegerFirst", union(allkinds.DecodeIntegerFirst, allkinds.AppendIntegerFirst, allkinds.CheckIntegerFirst)},
	{"Numbers", union(allkinds.DecodeNumbers, allkinds.AppendNumbers, allkinds.CheckNumbers)},
	{"KindsTagged", union(allkinds.DecodeKindsTagged, allkinds.AppendKindsTagged, allkinds.CheckKindsTagged)},
	{"Map", of[allkinds.Map]()},
	{"Wide", union(allkinds.DecodeWide, allkinds.AppendWide, allkinds.CheckWide)},
	{"Enumerated", union(allkinds.DecodeEnumerated, allkinds.AppendEnumerated, allkinds.CheckEnumerated)},
	{"OfMaybe", union(allkinds.DecodeOfMaybe, allkinds.AppendOfMaybe, allkinds.CheckOfMaybe)},
	{"Single", union(allkinds.DecodeSingle, allkinds.AppendSingle, allkinds.CheckSingle)},
	{"Conforming", of[allkinds.Conforming]()},
	{"Chain", of[allkinds.Chain]()},
	{"Untitled", of[allkinds.Untitled]()},
	{"Titled", of[allkinds.Titled]()},
	{"Legacy", of[allkinds.Legacy]()},
	{"ManyUntitled", of[allkinds.ManyUntitled]()},
	{"ManyTitled", of[allkinds.ManyTitled]()},
	{"PlainString", of[allkinds.PlainString]()},
	{"PlainNumber", of[allkinds.PlainNumber]()},
	{"SingleEnum", union(allkinds.DecodeSingleEnum, allkinds.AppendSingleEnum, allkinds.CheckSingleEnum)},
	{"Many", union(allkinds.DecodeMany, allkinds.AppendMany, allkinds.CheckMany)},
	{"EnumSchema", union(allkinds.DecodeEnumSchema, allkinds.AppendEnumSchema, allkinds.CheckEnumSchema)},
	{"Layered", union(allkinds.DecodeLayered, allkinds.AppendLayered, allkinds.CheckLayered)},
	{"LayeredMany", union(allkinds.DecodeLayeredMany, allkinds.AppendLayeredMany, allkinds.CheckLayeredMany)},
	{"InKind", union(allkinds.DecodeInKind, allkinds.AppendInKind, allkinds.CheckInKind)},
	{"InCircle", of[allkinds.InCircle]()},
	{"InSquare", of[allkinds.InSquare]()},
	{"InOpen", union(allkinds.DecodeInOpen, allkinds.AppendInOpen, allkinds.CheckInOpen)},
	{"OuterOpen", union(allkinds.DecodeOuterOpen, allkinds.AppendOuterOpen, allkinds.CheckOuterOpen)},
	{"OfImported", union(allkinds.DecodeOfImported, allkinds.AppendOfImported, allkinds.CheckOfImported)},
	{"OfImportedUnion", union(allkinds.DecodeOfImportedUnion, allkinds.AppendOfImportedUnion, allkinds.CheckOfImportedUnion)},
	{"LowOrText", union(allkinds.DecodeLowOrText, allkinds.AppendLowOrText, allkinds.CheckLowOrText)},
	{"Documented", union(allkinds.DecodeDocumented, allkinds.AppendDocumented, allkinds.CheckDocumented)},
	{"PlainText2", of[allkinds.PlainText2]()},
	{"Unions", of[allkinds.Unions]()},
	{"Tree", of[allkinds.Tree]()},
	{"Expr", union(allkinds.DecodeExpr, allkinds.AppendExpr, allkinds.CheckExpr)},
	{"Sum", of[allkinds.Sum]()},
	{"Negation", of[allkinds.Negation]()},
	{"Constant", of[allkinds.Constant]()},
	{"Author", of[allkinds.Author]()},
	{"Book", of[allkinds.Book]()},
	{"JSONish", union(allkinds.DecodeJSONish, allkinds.AppendJSONish, allkinds.CheckJSONish)},
	{"Secret", of[allkinds.Secret]()},
	//lint:ignore SA1019 every type is tested, deprecated ones too
	{"Old", of[allkinds.Old]()},
	{"Named", of[allkinds.GoNamed]()},
	{"Odd", of[allkinds.Odd]()},
	{"Bound", of[allkinds.Bound]()},
	{"Aliases", of[allkinds.Aliases]()},
	{"Many70", of[allkinds.Many70]()},
	{"Many130", of[allkinds.Many130]()},
	{"CityNotFound data", of[allkinds.CityNotFoundError]()},
	{"Slow data", of[allkinds.SlowError]()},
	{"Costly data", of[allkinds.CostlyError]()},
	{"Limited data", of[allkinds.LimitedError]()},
	{"NoMethod data", of[allkinds.NoMethodError]()},
	{"NoTool data", of[allkinds.NoToolError]()},
	{"TooLarge data", of[allkinds.TooLargeError]()},
	{"all/struct params", of[allkinds.AllStructParams]()},
	{"all/struct result", of[allkinds.AllStructResult]()},
	{"all/slow params", of[allkinds.AllSlowParams]()},
	{"all/slow result", of[allkinds.AllSlowResult]()},
	{"$/progress params", of[allkinds.ProgressParams]()},
	{"all/scalar params", of[allkinds.AllScalarParams]()},
	{"all/secrets params", of[allkinds.AllSecretsParams]()},
	{"all/position params", of[allkinds.AllPositionParams]()},
	{"all/name params", of[allkinds.AllNameParams]()},
	{"all/inlineUnion result", union(allkinds.DecodeAllInlineUnionResult, allkinds.AppendAllInlineUnionResult, allkinds.CheckAllInlineUnionResult)},
	{"all/optional params", of[allkinds.AllOptionalParams]()},
	{"all/optional result", of[allkinds.AllOptionalResult]()},
	{"all/old params", of[allkinds.OldestParams]()},
	{"all/old result", of[allkinds.OldestResult]()},
	{"all/ask params", of[allkinds.AllAskParams]()},
	{"all/ask result", of[allkinds.AllAskResult]()},
	{"all/both params", of[allkinds.AllBothParams]()},
	{"all/both result", of[allkinds.AllBothResult]()},
	{"all/log params", of[allkinds.AllLogParams]()},
	{"all/cancel params", of[allkinds.AllCancelParams]()},
}

// plain holds a type with methods of its own.
type plain[T any] struct{ v T }

func (h *plain[T]) Decode(r *wire.Reader) {
	any(&h.v).(interface{ DecodeJSON(*wire.Reader) }).DecodeJSON(r)
}
func (h *plain[T]) Append(b []byte) []byte {
	return any(&h.v).(interface{ AppendJSON([]byte) []byte }).AppendJSON(b)
}

func (h *plain[T]) Check(vs *rule.Violations) {
	if v, ok := any(&h.v).(interface{ CheckRules(*rule.Violations) }); ok {
		v.CheckRules(vs)
	}
}
func (h *plain[T]) Value() any { return h.v }

// of makes holders of a type with methods of its own.
func of[T any]() func() holder { return func() holder { return new(plain[T]) } }

// oneOf holds a union, whose codec is functions: an interface has no such methods.
type oneOf[T any] struct {
	v      T
	decode func(*wire.Reader) T
	append func([]byte, T) []byte
	check  func(*rule.Violations, T)
}

func (h *oneOf[T]) Decode(r *wire.Reader)     { h.v = h.decode(r) }
func (h *oneOf[T]) Append(b []byte) []byte    { return h.append(b, h.v) }
func (h *oneOf[T]) Check(vs *rule.Violations) { h.check(vs, h.v) }
func (h *oneOf[T]) Value() any                { return h.v }

func union[T any](decode func(*wire.Reader) T, write func([]byte, T) []byte, check func(*rule.Violations, T)) func() holder {
	return func() holder { return &oneOf[T]{decode: decode, append: write, check: check} }
}

// marshals reports whether a holder's type is one that encoding/json can be given.
func marshals(h holder) bool {
	t := reflect.TypeOf(h.Value())
	return t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// document is the schema of all kinds.
var document = sync.OnceValue(func() *ir.Document {
	doc, diags := schema.Load("allkinds.rpc.yaml")
	if doc == nil {
		panic(diags)
	}
	return doc
})

// definitions are the types of the schema by the names that the exported JSON Schema gives them.
var definitions = sync.OnceValue(func() map[string]ir.Type {
	all := map[string]ir.Type{}
	for _, d := range document().Types {
		if !d.Mixin {
			all[d.Name] = d.Type
		}
	}
	for _, e := range document().Errors {
		if e.Data != nil {
			all[e.Name+" data"] = e.Data
		}
	}
	for _, m := range document().Methods {
		if m.Params != nil {
			all[m.Name+" params"] = m.Params
		}
		if m.Result != nil {
			all[m.Name+" result"] = m.Result
		}
	}
	return all
})

// TestEveryTypeIsTested finds types that are neither in codecs nor part of a type that is.
func TestEveryTypeIsTested(t *testing.T) {
	reached := map[ir.Type]bool{}
	var reach func(ir.Type)
	reach = func(t ir.Type) {
		if t == nil || reached[t] {
			return
		}
		reached[t] = true
		switch t := t.(type) {
		case *ir.Ref:
			reach(t.Decl.Type)
		case *ir.Nullable:
			reach(t.Elem)
		case *ir.List:
			reach(t.Elem)
		case *ir.Tuple:
			for _, f := range t.Items {
				reach(f.Type)
			}
			reach(t.Rest)
		case *ir.Map:
			reach(t.Elem)
		case *ir.Struct:
			for _, f := range t.Fields {
				reach(f.Type)
			}
			reach(t.Extra)
		case *ir.Union:
			for _, b := range t.Branches {
				reach(b.Type)
			}
		}
	}
	for _, c := range codecs {
		if definitions()[c.name] == nil {
			t.Errorf("the schema has no %q", c.name)
		}
		reach(definitions()[c.name])
	}
	for name, typ := range definitions() {
		if ref, ok := typ.(*ir.Ref); ok {
			typ = ref.Decl.Type
		}
		switch typ.(type) {
		case *ir.Struct, *ir.Tuple, *ir.Union, *ir.Enum: // a literal has no codec of its own; TestNullResults calls methods that return some
			if !reached[typ] {
				t.Errorf("nothing tests %q", name)
			}
		}
	}
}
