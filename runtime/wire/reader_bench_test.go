package wire

import (
	"encoding/json"
	"testing"
)

type params struct {
	City    string   `json:"city"`
	Days    int64    `json:"days"`
	Units   string   `json:"units"`
	Include []string `json:"include"`
	Lang    string   `json:"lang"`
	Detail  bool     `json:"detail"`
}

func (v *params) DecodeJSON(r *Reader) {
	*v = params{Include: v.Include}
	o := r.Object()
	for r.More(&o) {
		if r.Key(&o, 0, `"city":`) {
			v.City = r.String()
		}
		if r.Key(&o, 1, `"days":`) {
			v.Days = r.Int64()
		}
		if r.Key(&o, 2, `"units":`) {
			v.Units = r.String()
		}
		if r.Key(&o, 3, `"include":`) {
			v.Include = Strings(r, v.Include)
		}
		if r.Key(&o, 4, `"lang":`) {
			v.Lang = r.String()
		}
		if r.Key(&o, 5, `"detail":`) {
			v.Detail = r.Bool()
		}
	}
	r.Need(&o, 0b111111, "city\ndays\nunits\ninclude\nlang\ndetail")
}

type day struct {
	Date    string  `json:"date"`
	High    float64 `json:"high"`
	Low     float64 `json:"low"`
	Summary string  `json:"summary"`
}

func (v *day) DecodeJSON(r *Reader) {
	*v = day{}
	o := r.Object()
	for r.More(&o) {
		if r.Key(&o, 0, `"date":`) {
			v.Date = r.String()
		}
		if r.Key(&o, 1, `"high":`) {
			v.High = r.Float64()
		}
		if r.Key(&o, 2, `"low":`) {
			v.Low = r.Float64()
		}
		if r.Key(&o, 3, `"summary":`) {
			v.Summary = r.String()
		}
	}
	r.Need(&o, 0b1111, "date\nhigh\nlow\nsummary")
}

const smallJSON = `{"city":"Amsterdam","days":7,"units":"metric","include":["wind","rain","uv"],"lang":"en-GB","detail":true}`
const spacedJSON = `{"city": "Amsterdam", "days": 7, "units": "metric", "include": ["wind", "rain", "uv"], "lang": "en-GB", "detail": true}`
const otherJSON = `{"detail":true,"lang":"en-GB","include":["wind","rain","uv"],"units":"metric","days":7,"city":"Amsterdam"}`
const dayJSON = `[{"date":"2026-07-28","high":21.5,"low":12.25,"summary":"partly cloudy with light rain"},{"date":"2026-07-29","high":22.5,"low":13,"summary":"sunny"}]`

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"usual", smallJSON}, {"spaced", spacedJSON}, {"reversed", otherJSON}} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(c.text)
			var v params
			var r Reader
			for b.Loop() {
				r.Reset(text, 0, MaxDepth)
				v.DecodeJSON(&r)
				if r.Failed() {
					b.Fatal("failed")
				}
			}
		})
		b.Run(c.name+"-std", func(b *testing.B) {
			text := []byte(c.text)
			var v params
			for b.Loop() {
				if json.Unmarshal(text, &v) != nil {
					b.Fatal()
				}
			}
		})
	}
	b.Run("days", func(b *testing.B) {
		text := []byte(dayJSON)
		var v []day
		var r Reader
		for b.Loop() {
			r.Reset(text, 0, MaxDepth)
			v = List(v)
			for a := r.Array(); r.Elem(&a); {
				v = Grow(v)
				v[len(v)-1].DecodeJSON(&r)
			}
			if r.Failed() {
				b.Fatal("failed")
			}
		}
	})
	b.Run("days-std", func(b *testing.B) {
		text := []byte(dayJSON)
		var v []day
		for b.Loop() {
			json.Unmarshal(text, &v)
		}
	})
}

func (v *params) decodeMembers(r *Reader) {
	*v = params{Include: v.Include}
	o := r.Object()
	for r.More(&o) {
		r.KeyString(&o, 0, `"city":`, &v.City)
		r.KeyInt64(&o, 1, `"days":`, &v.Days)
		r.KeyString(&o, 2, `"units":`, &v.Units)
		if r.Key(&o, 3, `"include":`) {
			v.Include = Strings(r, v.Include)
		}
		r.KeyString(&o, 4, `"lang":`, &v.Lang)
		r.KeyBool(&o, 5, `"detail":`, &v.Detail)
	}
	r.Need(&o, 0b111111, "city\ndays\nunits\ninclude\nlang\ndetail")
}

func (v *params) AppendJSON(b []byte) []byte {
	b = append(b, `{"city":`...)
	b = AppendString(b, v.City)
	b = append(b, `,"days":`...)
	b = AppendInt(b, v.Days)
	b = append(b, `,"units":`...)
	b = AppendString(b, v.Units)
	b = append(b, `,"include":`...)
	b = AppendStrings(b, v.Include)
	b = append(b, `,"lang":`...)
	b = AppendString(b, v.Lang)
	b = append(b, `,"detail":`...)
	b = AppendBool(b, v.Detail)
	return append(b, '}')
}

func (v *params) appendMembers(b []byte) []byte {
	b = AppendMemberString(b, `{"city":`, v.City)
	b = AppendMemberInt(b, `,"days":`, v.Days)
	b = AppendMemberString(b, `,"units":`, v.Units)
	b = append(b, `,"include":`...)
	b = AppendStrings(b, v.Include)
	b = AppendMemberString(b, `,"lang":`, v.Lang)
	b = AppendMemberBool(b, `,"detail":`, v.Detail)
	return append(b, '}')
}

func BenchmarkMembers(b *testing.B) {
	text := []byte(smallJSON)
	var v params
	var r Reader
	buf := make([]byte, 0, 1000)
	b.Run("decode-two", func(b *testing.B) {
		for b.Loop() {
			r.Reset(text, 0, MaxDepth)
			v.DecodeJSON(&r)
		}
	})
	b.Run("decode-one", func(b *testing.B) {
		for b.Loop() {
			r.Reset(text, 0, MaxDepth)
			v.decodeMembers(&r)
		}
	})
	b.Run("append-two", func(b *testing.B) {
		for b.Loop() {
			buf = v.AppendJSON(buf[:0])
		}
	})
	b.Run("append-one", func(b *testing.B) {
		for b.Loop() {
			buf = v.appendMembers(buf[:0])
		}
	})
	b.Run("append-std", func(b *testing.B) {
		for b.Loop() {
			buf, _ = json.Marshal(struct {
				City    string   `json:"city"`
				Days    int64    `json:"days"`
				Units   string   `json:"units"`
				Include []string `json:"include"`
				Lang    string   `json:"lang"`
				Detail  bool     `json:"detail"`
			}(v))
		}
	})
}
