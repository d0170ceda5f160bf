package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// handWrittenFiles parses the files of Go that are neither generated nor part of a test.
func handWrittenFiles(t *testing.T, visit func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parse(name)
		if err == nil && !ast.IsGenerated(file) {
			visit(filepath.ToSlash(name), file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// adjective finds words that are a participle or a pronoun: as a name, they say neither what something holds nor what it does.
var adjective = regexp.MustCompile(`^([a-z]+(ed|oken|osen|itten|idden|iven|rawn|nown)|said|told|held|kept|left|lost|sent|begun|shown|made|found|done|gone|heard|bound|built|led|met|` +
	`paid|seen|spent|unsent|unsaid|misread|one|what|this|that|others?|another|both|either|own|anyone|everything|nothing|whose|these|those|again|together|alone|always|` +
	`otherwise|because)$`)

// verbs end like participles, as do some nouns.
var verbs = []string{"need", "feed", "seed", "embed", "exceed", "proceed", "speed", "token", "loosen"}

// adjectives are how many names of functions, types, variables and methods are. Those of methods that report something are not counted: `if x.closed()`
// reads well. It may only fall.
const adjectives = 145

// TestNames counts them.
func TestNames(t *testing.T) {
	root()
	t.Parallel()
	var all []string
	handWrittenFiles(t, func(_ string, file *ast.File) {
		take := func(id *ast.Ident) {
			word := strings.ToLower(id.Name[:1]) + id.Name[1:]
			if adjective.MatchString(word) && !slices.Contains(verbs, word) {
				all = append(all, fmt.Sprintf("%s: %s", positions.Position(id.Pos()), id.Name))
			}
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || !reports(d.Type.Results) {
					take(d.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						take(s.Name)
					case *ast.ValueSpec:
						if d.Tok == token.VAR {
							take(s.Names[0])
						}
					}
				}
			}
		}
	})
	if len(all) > adjectives {
		t.Errorf("%d names are a participle or a pronoun, and not at most %d: use a noun or a verb%s", len(all), adjectives, ofYours(all))
	}
}

// reports reports whether a function returns one thing, which is true or false.
func reports(results *ast.FieldList) bool {
	if results == nil || len(results.List) != 1 {
		return false
	}
	id, ok := results.List[0].Type.(*ast.Ident)
	return ok && id.Name == "bool"
}

// intricate are the functions with more than 30 ways through them: a scanner and a parser of lines, which are one table each.
var intricate = []string{"runtime/gen/wire.skip", "schema/syntax.line"}

// TestWays counts the ways through each function: one, and one more for each condition, loop, case, && and ||.
func TestWays(t *testing.T) {
	root()
	t.Parallel()
	const most = 30
	handWrittenFiles(t, func(name string, file *ast.File) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ways := 1
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
					ways++
				case *ast.CaseClause:
					ways += min(len(n.List), 1)
				case *ast.CommClause:
					if n.Comm != nil {
						ways++
					}
				case *ast.BinaryExpr:
					if n.Op == token.LAND || n.Op == token.LOR {
						ways++
					}
				}
				return true
			})
			if called := path.Dir(name) + "." + f.Name.Name; ways > most && !slices.Contains(intricate, called) {
				t.Errorf("%s has %d ways through it, and not at most %d: divide it", called, ways, most)
			}
		}
	})
}
