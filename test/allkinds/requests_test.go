package allkinds_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	allkinds "github.com/rpcgen-go/rpcgen/test/allkinds/rpc"
)

// TestRequests sends requests that are written in all orders and spacings, with members twice, unknown and escaped, numbers of all
// sizes, and bytes that are wrong; most are still good requests. What reaches the server is compared with what other readers find
// in the message, and so is what does not.
func TestRequests(t *testing.T) {
	count := 300_000
	switch {
	case testing.Short() && raceEnabled:
		count = 2000
	case testing.Short():
		count = 20_000
	}
	seen := new(recorder)
	d := runtime.NewDispatcher(allkinds.NewHandler(seen), runtime.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	w := newRequestWriter(t)
	called := 0
	for range count {
		msg := w.request()
		seen.params = nil
		answer := d.Dispatch(t.Context(), nil, msg)
		if fault := judgeRequest(msg, answer, seen.params); fault != "" {
			t.Fatalf("%q\nreached the server as %#v\nand was answered %s\n%s", msg, seen.params, answer, fault)
		}
		if seen.params != nil {
			called++
		}
	}
	if called < count/4 || called > count*9/10 {
		t.Errorf("%d of %d requests were accepted: too few or too many to say much", called, count)
	}
}

// recorder is a server that remembers with which params it was called.
type recorder struct {
	allkinds.UnimplementedServer
	params any
}

func (s *recorder) AllStruct(_ context.Context, p allkinds.AllStructParams) (allkinds.AllStructResult, error) {
	s.params = p
	return allkinds.AllStructResult{}, nil
}

func (s *recorder) AllScalar(_ context.Context, p allkinds.AllScalarParams) (int64, error) {
	s.params = p
	return p.N, nil
}

func (s *recorder) AllRef(_ context.Context, p allkinds.Point) (allkinds.Scalars, error) {
	s.params = p
	return allkinds.Scalars{}, runtime.ErrUnimplemented
}

// judgeRequest says what is wrong with the answer to msg, or with params, with which the server was called; nil: it was not.
func judgeRequest(msg, answer []byte, params any) string {
	if !jsontext.Value(msg).IsValid(jsontext.AllowDuplicateNames(true)) {
		if params != nil || !bytes.Contains(answer, []byte(`"code":-32700`)) {
			return "it is not JSON"
		}
		return ""
	}
	envelope, once := readMembers(msg)
	if params == nil {
		if once && goodRequest(envelope) {
			return judgeRefusal(envelope)
		}
		return ""
	}
	if !once || !goodRequest(envelope) {
		return "it is not a request"
	}
	members, _ := readMembers(envelope["params"])
	if want, ok := expected(text(envelope["method"]), members); !ok || fmt.Sprintf("%#v", want) != fmt.Sprintf("%#v", params) {
		return fmt.Sprintf("expected %#v, %v", want, ok)
	}
	if id, ok := envelope["id"]; ok && !bytes.Contains(answer, append([]byte(`"id":`), id...)) || !ok && len(answer) > 0 {
		return "the id is another one"
	}
	return ""
}

// judgeRefusal says what is wrong with not calling the server for a request that is good so far.
func judgeRefusal(envelope map[string]jsontext.Value) string {
	method, params := text(envelope["method"]), envelope["params"]
	members, _ := readMembers(params)
	if _, ok := expected(method, members); ok && !twice(params, "name", "level", "inner", "n", "x", "y") {
		return "it was to be accepted"
	}
	var r wire.Reader
	var vs rule.Violations
	r.Collect(params, 0, wire.MaxDepth, &vs)
	switch method {
	case "all/struct":
		var v allkinds.AllStructParams
		v.DecodeJSON(&r)
		v.CheckRules(&vs)
	case "all/scalar":
		new(allkinds.AllScalarParams).DecodeJSON(&r)
	case "all/ref":
		new(allkinds.Point).DecodeJSON(&r)
	default:
		return ""
	}
	if vs.Len() == 0 {
		return "it was refused, but no fault is found in it"
	}
	return ""
}

// expected is what the server should get for params of these members; false: nothing.
func expected(method string, members map[string]jsontext.Value) (any, bool) {
	switch method {
	case "all/struct":
		v := allkinds.DefaultAllStructParams()
		v.Name = text(members["name"])
		if level, ok := members["level"]; ok {
			v.Level = allkinds.Level(text(level))
		}
		_, deeper := members["inner"]
		return v, v.Name != "" && slices.Contains([]allkinds.Level{"low", "mid", "high"}, v.Level) && !deeper
	case "all/scalar":
		n, ok := integer(number(members["n"]))
		return allkinds.AllScalarParams{N: n}, ok
	case "all/ref":
		x, errX := strconv.ParseFloat(number(members["x"]), 64)
		y, errY := strconv.ParseFloat(number(members["y"]), 64)
		return allkinds.Point{X: x, Y: y}, errX == nil && errY == nil && len(members) == 2
	}
	return nil, false
}

// goodRequest reports whether the members are those of a request with params by name.
func goodRequest(envelope map[string]jsontext.Value) bool {
	id, hasID := envelope["id"]
	_, result := envelope["result"]
	_, failure := envelope["error"]
	return string(envelope["jsonrpc"]) == `"2.0"` && envelope["method"].Kind() == '"' && envelope["params"].Kind() == '{' &&
		(!hasID || id.Kind() == '"' || id.Kind() == '0' || id.Kind() == 'n') && !result && !failure
}

// readMembers reads an object, without the help of this module. Members that come twice are told by once.
func readMembers(object []byte) (members map[string]jsontext.Value, once bool) {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	members, once = map[string]jsontext.Value{}, true
	if d.PeekKind() != '{' {
		return nil, false
	}
	for _, err := d.ReadToken(); err == nil && d.PeekKind() != '}'; {
		var name jsontext.Token
		if name, err = d.ReadToken(); err != nil {
			break
		}
		key := name.String()
		var value jsontext.Value
		value, err = d.ReadValue()
		_, again := members[key]
		once = once && !again
		members[key] = value.Clone()
	}
	return members, once
}

// twice reports whether one of names comes more than once among the members of object.
func twice(object []byte, names ...string) bool {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	counts := map[string]int{}
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return false
		}
		counts[name.String()]++
		if _, err := d.ReadValue(); err != nil {
			return false
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return counts[name] > 1 })
}

// text is the string that v is; empty: it is none.
func text(v jsontext.Value) (s string) {
	if v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// number is the text of the number that v is; empty: it is none.
func number(v jsontext.Value) string {
	if v.Kind() != '0' {
		return ""
	}
	return string(v)
}

// integer is the exact value of a JSON number, when it is an integer of 64 bits.
func integer(number string) (int64, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if n, ok := new(big.Rat).SetString(mantissa); !ok || n.Sign() == 0 || len(exponent) > 5 {
		return 0, ok && n.Sign() == 0 // more than 64 bits, or far less than 1
	}
	n, _ := new(big.Rat).SetString(number)
	return n.Num().Int64(), n.IsInt() && n.Num().IsInt64()
}

// requestWriter writes requests at random.
type requestWriter struct{ *rand.Rand }

// newRequestWriter writes the same requests in each run, and others with -rapid.seed=0.
func newRequestWriter(t *testing.T) requestWriter {
	seed, err := strconv.ParseUint(flag.Lookup("rapid.seed").Value.String(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	seed = cmp.Or(seed, rand.Uint64())
	t.Logf("-rapid.seed=%d", seed)
	return requestWriter{rand.New(rand.NewPCG(1, seed))}
}

func (w requestWriter) chance(n int) bool { return w.IntN(n) == 0 }

func (w requestWriter) one(of ...string) string { return of[w.IntN(len(of))] }

// spacings are the spaces before a name, before its colon and after the colon; most clients write one of the first two.
var spacings = [][3]string{{"", "", ""}, {" ", "", " "}, {"", "", " "}, {"\n\t", " ", "\r\n"}, {"  ", "", ""}}

func (w requestWriter) request() []byte {
	space := spacings[min(w.IntN(8), w.IntN(len(spacings)))]
	method, params := w.call(space)
	members := [][2]string{{"jsonrpc", `"2.0"`}, {"id", w.one("7", `"a"`, "-1", "123456789012345678901", `"\u00e9"`, "null", "1.5")}, {"method", method}, {"params", params}}
	if w.chance(8) {
		members = append(members, [2]string{w.one("x", "Method", "result", "meta"), w.one("1", `[{"a":"}"}]`, `"é"`)})
	}
	msg := w.object(members, space)
	if w.chance(3) {
		msg = w.spoil(msg)
	}
	return msg
}

// call returns the name of a method and params for it, which are good more often than not.
func (w requestWriter) call(space [3]string) (method, params string) {
	var members [][2]string
	number := func() string {
		return w.one("1", "0", "-0", "12.5", "0.1", "1e2", "1.0", "-7", "9223372036854775807", "9223372036854775808", "1E400", "3.0000000000000001",
			"0.30000000000000004", strconv.FormatInt(w.Int64()>>w.IntN(64), 10), strconv.FormatFloat(w.NormFloat64(), 'g', 1+w.IntN(17), 64))
	}
	switch w.IntN(3) {
	case 0:
		method, members = `"all/struct"`, [][2]string{{"name", w.one(`"Paris"`, `"東京"`, `"a\nb"`, `"\ud83d\ude00"`, `"a longer name than fits in a word or two"`, `""`, "7")}}
		if w.chance(2) {
			members = append(members, [2]string{"level", w.one(`"low"`, `"high"`, `"m\u0069d"`, `"Low"`)})
		}
	case 1:
		method, members = `"all/scalar"`, [][2]string{{"n", number()}}
	default:
		method, members = w.one(`"all/ref"`, `"all\/ref"`), [][2]string{{"x", number()}, {"y", number()}}
	}
	if w.chance(6) {
		members = append(members, [2]string{w.one("extra", "N", "nam", "name ", "levels"), w.one("null", `{"n":[1,2]}`)})
	}
	return method, string(w.object(members, space))
}

// object writes members in the usual order or another, some of them twice or with an escape in the name.
func (w requestWriter) object(members [][2]string, space [3]string) []byte {
	if w.chance(2) {
		w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	}
	if w.chance(20) {
		members = append(members, members[w.IntN(len(members))])
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteString("," + space[0])
		}
		name := m[0]
		if w.chance(25) {
			name = fmt.Sprintf(`\u%04x`, name[0]) + name[1:]
		}
		b.WriteString(`"` + name + `"` + space[1] + ":" + space[2] + m[1])
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// spoil flips, cuts, repeats or inserts something.
func (w requestWriter) spoil(msg []byte) []byte {
	i := w.IntN(len(msg))
	j := min(len(msg), i+1+w.IntN(8))
	switch w.IntN(5) {
	case 0:
		msg[i] ^= 1 << w.IntN(8)
	case 1:
		return msg[:i]
	case 2:
		return slices.Delete(msg, i, j)
	case 3:
		return slices.Insert(msg, i, slices.Clone(msg[i:j])...)
	default:
		return slices.Insert(msg, i, `"{}[],:\0 `[w.IntN(10)])
	}
	return msg
}
