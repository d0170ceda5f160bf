//go:build goexperiment.jsonv2

package main

import (
	"bytes"
	"encoding/json/v2"
)

const v2Name = "encoding/json/v2"

func decodeV2[T any](doc []byte) []contestant {
	var v T
	return []contestant{{Name: v2Name, Run: func(n int) {
		for range n {
			must(json.Unmarshal(doc, &v))
		}
	}}}
}

func encodeV2[T any](v T) []contestant {
	var b bytes.Buffer
	return []contestant{{Name: v2Name, Run: func(n int) {
		for range n {
			b.Reset()
			must(json.MarshalWrite(&b, &v))
		}
	}}}
}
