package templates

import (
	"bytes"
	"go/format"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dave/jennifer/jen"
)

// Formatting is most of the work of generating. So a file is cut into parts at its top level, and the parts of all files are
// formatted side by side.

// cut is the line that marks a place where a file may be cut; it does not reach the file. Its control
// character stands in no text of an author: schema/text escapes it.
const cut = "//\x01cut"

// boundary begins a top-level declaration: an empty line goes before it.
func boundary(f *jen.File) { f.Comment(cut) }

// draft is a file that is being made.
type draft struct {
	name  string
	parts [][]byte // of whole declarations; nil if there is no such file
	err   error
}

// split cuts the text of a file into parts of about a size that is worth a goroutine.
func (d *draft) split(text []byte) {
	const enough = 32 << 10 // bytes
	var part []byte
	for piece := range bytes.SplitSeq(groupImports(text), []byte(cut+"\n")) {
		if piece = bytes.TrimSpace(piece); len(piece) == 0 {
			continue
		}
		if len(part) > 0 {
			part = append(part, "\n\n"...)
		}
		if part = append(part, piece...); len(part) >= enough {
			d.parts = append(d.parts, part)
			part = nil
		}
	}
	if len(part) > 0 {
		d.parts = append(d.parts, part)
	}
}

// formatAll formats the parts of all drafts.
func formatAll(drafts []draft) error {
	type place struct{ draft, part int }
	var places []place
	for i := range drafts {
		if drafts[i].err != nil {
			return drafts[i].err
		}
		for j := range drafts[i].parts {
			places = append(places, place{i, j})
		}
	}
	errs := make([]error, len(places))
	parallel(len(places), func(i int) {
		d := &drafts[places[i].draft]
		// An empty line goes before: a comment that begins a part would be taken for one after a package clause.
		text, err := format.Source(append([]byte("\n"), d.parts[places[i].part]...))
		errs[i] = err
		d.parts[places[i].part] = bytes.TrimSpace(text)
	})
	for i := range drafts {
		if parts := drafts[i].parts; parts != nil {
			parts[len(parts)-1] = append(parts[len(parts)-1], '\n')
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
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
