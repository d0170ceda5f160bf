package everything

import (
	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// choices asks for a choice of every kind that forms have, the deprecated one with enumNames included, which forms in a schema have not.
func choices() mcp.ElicitRequestFormParams {
	plain := []string{"option1", "option2", "option3"}
	return formOf("Please choose.", map[string]mcp20260728.PrimitiveSchemaDefinition{
		"untitledSingle": &mcp20260728.UntitledSingleSelectEnumSchema{Enum: plain},
		"titledSingle": &mcp20260728.TitledSingleSelectEnumSchema{OneOf: []mcp20260728.TitledSingleSelectEnumSchemaOneOfItem{
			{Const: "value1", Title: "First Option"}, {Const: "value2", Title: "Second Option"}, {Const: "value3", Title: "Third Option"},
		}},
		"legacyEnum": &mcp20260728.LegacyTitledEnumSchema{
			Enum:      []string{"opt1", "opt2", "opt3"},
			EnumNames: []string{"Option One", "Option Two", "Option Three"},
		},
		"untitledMulti": &mcp20260728.UntitledMultiSelectEnumSchema{Items: mcp20260728.UntitledMultiSelectEnumSchemaItems{Enum: plain}},
		"titledMulti": &mcp20260728.TitledMultiSelectEnumSchema{Items: mcp20260728.TitledMultiSelectEnumSchemaItems{
			AnyOf: []mcp20260728.TitledMultiSelectEnumSchemaItemsAnyOfItem{
				{Const: "value1", Title: "First Choice"}, {Const: "value2", Title: "Second Choice"}, {Const: "value3", Title: "Third Choice"},
			},
		}},
	}, nil)
}
