// Package txtar reads archives of text files, as golang.org/x/tools/txtar defines them: a comment, and files, each after a
// line "-- name --".
//
//test:sequential
package txtar

import "bytes"

// Archive is a comment and files.
type Archive struct {
	Comment []byte
	Files   []File
}

// File is a file of an archive.
type File struct {
	Name string
	Data []byte
}

// Parse reads an archive.
func Parse(text []byte) *Archive {
	a := new(Archive)
	data := &a.Comment
	for line := range bytes.Lines(text) {
		if name, ok := marker(line); ok {
			a.Files = append(a.Files, File{Name: name})
			data = &a.Files[len(a.Files)-1].Data
			continue
		}
		*data = append(*data, line...)
	}
	return a
}

func marker(line []byte) (name string, ok bool) {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) < len("-- x --") || !bytes.HasPrefix(line, []byte("-- ")) || !bytes.HasSuffix(line, []byte(" --")) {
		return "", false
	}
	name = string(bytes.TrimSpace(line[3 : len(line)-3]))
	return name, name != ""
}
