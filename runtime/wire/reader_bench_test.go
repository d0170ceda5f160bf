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
