package mcpclient

import (
	"context"
	"maps"

	types "github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// elicit calls OnElicit. Fields that are left out of an accepted form get their defaults.
func (o *Options) elicit(ctx context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
	result, err := o.OnElicit(ctx, p)
	if err != nil || result.Action != "accept" {
		return result, err
	}
	content := make(map[string]types.ElicitResultContentValue, len(p.RequestedSchema.Properties))
	for name, field := range p.RequestedSchema.Properties {
		if v := defaultOf(field); v != nil {
			content[name] = v
		}
	}
	maps.Copy(content, result.Content)
	result.Content = content
	return result, nil
}

// defaultOf returns the default of a field of a form, or nil.
func defaultOf(field types.PrimitiveSchemaDefinition) types.ElicitResultContentValue {
	switch f := field.(type) {
	case *types.StringSchema:
		return textDefault(f.Default)
	case *types.UntitledSingleSelectEnumSchema:
		return textDefault(f.Default)
	case *types.TitledSingleSelectEnumSchema:
		return textDefault(f.Default)
	case *types.LegacyTitledEnumSchema:
		return textDefault(f.Default)
	case *types.UntitledMultiSelectEnumSchema:
		return listDefault(f.Default)
	case *types.TitledMultiSelectEnumSchema:
		return listDefault(f.Default)
	case *types.NumberSchema:
		if v, ok := f.Default.Get(); ok {
			return types.ElicitResultContentValueNumber(v)
		}
	case *types.BooleanSchema:
		if v, ok := f.Default.Get(); ok {
			return types.ElicitResultContentValueBoolean(v)
		}
	}
	return nil
}

func textDefault(d runtime.Opt[string]) types.ElicitResultContentValue {
	if v, ok := d.Get(); ok {
		return types.ElicitResultContentValueString(v)
	}
	return nil
}

func listDefault(d []string) types.ElicitResultContentValue {
	if d == nil {
		return nil
	}
	return types.ElicitResultContentValueList(d)
}
