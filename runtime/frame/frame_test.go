package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// readAll returns what r hands out until it ends, one line each.
func readAll(r frame.Reader) (got []string) {
	for range 10_000 {
		p, err := r.ReadFrame()
		large, isLarge := errors.AsType[*frame.TooLargeError](err)
		header, isHeader := errors.AsType[*frame.HeaderError](err)
		switch {
		case err == nil:
			got = append(got, string(p))
		case isLarge:
			got = append(got, fmt.Sprint("too large: ", large.Size))
		case isHeader:
			got = append(got, "header: "+header.What)
		default:
			return append(got, err.Error())
		}
	}
	return append(got, "no end")
}

// ways are readers that hand out the same bytes differently.
var ways = map[string]func(string) io.Reader{
	"whole":     func(s string) io.Reader { return strings.NewReader(s) },
	"by byte":   func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
	"halves":    func(s string) io.Reader { return iotest.HalfReader(strings.NewReader(s)) },
	"data, EOF": func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) },
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	tests := []struct {
		name, in string
		max      int
		want     []string
	}{
		{"frames", "a\nbc\n", 0, []string{"a", "bc", "EOF"}},
		{"CR LF", "a\r\nb\r\n", 0, []string{"a", "b", "EOF"}},
		{"blank lines", "\n\r\n \t\na\n\n", 0, []string{"a", "EOF"}},
		{"no end", "a\nb", 0, []string{"a", "b", "EOF"}},
		{"nothing", "", 0, []string{"EOF"}},
		{"just fits", "1234\n", 4, []string{"1234", "EOF"}},
		{"just fits with CR", "1234\r\n5678", 4, []string{"1234", "5678", "EOF"}},
		{"too large", "12345\na\n", 4, []string{"too large: 5", "a", "EOF"}},
		{"too large at the end", "a\n12345", 4, []string{"a", "too large: 5", "EOF"}},
		{"much too large", long + "\na\n" + long + "\n", 4, []string{"too large: 10000", "a", "too large: 10000", "EOF"}},
		{"a byte order mark", "\ufeffa\n\ufeffb\n", 0, []string{"a", "\ufeffb", "EOF"}},
		{"a mark and a blank line", "\ufeff\r\n\ufeffb", 0, []string{"\ufeffb", "EOF"}},
		{"a mark alone", "\ufeff", 0, []string{"EOF"}},
		{"a part of a mark", "\xef\xbba\n", 0, []string{"\xef\xbba", "EOF"}},
		{"long", long + "\na\n", 0, []string{long, "a", "EOF"}},
	}
	for _, test := range tests {
		for way, reader := range ways {
			got := readAll(frame.Lines.NewReader(reader(test.in), test.max))
			if !slices.Equal(test.want, got) {
				t.Errorf("%s, %s: got %q, want %q", test.name, way, got, test.want)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	f := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(s), s) }
	long := strings.Repeat("x", 100_000)
	tests := []struct {
		name, in string
		max      int
		want     []string
	}{
		{"frames", f("a") + f("b\nc") + f(""), 0, []string{"a", "b\nc", "", "EOF"}},
		{"other fields and cases", "content-type: x\ncontent-LENGTH:  1 \n\na", 0, []string{"a", "EOF"}},
		{"line ends between", f("a") + "\r\n\n" + f("b"), 0, []string{"a", "b", "EOF"}},
		{"the same length twice", "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", 0, []string{"a", "EOF"}},
		{"two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab" + f("c"), 0,
			[]string{"header: two different Content-Length fields", "c", "EOF"}},
		{"negative", "Content-Length: -1\r\n\r\n" + f("c"), 0, []string{"header: Content-Length is not a number of bytes", "c", "EOF"}},
		{"huge", "Content-Length: 99999999999999999999\r\n\r\n{}" + f("c"), 0,
			[]string{"header: Content-Length is not a number of bytes", "c", "EOF"}},
		{"missing", "Content-Type: x\r\n\r\n{}" + f("c"), 0, []string{"header: a header without Content-Length", "c", "EOF"}},
		{"no colon", `{"jsonrpc":"2.0"}` + "\r\n" + f("c"), 0, []string{"c", "EOF"}},
		{"after a long body", "Content-Length: x\r\n\r\n" + long + f("c") + f("d"), 0,
			[]string{"header: Content-Length is not a number of bytes", "c", "d", "EOF"}},
		{"long line", "X: " + long + "\r\nContent-Length: 1\r\n\r\na" + f("c"), 0,
			[]string{"header: a header line of more than 4096 bytes", "a", "c", "EOF"}},
		{"many lines", strings.Repeat("X: y\r\n", 40) + "Content-Length: 1\r\n\r\na", 0,
			[]string{"header: a header of more than 32 lines", "a", "EOF"}},
		{"too large", f("12345") + f("a"), 4, []string{"too large: 5", "a", "EOF"}},
		{"much too large", f(long) + f("a"), 4, []string{"too large: 100000", "a", "EOF"}},
		{"long", f(long) + f("a"), 0, []string{long, "a", "EOF"}},
		{"cut", "Content-Length: 5\r\n\r\nab", 0, []string{"unexpected EOF"}},
		{"cut header", "Content-Length: 5\r\n", 0, []string{"unexpected EOF"}},
		{"cut and too large", "Content-Length: 50\r\n\r\nab", 4, []string{"unexpected EOF"}},
		{"nothing", "", 0, []string{"EOF"}},
	}
	tests[8].want = []string{"header: a header line without a colon", "c", "EOF"}
	tests[8].in = "rubbish\r\n" + f("c")
	for _, test := range tests {
		for way, reader := range ways {
			got := readAll(frame.Headers.NewReader(reader(test.in), test.max))
			if !slices.Equal(test.want, got) {
				t.Errorf("%s, %s: got %q, want %q", test.name, way, got, test.want)
			}
		}
	}
}

// TestEdges: what is reported about a frame over the limit has its first and its last bytes, and reading goes on after it.
func TestEdges(t *testing.T) {
	for _, size := range []int{11, 100, 256, 300, 511, 512, 5000, 20_000} {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte('a' + i*i%23)
		}
		n := min(size, 256)
		for way, reader := range ways {
			for _, f := range []frame.Framing{frame.Lines, frame.Headers} {
				var in bytes.Buffer
				w := f.NewWriter(&in, 0)
				if err := errors.Join(w.WriteFrame(text), w.WriteFrame([]byte("next"))); err != nil {
					t.Fatal(err)
				}
				r := f.NewReader(reader(in.String()), 10)
				_, err := r.ReadFrame()
				e, ok := errors.AsType[*frame.TooLargeError](err)
				if !ok || e.Size != int64(size) || e.Max != 10 || !bytes.Equal(e.Head, text[:n]) || !bytes.Equal(e.Tail, text[size-n:]) {
					t.Errorf("%d bytes, %s: %#v", size, way, err)
				}
				if next, err := r.ReadFrame(); string(next) != "next" {
					t.Errorf("%d bytes, %s: %q, %v after it", size, way, next, err)
				}
			}
		}
	}
}

// TestMarkEdges: the id of a message over the limit is found after a byte order mark as well.
func TestMarkEdges(t *testing.T) {
	_, err := frame.Lines.NewReader(strings.NewReader("\ufeff12345\n"), 4).ReadFrame()
	if e, ok := errors.AsType[*frame.TooLargeError](err); !ok || string(e.Head) != "12345" {
		t.Errorf("got %v", err)
	}
}

// TestClaimedLength: a length that is only claimed costs no memory.
func TestClaimedLength(t *testing.T) {
	r := frame.Headers.NewReader(strings.NewReader("Content-Length: 1000000000\r\n\r\nabc"), 1<<30)
	if n := testing.AllocsPerRun(1, func() {
		if _, err := r.ReadFrame(); err == nil {
			t.Error("no error")
		}
	}); n > 50 {
		t.Error(n)
	}
}

// counter counts writes.
type counter struct {
	bytes.Buffer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n++
	return c.Buffer.Write(p)
}

func TestWriters(t *testing.T) {
	for _, f := range []frame.Framing{frame.Lines, frame.Headers} {
		var out counter
		w := f.NewWriter(&out, 100_000)
		frames := []string{"a", strings.Repeat("b", 100_000), "c"}
		for _, p := range frames {
			if err := w.WriteFrame([]byte(p)); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := errors.AsType[*frame.TooLargeError](w.WriteFrame(make([]byte, 100_001))); !ok {
			t.Error("a frame over the limit was written")
		}
		if out.n != 3 {
			t.Errorf("%d writes", out.n)
		}
		if got := readAll(f.NewReader(&out, 0)); !slices.Equal(append(frames, "EOF"), got) {
			t.Errorf("got %q, want %q", got, frames)
		}
	}
	if err := frame.Lines.NewWriter(io.Discard, 0).WriteFrame([]byte("a\nb")); err != frame.ErrNewline {
		t.Errorf("got %v", err)
	}
	if err := frame.Lines.NewWriter(short{}, 0).WriteFrame([]byte("abc")); err != io.ErrShortWrite {
		t.Errorf("got %v", err)
	}
}

// TestBrokenStream: the last line of a stream that ends may lack its terminator; of one that breaks it is a part of a frame.
func TestBrokenStream(t *testing.T) {
	broken := errors.New("broken")
	for _, end := range []struct {
		err  error
		want []string
	}{{io.EOF, []string{"a", "b", "EOF"}}, {frame.ErrHangup, []string{"a", "b", frame.ErrHangup.Error()}}, {broken, []string{"a", "broken"}}} {
		r := frame.Lines.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(end.err)), 0)
		if got := readAll(r); !slices.Equal(got, end.want) {
			t.Errorf("%v: got %q, want %q", end.err, got, end.want)
		}
	}
}

// TestGatherers: frames that are appended are those that are written one by one, and a frame that cannot be framed leaves them as they were.
func TestGatherers(t *testing.T) {
	for _, f := range []frame.Framing{frame.Lines, frame.Headers} {
		var single, together counter
		w := f.NewWriter(&single, 10)
		g := frame.NewConn(nil, f.NewWriter(&together, 10), nil).(frame.Gatherer)
		var all []byte
		for _, p := range []string{"a", "ten bytes.", "", "b"} {
			if err := w.WriteFrame([]byte(p)); err != nil {
				t.Fatal(err)
			}
			var err error
			if all, err = g.AppendFrame(all, []byte(p)); err != nil {
				t.Fatal(err)
			}
			before := len(all)
			if all, err = g.AppendFrame(all, []byte("eleven bytes")); err == nil || len(all) != before {
				t.Errorf("a frame over the limit: %v", err)
			}
		}
		if err := g.WriteFrames(all); err != nil || single.String() != together.String() || together.n != 1 {
			t.Errorf("got %q by %d writes, want %q: %v", together.String(), together.n, single.String(), err)
		}
	}
	if _, gathers := frame.NewConn(nil, frame.Trace(nil, nil), nil).(frame.Gatherer); gathers {
		t.Error("a writer that takes frames one by one gathers")
	}
}

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

// TestReadersOwnTheirFrames: what was handed out does not change when more is read.
func TestReadersOwnTheirFrames(t *testing.T) {
	r := frame.Lines.NewReader(strings.NewReader("first\nsecond\nthird\n"), 0)
	first, _ := r.ReadFrame()
	r.ReadFrame()
	second, _ := r.ReadFrame()
	if string(first) != "first" || string(second) != "third" {
		t.Errorf("got %s, %s", first, second)
	}
}

// TestLargeFramesAreReadInPlace: frames of all sizes follow one another, in pieces of all sizes, and a large one after another is read into memory of its size.
func TestLargeFramesAreReadInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, framing := range []frame.Framing{frame.Lines, frame.Headers} {
		for range 20 {
			var stream bytes.Buffer
			w := framing.NewWriter(&stream, 0)
			var sizes []int
			for i := range 30 {
				sizes = append(sizes, 1+r.IntN(1<<(1+r.IntN(18))))
				if err := w.WriteFrame(bytes.Repeat([]byte{'a' + byte(i%26)}, sizes[i])); err != nil {
					t.Fatal(err)
				}
			}
			reader := framing.NewReader(&pieces{r, stream.Bytes()}, 0)
			for i, size := range sizes {
				got, err := reader.ReadFrame()
				if err != nil || len(got) != size || bytes.Count(got, []byte{'a' + byte(i%26)}) != size {
					t.Fatalf("frame %d of %d bytes: %d bytes, %v", i, size, len(got), err)
				}
				if cap(got) > 2*size+8<<10 {
					t.Errorf("a frame of %d bytes has memory of %d", size, cap(got))
				}
			}
			if _, err := reader.ReadFrame(); err != io.EOF {
				t.Error(err)
			}
		}
		var stream bytes.Buffer
		w, large := framing.NewWriter(&stream, 0), bytes.Repeat([]byte{'x'}, 1<<20)
		for range 2 {
			w.WriteFrame(large)
		}
		reader := framing.NewReader(&stream, 0)
		reader.ReadFrame()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		reader.ReadFrame()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 3<<19 {
			t.Errorf("%d bytes for a frame of 1 MiB after another", n)
		}
	}
}

// pieces is a stream that comes in pieces.
type pieces struct {
	r    *rand.Rand
	left []byte
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 1+p.r.IntN(1<<(1+p.r.IntN(17))))], p.left)
	p.left = p.left[n:]
	return n, nil
}

func TestStuckReader(t *testing.T) {
	got := readAll(frame.Lines.NewReader(stuck{}, 0))
	if len(got) != 1 || !strings.Contains(got[0], "multiple Read calls") {
		t.Error(got)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func FuzzFrameLine(f *testing.F) {
	f.Add([]byte("a\r\n\nbc\n123456789\nx"), 4)
	f.Fuzz(func(t *testing.T, in []byte, max int) {
		max = max&0xff + 1
		fuzz(t, frame.Lines, in, max)
		var want []string
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			line := strings.TrimSuffix(string(line), "\r")
			if len(line) <= max && strings.Trim(line, " \t\r") != "" {
				want = append(want, line)
			}
		}
		var got []string
		got = append(got, frames(frame.Lines.NewReader(bytes.NewReader(in), max))...)
		if !slices.Equal(want, got) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func FuzzFrameHeader(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n123456789"), 4)
	f.Add([]byte("Content-Length: -2\r\n\r\n{}Content-Length: 1\n\nx"), 4)
	f.Fuzz(func(t *testing.T, in []byte, max int) {
		fuzz(t, frame.Headers, in, max&0xff+1)
	})
}

// frames returns the frames alone.
func frames(r frame.Reader) (got []string) {
	for {
		p, err := r.ReadFrame()
		_, large := errors.AsType[*frame.TooLargeError](err)
		_, header := errors.AsType[*frame.HeaderError](err)
		switch {
		case err == nil:
			got = append(got, string(p))
		case !large && !header:
			return got
		}
	}
}

// fuzz reads in whole and in pieces, and what was read again after it was written.
func fuzz(t *testing.T, f frame.Framing, in []byte, max int) {
	got := readAll(f.NewReader(bytes.NewReader(in), max))
	if got[len(got)-1] == "no end" {
		t.Fatal("no end")
	}
	pieces := readAll(f.NewReader(iotest.OneByteReader(bytes.NewReader(in)), max))
	if !slices.Equal(got, pieces) {
		t.Fatalf("in pieces %q, whole %q", pieces, got)
	}
	var out bytes.Buffer
	w := f.NewWriter(&out, max)
	var want []string
	for _, p := range frames(f.NewReader(bytes.NewReader(in), max)) {
		switch err := w.WriteFrame([]byte(p)); {
		case err == nil:
			want = append(want, p)
		case err != frame.ErrNewline || !strings.HasSuffix(p, "\r"): // 0, CR, CR is read as 0, CR, and no line
			t.Fatal(err)
		}
	}
	if again := frames(f.NewReader(&out, max)); !slices.Equal(want, again) {
		t.Fatalf("again %q, want %q", again, want)
	}
}

// endless is a stream without an end, which counts what was read of it.
type endless struct {
	begin string
	n     int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	if e.n == 0 {
		copy(p, e.begin)
	}
	e.n += len(p)
	return len(p), nil
}

// TestEndless: of a message far over the limit, a part is skipped, and then the stream ends.
func TestEndless(t *testing.T) {
	for _, framing := range []frame.Framing{frame.Lines, frame.Headers} {
		for _, max := range []int{100, 30 << 20} {
			e := new(endless)
			if framing == frame.Headers {
				e.begin = "Content-Length: 10000000000\r\n\r\n"
			}
			r := framing.NewReader(e, max)
			_, err := r.ReadFrame()
			if _, ok := errors.AsType[*frame.TooLargeError](err); !ok {
				t.Errorf("limit %d: %v", max, err)
			}
			for range 2 {
				if frame, err := r.ReadFrame(); err == nil || !strings.Contains(err.Error(), "size limit") {
					t.Errorf("limit %d: %d bytes, %v", max, len(frame), err)
				}
			}
			if most := 4*max + 65<<20; e.n > most {
				t.Errorf("limit %d: %d bytes were read, of at most %d", max, e.n, most)
			}
		}
	}
}
