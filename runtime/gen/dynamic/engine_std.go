//go:build 386 || arm || mips || mipsle

package dynamic

import (
	"encoding/json"
	"strings"
)

func marshal(v any) ([]byte, error) { return json.Marshal(v) }

func unmarshal(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}
