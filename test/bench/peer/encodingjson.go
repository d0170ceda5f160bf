package peer

import (
	"bytes"
	"encoding/json"
	"sync"
)

// EncodingJSON is a server written by hand on encoding/json. Built with GOEXPERIMENT=jsonv2 it runs on the new implementation.
func EncodingJSON() Dispatcher {
	h := &hand[json.RawMessage]{unmarshal: json.Unmarshal, append: appendStandard}
	return Dispatcher{Name: "encoding/json", Dispatch: h.dispatch}
}

// standard is an encoder with its buffer, to be used again.
type standard struct {
	buf bytes.Buffer
	enc *json.Encoder
}

var standards = sync.Pool{New: func() any {
	s := &standard{}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	return s
}}

func appendStandard(dst []byte, v any) ([]byte, error) {
	s := standards.Get().(*standard)
	defer standards.Put(s)
	s.buf.Reset()
	if err := s.enc.Encode(v); err != nil {
		return dst, err
	}
	return append(dst, bytes.TrimSuffix(s.buf.Bytes(), []byte("\n"))...), nil
}
