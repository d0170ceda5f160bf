package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The values that the benchmarks read and write. Their codecs are what rpcgen generates.

type forecastParams struct {
	City    string   `json:"city"`
	Days    int32    `json:"days"`
	Unit    string   `json:"unit"`
	Details []string `json:"details"`
}

func (v *forecastParams) AppendJSON(b []byte) []byte {
	b = AppendMemberString(b, `{"city":`, v.City)
	b = AppendMemberInt(b, `,"days":`, int64(v.Days))
	b = AppendMemberString(b, `,"unit":`, v.Unit)
	b = append(b, `,"details":`...)
	b = AppendStrings(b, v.Details)
	return append(b, '}')
}

func (v *forecastParams) DecodeJSON(r *Reader) {
	*v = forecastParams{Details: v.Details}
	var o Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"city":`, &v.City)
		r.KeyInt32(&o, 1, `"days":`, &v.Days)
		r.KeyString(&o, 2, `"unit":`, &v.Unit)
		if r.Key(&o, 3, `"details":`) {
			v.Details = Strings(r, v.Details)
		}
	}
	r.Need(&o, 0b1111, "city\ndays\nunit\ndetails")
}

type forecast struct {
	City string        `json:"city"`
	Unit string        `json:"unit"`
	Days []forecastDay `json:"days"`
}

func (v *forecast) AppendJSON(b []byte) []byte {
	b = AppendMemberString(b, `{"city":`, v.City)
	b = AppendMemberString(b, `,"unit":`, v.Unit)
	b = append(b, `,"days":`...)
	b = AppendSlice(b, v.Days, (*forecastDay).AppendJSON)
	return append(b, '}')
}

func (v *forecast) DecodeJSON(r *Reader) {
	*v = forecast{Days: v.Days}
	var o Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"city":`, &v.City)
		r.KeyString(&o, 1, `"unit":`, &v.Unit)
		if r.Key(&o, 2, `"days":`) {
			v.Days = Slice(r, v.Days, (*forecastDay).DecodeJSON)
		}
	}
	r.Need(&o, 0b111, "city\nunit\ndays")
}

type forecastDay struct {
	Date    string  `json:"date"`
	High    float64 `json:"high"`
	Low     float64 `json:"low"`
	Rain    float64 `json:"rain"`
	Summary string  `json:"summary"`
}

func (v *forecastDay) AppendJSON(b []byte) []byte {
	b = AppendMemberString(b, `{"date":`, v.Date)
	b = AppendMemberFloat(b, `,"high":`, v.High)
	b = AppendMemberFloat(b, `,"low":`, v.Low)
	b = AppendMemberFloat(b, `,"rain":`, v.Rain)
	b = AppendMemberString(b, `,"summary":`, v.Summary)
	return append(b, '}')
}

func (v *forecastDay) DecodeJSON(r *Reader) {
	*v = forecastDay{}
	var o Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"date":`, &v.Date)
		r.KeyFloat64(&o, 1, `"high":`, &v.High)
		r.KeyFloat64(&o, 2, `"low":`, &v.Low)
		r.KeyFloat64(&o, 3, `"rain":`, &v.Rain)
		r.KeyString(&o, 4, `"summary":`, &v.Summary)
	}
	r.Need(&o, 0b11111, "date\nhigh\nlow\nrain\nsummary")
}

type catalog struct {
	Items []catalogItem `json:"items"`
}

func (v *catalog) AppendJSON(b []byte) []byte {
	b = append(b, `{"items":`...)
	b = AppendSlice(b, v.Items, (*catalogItem).AppendJSON)
	return append(b, '}')
}

func (v *catalog) DecodeJSON(r *Reader) {
	*v = catalog{Items: v.Items}
	var o Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"items":`) {
			v.Items = Slice(r, v.Items, (*catalogItem).DecodeJSON)
		}
	}
	r.Need(&o, 0b1, "items")
}

type catalogItem struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Price       float64  `json:"price"`
	Stock       int32    `json:"stock"`
	Active      bool     `json:"active"`
	Tags        []string `json:"tags"`
}

func (v *catalogItem) AppendJSON(b []byte) []byte {
	b = AppendMemberString(b, `{"id":`, v.ID)
	b = AppendMemberString(b, `,"title":`, v.Title)
	b = AppendMemberString(b, `,"description":`, v.Description)
	b = AppendMemberFloat(b, `,"price":`, v.Price)
	b = AppendMemberInt(b, `,"stock":`, int64(v.Stock))
	b = AppendMemberBool(b, `,"active":`, v.Active)
	b = append(b, `,"tags":`...)
	b = AppendStrings(b, v.Tags)
	return append(b, '}')
}

func (v *catalogItem) DecodeJSON(r *Reader) {
	*v = catalogItem{Tags: v.Tags}
	var o Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"id":`, &v.ID)
		r.KeyString(&o, 1, `"title":`, &v.Title)
		r.KeyString(&o, 2, `"description":`, &v.Description)
		r.KeyFloat64(&o, 3, `"price":`, &v.Price)
		r.KeyInt32(&o, 4, `"stock":`, &v.Stock)
		r.KeyBool(&o, 5, `"active":`, &v.Active)
		if r.Key(&o, 6, `"tags":`) {
			v.Tags = Strings(r, v.Tags)
		}
	}
	r.Need(&o, 0b1111111, "id\ntitle\ndescription\nprice\nstock\nactive\ntags")
}

type longText struct {
	Text string `json:"text"`
}

func (v *longText) AppendJSON(b []byte) []byte {
	return append(AppendMemberString(b, `{"text":`, v.Text), '}')
}

func (v *longText) DecodeJSON(r *Reader) {
	*v = longText{}
	var o Members
	for r.Object(&o); r.More(&o); {
		r.KeyString(&o, 0, `"text":`, &v.Text)
	}
	r.Need(&o, 0b1, "text")
}

// benchmarked is a value, its text, and a fresh one to decode into.
type benchmarked struct {
	name  string
	value codec
	fresh func() codec
	text  []byte
}

type codec interface {
	Appender
	Decoder
}

func benchmarkedValues() []benchmarked {
	return []benchmarked{
		benchmarkedValue("params", &forecastParams{
			City: "San Francisco Bay Area, California, United States", Days: 7, Unit: "fahrenheit",
			Details: []string{"wind", "rain", "humidity", "sunrise", "pollen"},
		}),
		benchmarkedValue("result", &forecast{
			City: "San Francisco Bay Area, California, United States", Unit: "fahrenheit",
			Days: []forecastDay{
				{"2026-03-02", 11.5, 3.2, 0.4, "Showers, then dry"}, {"2026-03-03", 12.25, 4.1, 0, "Sunny spells, mild"},
				{"2026-03-04", 9.8, 2, 5.6, "Heavy rain"}, {"2026-03-05", 10.1, 1.75, 0.2, "Overcast, calm"},
				{"2026-03-06", 13.4, 5.5, 0, "Sunny all day"}, {"2026-03-07", 14.2, 6.3, 0, "Sunny"},
				{"2026-03-08", 8.9, -0.6, 2.1, "Sleet"},
			},
		}),
		benchmarkedValue("list", benchmarkedCatalog()),
		benchmarkedValue("plain", repeated("The quick brown fox jumps over the lazy dog, and no one knows why. ")),
		benchmarkedValue("escapes", repeated("if x < 0 {\n\treturn \"none\"\n}\npath := `C:\\temp`\n")),
		benchmarkedValue("cjk", repeated("東京の天気は晴れ、気温は二十度です。明日は雨が降るでしょう。")),
	}
}

func repeated(piece string) *longText { return &longText{strings.Repeat(piece, 100_000/len(piece))} }

func benchmarkedCatalog() *catalog {
	c := &catalog{Items: make([]catalogItem, 45)}
	for i := range c.Items {
		c.Items[i] = catalogItem{
			ID: fmt.Sprintf("item-%04d", i), Title: fmt.Sprintf("Garden chair, model %d", i),
			Description: "Solid oak with a linen seat. Folds flat, weighs little, stands rain and sun for many years; " +
				"assembled in a minute without any tool. Comes with a spare seat and a cover for the winter.",
			Price: 19.9 + float64(i)*2.25, Stock: int32(i * 3), Active: i%4 != 0, Tags: []string{"garden", "oak", "folding"},
		}
	}
	return c
}

func benchmarkedValue[T any, P interface {
	*T
	codec
}](name string, v P) benchmarked {
	return benchmarked{name, v, func() codec { return P(new(T)) }, withoutHTMLEscapes(v)}
}

// withoutHTMLEscapes is v as encoding/json writes it for other readers than browsers.
func withoutHTMLEscapes(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// spacedText puts a space after every colon and comma outside of strings, as Python does.
func spacedText(text []byte) (out []byte) {
	inString := false
	for i, c := range text {
		out = append(out, c)
		switch {
		case c == '"' && text[i-1] != '\\':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// reversedText is a value with the members of each of its objects in reverse order.
func reversedText(text []byte) []byte {
	var r Reader
	r.Reset(text, 0, MaxDepth)
	out := string(text)
	switch r.Kind() {
	case Object:
		out = ""
		var o Members
		for r.Object(&o); r.More(&o); {
			name, _ := otherMember(&r, &o)
			member := string(AppendString(nil, name)) + ":" + string(reversedText([]byte(r.Raw().String())))
			out = member + "," + out
		}
		out = "{" + out[:len(out)-1] + "}"
	case Array:
		out = "["
		for a := r.Array(); r.Elem(&a); {
			out += string(reversedText([]byte(r.Raw().String()))) + ","
		}
		out = out[:len(out)-1] + "]"
	}
	return []byte(out)
}
