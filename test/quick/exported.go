package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// exportedChanges returns the exported names whose declarations differ between the last commit and now in files of a package: "Options", "Server.Close".
// A file that cannot be read as Go declares nothing.
func exportedChanges(files []string) []string {
	before, after := map[string]string{}, map[string]string{}
	for _, file := range files {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		committed, _ := exec.Command("git", "show", "HEAD:"+file).Output() // none where the file is new
		now, _ := os.ReadFile(file)
		maps.Copy(before, declarations(committed))
		maps.Copy(after, declarations(now))
	}
	return differences(before, after)
}

// goneTexts returns what programs no longer print, of 12 bytes and more with a space: what follows a quote, a verb or an escape in lines that are gone.
func goneTexts(files []string) (all []string) {
	diff, _ := exec.Command("git", append([]string{"diff", "-U0", "HEAD", "--", ":!*.md", ":!*_test.go", ":!*.gen.go"}, files...)...).Output()
	gone, kept := regexp.MustCompile(`(?m)^[^-].*`).ReplaceAll(diff, nil), regexp.MustCompile(`(?m)^-.*`).ReplaceAllString(string(diff), "")
	for _, m := range regexp.MustCompile("(?:[\"`]|%[+#]?\\w|\\\\.)([^\"`%\\\\\n]{12,})").FindAllSubmatch(gone, -1) {
		if text := strings.Trim(string(m[1]), " .,:;()"); strings.Contains(text, " ") && !strings.Contains(kept, text) {
			all = append(all, text)
		}
	}
	return all
}

// differences returns the names that two lists of declarations do not share, or whose texts differ, in order.
func differences(before, after map[string]string) (names []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] != after[name] { // no declaration is an empty text
			names = append(names, name)
		}
	}
	return names
}

// declarations returns what a file exports, without comments and bodies, by name.
func declarations(text []byte) map[string]string {
	all := map[string]string{}
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return all
	}
	ast.FileExports(file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body = nil
			name := d.Name.Name
			if d.Recv != nil {
				name = strings.Trim(printed(d.Recv.List[0].Type), "*") + "." + name
			}
			all[name] = printed(d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					all[s.Name.Name] = printed(s)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						all[n.Name] = printed(s)
					}
				}
			}
		}
	}
	return all
}

// printed returns a node as text that does not depend on where it stands.
func printed(node any) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, token.NewFileSet(), node) // the parser made it
	return b.String()
}
