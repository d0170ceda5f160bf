package work

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Message is a request and what its answer is.
type Message struct {
	Work  string // what is asked for
	Order string // in which order and spacing the members come; see Orders
	Bytes []byte
	Batch int   // how many requests there are in it; zero: it is not a batch
	Code  int64 // of the error that is answered; zero: a result is
	Words bool  // the data of the error is in the contestant's own words
}

// Name returns the name of the message for people.
func (m *Message) Name() string {
	if m.Order == "" {
		return m.Work
	}
	return m.Work + ", " + m.Order
}

// Orders are the ways in which clients write the members of a request. Shuffled also has the params in another order than the schema.
var Orders = []string{"Go", "TypeScript", "Python", "shuffled"}

// The works that messages ask for.
const (
	Small     = "small call"
	Typical   = "typical call"
	LongList  = "list of 15 KB"
	Plain     = "100 KB text, plain"
	Escaped   = "100 KB text, escapes"
	CJK       = "100 KB text, CJK"
	Invalid   = "invalid params"
	Missing   = "missing param"
	WrongType = "param of a wrong type"
	Unknown   = "unknown method"
	BatchWork = "batch of %d small calls"
)

const (
	smallParams    = `{"city":"San Francisco","unit":"fahrenheit","hours":36,"exact":true}`
	smallShuffled  = `{"exact":true,"hours":36,"unit":"fahrenheit","city":"San Francisco"}`
	invalidParams  = `{"city":"San Francisco","unit":"farenheit","hours":49,"exact":true}`
	missingParams  = `{"unit":"fahrenheit","hours":36,"exact":true}`
	wrongParams    = `{"city":"San Francisco","unit":"fahrenheit","hours":"36","exact":true}`
	typicalParams  = `{"city":"San Francisco, California, United States","days":7,"unit":"fahrenheit","details":["wind","rain","humidity","sunrise"]}`
	typicalShuffle = `{"details":["wind","rain","humidity","sunrise"],"unit":"fahrenheit","days":7,"city":"San Francisco, California, United States"}`
)

// Messages returns all messages.
func Messages() []Message {
	var all []Message
	for _, order := range Orders {
		all = append(all, Message{Work: Small, Order: order, Bytes: order4(order, 42, MethodCurrent, smallParams, smallShuffled)})
	}
	for _, order := range Orders {
		all = append(all, Message{Work: Typical, Order: order, Bytes: order4(order, 42, MethodForecast, typicalParams, typicalShuffle)})
	}
	usual := func(work, method, params string, code int64) {
		all = append(all, Message{Work: work, Bytes: request(42, method, params), Code: code})
	}
	usual(LongList, MethodList, `{"limit":100}`, 0)
	for _, text := range Texts {
		usual(text, MethodEcho, string(TextDocument(text)), 0)
	}
	usual(Invalid, MethodCurrent, invalidParams, -32602)
	all = append(all,
		Message{Work: Missing, Bytes: request(42, MethodCurrent, missingParams), Code: -32602, Words: true},
		Message{Work: WrongType, Bytes: request(42, MethodCurrent, wrongParams), Code: -32602, Words: true})
	usual(Unknown, "weather/curent", smallParams, -32601)
	for _, n := range []int{10, 100} {
		all = append(all, Message{Work: fmt.Sprintf(BatchWork, n), Bytes: Batch(n), Batch: n})
	}
	return all
}

// Limited returns the small call of the method with a declared timeout.
func Limited() []byte { return request(42, MethodLimited, smallParams) }

// Refused are the works that are answered with an error.
var Refused = []string{Invalid, Missing, WrongType, Unknown}

// Batch returns a batch of n small calls.
func Batch(n int) []byte {
	requests := make([]string, n)
	for i := range requests {
		requests[i] = string(request(42+i, MethodCurrent, smallParams))
	}
	return []byte("[" + strings.Join(requests, ",") + "]")
}

// Find returns the message for a work, in the usual order.
func Find(work string) Message {
	for _, m := range Messages() {
		if m.Work == work && (m.Order == "" || m.Order == "Go") {
			return m
		}
	}
	panic("no such work: " + work)
}

func request(id int, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func order4(order string, id int, method, params, shuffled string) []byte {
	switch order {
	case "TypeScript":
		return fmt.Appendf(nil, `{"method":%q,"params":%s,"jsonrpc":"2.0","id":%d}`, method, params, id)
	case "Python":
		return spaced(request(id, method, params))
	case "shuffled":
		return fmt.Appendf(nil, `{"params":%s,"id":%d,"method":%q,"jsonrpc":"2.0"}`, shuffled, id, method)
	}
	return request(id, method, params)
}

// spaced puts a space after every colon and comma outside of strings.
func spaced(b []byte) []byte {
	var out []byte
	inString := false
	for _, c := range b {
		out = append(out, c)
		switch {
		case c == '"':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// Texts are the works with a long text.
var Texts = []string{Plain, Escaped, CJK}

// TextDocument returns {"text": ...} with the text of that name, of 100 KB as JSON.
func TextDocument(name string) []byte {
	piece := map[string]string{
		Plain:   "The quick brown fox jumps over the lazy dog, and nobody knows why. ",
		Escaped: "if x < 0 {\n\treturn \"none\"\n}\npath := `C:\\temp`\n",
		CJK:     "東京の天気は晴れ、気温は二十度です。明日は雨が降るでしょう。",
	}[name]
	b := Document(Text{piece})
	return Document(Text{strings.Repeat(piece, 100_000/(len(b)-len(`{"text":""}`)))})
}

// Document returns v as JSON, without the escapes that only HTML needs.
func Document(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

// The documents that are decoded and encoded by themselves: params of 144 bytes and a result of 653.
var (
	ParamsValue = ForecastParams{City: "Greater San Francisco, California, United States", Days: 7, Unit: "fahrenheit",
		Details: []Detail{"wind", "rain", "humidity", "sunrise", "pollen"}}
	ResultValue = Forecast{City: "Greater San Francisco, California, United States", Unit: "fahrenheit", Days: Week}
)
