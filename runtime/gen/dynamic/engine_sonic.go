//go:build !(386 || arm || mips || mipsle)

package dynamic

import "github.com/bytedance/sonic"

var api = sonic.Config{
	UseNumber:        true,
	UseUnicodeErrors: true,
	CaseSensitive:    true,
	ValidateString:   true,
	SortMapKeys:      true,
}.Froze()

func marshal(v any) ([]byte, error) { return api.Marshal(v) }

// unmarshal decodes text into v, a pointer. Strings may share the memory of text.
func unmarshal(text string, v any) error { return api.UnmarshalFromString(text, v) }
