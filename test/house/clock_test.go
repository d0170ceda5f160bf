package house

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// waits is how many calls in tests, those of nested modules included, wait for a time or limit one to less than what a busy machine takes for a small
// thing. The figure may fall. It rises only with a reason in the change that raises it: a test in memory runs in a bubble of testing/synctest, others
// wait for what happens, with a limit that nobody reaches.
const waits = 53

// unhurried is the shortest limit that does not count.
const unhurried = 10 * time.Second

// clocks are the functions that wait for a time, with the index of the argument that says how long.
var clocks = map[string]int{
	"time.Sleep": 0, "time.After": 0, "time.AfterFunc": 0, "time.NewTimer": 0, "time.Tick": 0, "time.NewTicker": 0, "context.WithTimeout": 1, "context.WithDeadline": 1,
}

// TestClock counts the calls of clocks in tests and in the packages that import testing. Those of the fake clock of a bubble are left out: calls within a
// function that is passed to synctest.Test, or in one whose comment says that it runs in a bubble. So are limits of at least ten seconds.
func TestClock(t *testing.T) {
	root()
	var found []string
	for _, files := range testFiles(t) {
		p := clockedPackage(files)
		for _, file := range files {
			for _, decl := range file.Decls {
				p.count(decl)
			}
		}
		for _, at := range p.found {
			found = append(found, positions.Position(at).String())
		}
	}
	slices.Sort(found)
	if t.Log(strings.Join(found, "\n")); len(found) > waits {
		t.Errorf("%d calls in tests wait for a time, and not at most %d: run the test in a bubble of testing/synctest, or wait for what happens", len(found), waits)
	}
}

// testFiles are the files of tests, and those that import testing, by folder.
func testFiles(t *testing.T) map[string][]*ast.File {
	all := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && notOurs(name):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parse(path)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			if strings.HasSuffix(path, "_test.go") || i.Path.Value == `"testing"` {
				folder := filepath.ToSlash(filepath.Dir(path))
				all[folder] = append(all[folder], file)
				break
			}
		}
		return nil
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d folders, %v", len(all), err)
	}
	return all
}

// clocked is a package whose clocks are counted.
type clocked struct {
	values map[string]ast.Expr // of constants
	bubble map[string]bool     // functions that run in one
	found  []token.Pos
}

// clockedPackage looks for the constants of a package, and for functions that are passed to synctest.Test.
func clockedPackage(files []*ast.File) *clocked {
	p := &clocked{map[string]ast.Expr{}, map[string]bool{}, nil}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				for _, s := range n.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && n.Tok == token.CONST && len(v.Names) == len(v.Values) {
						for i, name := range v.Names {
							p.values[name.Name] = v.Values[i]
						}
					}
				}
			case *ast.CallExpr:
				if f, ok := last(n).(*ast.Ident); ok && called(n) == "synctest.Test" {
					p.bubble[f.Name] = true
				}
			}
			return true
		})
	}
	return p
}

// called is the function of a package that is called, with the name of the package, or empty.
func called(c *ast.CallExpr) string {
	if f, ok := c.Fun.(*ast.SelectorExpr); ok {
		if of, ok := f.X.(*ast.Ident); ok {
			return of.Name + "." + f.Sel.Name
		}
	}
	return ""
}

// last is the last argument of a call, or nil.
func last(c *ast.CallExpr) ast.Expr {
	if len(c.Args) == 0 {
		return nil
	}
	return c.Args[len(c.Args)-1]
}

// count counts the clocks of a declaration.
func (p *clocked) count(decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok && (p.bubble[f.Name.Name] || strings.Contains(f.Doc.Text(), "bubble")) {
		return
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := called(c)
		if i, ok := clocks[name]; ok && (i >= len(c.Args) || p.duration(c.Args[i]) < unhurried) {
			p.found = append(p.found, c.Pos())
		}
		return name != "synctest.Test"
	})
}

// duration is the value of a constant expression; 0 if it is none.
func (p *clocked) duration(e ast.Expr) time.Duration {
	if v := p.value(e); v != nil {
		n, _ := constant.Int64Val(constant.ToInt(v))
		return time.Duration(n)
	}
	return 0
}

// durations are those that package time names.
var durations = map[string]time.Duration{"Nanosecond": 1, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}

// value is the value of a constant expression, or nil.
func (p *clocked) value(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.value(e.X)
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok && of.Name == "time" && durations[e.Sel.Name] > 0 {
			return constant.MakeInt64(int64(durations[e.Sel.Name]))
		}
	case *ast.Ident:
		if v := p.values[e.Name]; v != nil {
			return p.value(v)
		}
	case *ast.BinaryExpr:
		x, y := p.value(e.X), p.value(e.Y)
		if x != nil && y != nil && (e.Op == token.MUL || e.Op == token.ADD || e.Op == token.SUB) {
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return nil
}

// TestClockCounts counts the clocks of a text.
func TestClockCounts(t *testing.T) {
	root()
	const text = `package a
const patience, short = 20 * time.Second, 3 * time.Second
func TestOne(t *testing.T) {
	root()
	time.Sleep(time.Millisecond)
	<-time.After(patience)
	<-time.After(short)
	context.WithTimeout(ctx, time.Minute)
	context.WithTimeout(ctx, d)
	time.NewTimer(2 * 6 * time.Second)
	synctest.Test(t, func(t *testing.T) { time.Sleep(1) })
}
func TestTwo(t *testing.T) { synctest.Test(t, inside) }
func inside(t *testing.T) { time.Sleep(1) }
// helper waits in a bubble.
func helper() { time.Sleep(1) }
var f = func() { time.AfterFunc(5*time.Second, nil) }
`
	file, err := parser.ParseFile(token.NewFileSet(), "a_test.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	p := clockedPackage([]*ast.File{file})
	for _, decl := range file.Decls {
		p.count(decl)
	}
	if len(p.found) != 4 {
		t.Errorf("%d clocks are counted, and not 4", len(p.found))
	}
}
