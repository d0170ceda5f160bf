package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	for _, c := range benchmarkedValues() {
		b.Run(c.name, func(b *testing.B) { benchmarkDecode(b, c.fresh(), c.text) })
		b.Run(c.name+"/std", func(b *testing.B) { benchmarkUnmarshal(b, json.Unmarshal, c) })
	}
}

// BenchmarkDecodeOrder reads members that come spaced, and in another order.
func BenchmarkDecodeOrder(b *testing.B) {
	for _, c := range benchmarkedValues()[:3] {
		b.Run(c.name+"/usual", func(b *testing.B) { benchmarkDecode(b, c.fresh(), c.text) })
		b.Run(c.name+"/spaced", func(b *testing.B) { benchmarkDecode(b, c.fresh(), spacedText(c.text)) })
		b.Run(c.name+"/reversed", func(b *testing.B) { benchmarkDecode(b, c.fresh(), reversedText(c.text)) })
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, c := range benchmarkedValues() {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = c.value.AppendJSON(buf[:0])
			}
		})
		b.Run(c.name+"/std", func(b *testing.B) { benchmarkMarshal(b, json.Marshal, c) })
	}
}

func benchmarkDecode(b *testing.B, v Decoder, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var r Reader
	for b.Loop() {
		r.Reset(text, 0, MaxDepth)
		v.DecodeJSON(&r)
		if r.Failed() || r.Pos() != len(text) {
			b.Fatal("failed")
		}
	}
}

func benchmarkUnmarshal(b *testing.B, unmarshal func([]byte, any) error, c benchmarked) {
	b.SetBytes(int64(len(c.text)))
	b.ReportAllocs()
	v := c.fresh()
	for b.Loop() {
		if err := unmarshal(c.text, v); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkMarshal(b *testing.B, marshal func(any) ([]byte, error), c benchmarked) {
	b.SetBytes(int64(len(c.text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := marshal(c.value); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQuoted writes JSON of 1 KB as a JSON string, as results of tools are.
func BenchmarkQuoted(b *testing.B) {
	text := []byte(strings.Repeat(`{"date":"2026-11-22","high":14.5,"low":7,"summary":"Light rain, clearing up"},`, 13))
	dst := make([]byte, 0, 4<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendQuoted(dst[:0], text)
	}
}

// BenchmarkQuotedText is BenchmarkQuoted by AppendString.
func BenchmarkQuotedText(b *testing.B) {
	text := strings.Repeat(`{"date":"2026-11-22","high":14.5,"low":7,"summary":"Light rain, clearing up"},`, 13)
	dst := make([]byte, 0, 4<<10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = AppendString(dst[:0], text)
	}
}
