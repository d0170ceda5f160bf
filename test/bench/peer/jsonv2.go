//go:build goexperiment.jsonv2

package peer

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"
)

// jsonV2 is a server written by hand on encoding/json/v2.
func jsonV2() []Dispatcher {
	h := &hand[jsontext.Value]{
		unmarshal: func(b []byte, v any) error { return json.Unmarshal(b, v) },
		append: func(dst []byte, v any) ([]byte, error) {
			b := bytes.NewBuffer(dst)
			err := json.MarshalWrite(b, v)
			return b.Bytes(), err
		},
	}
	return []Dispatcher{{Name: "encoding/json/v2", Dispatch: h.dispatch}}
}
