package templates

import (
	"bytes"
	"go/format"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// File is a generated file.
type File struct {
	Name string // without a folder, or in one below that of the package, with a slash
	Text []byte
	Head int // of a part of a file that is not the first, how much of the text is what the file begins with
}

// Formatting is most of the work of generating. So a file is cut into parts at its top level, and the parts of all files are formatted side by side.

// cut is the line that marks a place where a file may be cut; it does not reach the file. Its control
// character stands in no text of an author: schema/text escapes it.
const cut = "//\x01cut"

// file is a file that is being made. As trees of jennifer, its declarations take some 20 times the memory of their text: they are kept until there are
// several of them.
type file struct {
	code  *jen.File
	name  string
	held  int      // calls of flush since the declarations became text
	parts [][]byte // whole declarations, as text of about a size that is worth a goroutine; the first one is led by the head of the file at last
	err   error
}

func newFile(name, pkg, header string) *file {
	f := &file{code: jen.NewFile(pkg), name: name}
	f.code.NoFormat = true
	f.code.HeaderComment("// " + header)
	boundary(f.code)
	return f
}

// boundary begins a top-level declaration: an empty line goes before it.
func boundary(f *jen.File) { f.Comment(cut) }

// flush makes text of the declarations now and then. Another one begins after it.
func (f *file) flush() {
	if f.held++; f.held%16 == 0 {
		f.text()
		boundary(f.code)
	}
}

// text makes text of the declarations, and returns what stands before them: as far as they are known, with all imports.
func (f *file) text() []byte {
	const enough = 32 << 10 // bytes
	var source bytes.Buffer
	if err := f.code.Render(&source); err != nil && f.err == nil {
		f.err = err
	}
	source.WriteByte('\n')
	f.code.Group = jen.NewFile("").Group
	head, body, _ := bytes.Cut(source.Bytes(), []byte(cut+"\n"))
	for piece := range bytes.SplitSeq(body, []byte(cut+"\n")) {
		if piece = bytes.TrimSpace(piece); len(piece) == 0 {
			continue
		}
		last := len(f.parts) - 1
		if last < 0 || len(f.parts[last]) >= enough {
			f.parts = append(f.parts, bytes.Clone(piece))
			continue
		}
		f.parts[last] = append(append(f.parts[last], "\n\n"...), piece...)
	}
	return head
}

// formatAll formats files, but for those that are nil. A draft are parts of them as they are.
func formatAll(all []*file, draft bool) ([]File, error) {
	type place struct {
		of   *file
		part int
	}
	var places []place
	var parts []File
	all = slices.DeleteFunc(all, func(f *file) bool { return f == nil })
	for _, f := range all {
		head := groupImports(f.text())
		if f.err != nil {
			return nil, f.err
		}
		if len(f.parts) == 0 {
			f.parts = [][]byte{nil}
		}
		f.parts[0] = slices.Concat(head, f.parts[0])
		for i, text := range f.parts {
			places = append(places, place{f, i})
			if at := min(i, 1) * len(head); draft {
				parts = append(parts, File{f.name, slices.Concat(head[:at], text), at})
			}
		}
	}
	if draft {
		return parts, nil
	}
	errs := make([]error, len(places))
	parallel(len(places), func(i int) {
		part := &places[i].of.parts[places[i].part]
		// An empty line goes before: a comment that begins a part would be taken for one after a package clause.
		text, err := format.Source(append([]byte("\n"), *part...))
		*part, errs[i] = bytes.TrimSpace(text), err
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return ir.Each(all, func(f *file) File { return File{Name: f.name, Text: append(bytes.Join(f.parts, []byte("\n\n")), '\n')} }), nil
}

// parallel calls work for 0 to n-1, as many at a time as there are processors.
func parallel(n int, work func(int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	wait.Wait()
}

// groupImports parts the standard library's imports from the others, as people do; jennifer writes one group.
func groupImports(text []byte) []byte {
	open := []byte("\nimport (\n") // a line of code: one of a comment begins with slashes
	start := bytes.Index(text, open)
	if start < 0 {
		return text
	}
	start += len(open)
	end := start + bytes.IndexByte(text[start:], ')')
	var standard, others []byte
	for line := range bytes.Lines(text[start:end]) {
		if first, _, _ := bytes.Cut(line, []byte("/")); bytes.IndexByte(first, '.') < 0 {
			standard = append(standard, line...)
		} else {
			others = append(others, line...)
		}
	}
	if len(standard) == 0 || len(others) == 0 {
		return text
	}
	return slices.Concat(text[:start], standard, []byte("\n"), others, text[end:])
}
