package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	slash "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/file"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// far limits how many commits of a schema are searched for the version that the files were generated from.
const far = 20

// explainDrift prints which lines of the schema changed since the files were generated, and the effect of each. It prints
// nothing if the files are up to date or were never generated.
func (o output) explainDrift(w io.Writer) error {
	if o.lang != "go" {
		return nil // the difference of the texts is what there is to say
	}
	changes, err := o.changes()
	if err != nil || !slices.ContainsFunc(changes, func(c change) bool { return c.old != nil }) {
		return err
	}
	drifted, err := declarations(changes)
	if err != nil {
		fmt.Fprintf(w, "%s: %v\n", display(o.schema), err)
		return nil // the files are not valid Go any more: only their texts can be compared
	}
	if made, commit, err := o.madeBy(); made != nil {
		o.sinceSnapshot(w, diff.Compare(made, o.doc, goNames), commit, drifted)
	} else {
		o.fromFiles(w, err, drifted)
	}
	return nil
}

// madeBy returns the version of the schema in git that compiles to the files as they are, or nil. The error says why git was not searched.
func (o output) madeBy() (doc *ir.Document, commit string, err error) {
	folder, base := filepath.Dir(o.schema), filepath.Base(o.schema)
	log, err := git(folder, "rev-list", fmt.Sprintf("-%d", far), "--abbrev-commit", "HEAD", "--", base)
	for commit := range strings.FieldsSeq(string(log)) {
		e, path, err := gitSnapshot(folder, commit, base)
		if err != nil {
			return nil, "", err
		}
		if doc, _ := e.loader.Load(path); doc != nil && o.makes(doc) {
			return doc, commit, nil
		}
	}
	return nil, "", err
}

// makes reports whether a version of the schema compiles to the files as they are.
func (o output) makes(doc *ir.Document) bool {
	files, faults, err := templates.Generate(doc, o.options)
	if err != nil || faults.HasErrors() {
		return false
	}
	return !slices.ContainsFunc(files, func(f templates.File) bool {
		text, err := file.Read(filepath.Join(o.folder, f.Name))
		return err != nil || !bytes.Equal(text, f.Text)
	})
}

// sinceSnapshot prints what changed since the version that the files were generated from.
func (o output) sinceSnapshot(w io.Writer, r *diff.Report, commit string, drifted []drifting) {
	fmt.Fprintf(w, "%s changed since the files were generated from the version in git commit %s:\n", display(o.schema), commit)
	parts := append(templates.Parts(r.New), templates.Parts(r.Old)...)
	rest := slices.Clone(drifted)
	for _, c := range r.Changes {
		fmt.Fprintf(w, "  %s: %s: %s\n", o.line(c), c.Path, c.Text)
		var mine []drifting
		for _, d := range drifted {
			if part := templates.PartOf(d.owner, parts); part.Within(c.Path) {
				mine = append(mine, d)
			}
		}
		follows(w, "    ", mine)
		rest = slices.DeleteFunc(rest, func(d drifting) bool { return slices.Contains(mine, d) })
	}
	if len(r.Changes) == 0 {
		fmt.Fprintln(w, "  nothing that is declared: comments or order")
	}
	if len(rest) > 0 {
		fmt.Fprintln(w, "  and with them:")
		follows(w, "    ", rest)
	}
}

// line returns the place of a change in the present schema, or else in the version that the files were generated from.
func (o output) line(c *diff.Change) string {
	if c.New.Valid() {
		pos := c.New
		pos.File = display(pos.File)
		return pos.String()
	}
	return fmt.Sprintf("line %d of the old version", c.Old.Line)
}

// fromFiles prints what the declarations in the files show, and why git does not show more: unsearched is why it was not searched, nil if it was.
func (o output) fromFiles(w io.Writer, unsearched error, drifted []drifting) {
	why := `no version in git compiles to the files as they are. They may have been edited, generated with other flags or by another
version of rpcgen, or from a schema that was never committed`
	if unsearched != nil {
		why = fmt.Sprintf("the version that the files were generated from cannot be searched for in git: %v", unsearched)
	}
	fmt.Fprintf(w, "%s: %s. Their declarations differ as follows:\n", display(o.schema), why)
	parts := templates.Parts(o.doc)
	owners, of := groupByKey(drifted, func(d drifting) string { return d.owner })
	for _, owner := range owners {
		fmt.Fprintf(w, "  %s\n", withPart(owner, templates.PartOf(owner, parts)))
		follows(w, "    ", of[owner])
	}
}

// withPart returns an identifier with the part of the schema that it comes from.
func withPart(owner string, p templates.Part) string {
	if p.Name == "" {
		return owner + ", which no single declaration of the schema causes"
	}
	p.Pos.File = display(p.Pos.File)
	return fmt.Sprintf("%s: %s (%s)", p.Pos, p.Path, owner)
}

// follows lists identifiers by file.
func follows(w io.Writer, margin string, drifted []drifting) {
	files, of := groupByKey(drifted, func(d drifting) string { return d.file })
	for _, f := range files {
		fmt.Fprintf(w, "%s%s: %s\n", margin, f, strings.Join(ir.Each(of[f], drifting.text), ", "))
	}
}

// groupByKey returns identifiers by a key, and the keys in the order in which they come.
func groupByKey(drifted []drifting, key func(drifting) string) (keys []string, of map[string][]drifting) {
	of = map[string][]drifting{}
	for _, d := range drifted {
		if of[key(d)] == nil {
			keys = append(keys, key(d))
		}
		of[key(d)] = append(of[key(d)], d)
	}
	return keys, of
}

// drifting is a Go declaration that differs from the one that the schema compiles to.
type drifting struct {
	file  string
	name  string // such as Report or Report.DecodeJSON
	owner string // the type of a method, otherwise the name itself
	how   string // "new", "gone" or "" for changed
}

func (d drifting) text() string {
	if d.how == "" {
		return d.name
	}
	return d.name + " (" + d.how + ")"
}

// declarations compares the declarations in files with those that the files should hold, in the order of the files. It ignores alignment.
func declarations(changes []change) ([]drifting, error) {
	var all []drifting
	for _, c := range changes {
		old, before, err := goDeclarations(c.path, c.old)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read as Go: %w", display(c.path), err)
		}
		new, order, err := goDeclarations(c.path, c.new)
		if err != nil {
			return nil, err
		}
		file := filepath.Base(c.path)
		for _, d := range order {
			if text, there := old[d]; !there {
				all = append(all, drifting{file, d.name, d.owner, "new"})
			} else if text != new[d] {
				all = append(all, drifting{file, d.name, d.owner, ""})
			}
		}
		for _, d := range before {
			if _, there := new[d]; !there {
				all = append(all, drifting{file, d.name, d.owner, "gone"})
			}
		}
	}
	return all, nil
}

// goDecl is the name of a top-level declaration.
type goDecl struct{ name, owner string }

// goDeclarations reads the top-level declarations of a file: their texts without alignment, and their order.
func goDeclarations(path string, text []byte) (map[goDecl]string, []goDecl, error) {
	texts := map[goDecl]string{}
	if text == nil {
		return texts, nil, nil
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	var order []goDecl
	add := func(d goDecl, n ast.Node) {
		if _, twice := texts[d]; !twice {
			order = append(order, d)
		}
		from, to := files.Position(n.Pos()).Offset, files.Position(n.End()).Offset
		texts[d] += strings.Join(strings.Fields(string(text[from:to])), " ")
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(funcName(d), d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(goDecl{s.Name.Name, s.Name.Name}, s)
				case *ast.ValueSpec:
					add(goDecl{s.Names[0].Name, s.Names[0].Name}, s)
				}
			}
		}
	}
	return texts, order, nil
}

// funcName is the name of a function, led by its receiver.
func funcName(d *ast.FuncDecl) goDecl {
	if d.Recv == nil {
		return goDecl{d.Name.Name, d.Name.Name}
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	owner := fmt.Sprint(t)
	full := owner + "." + d.Name.Name
	if ast.IsExported(owner) {
		return goDecl{full, owner}
	}
	return goDecl{full, d.Name.Name} // a method of the router or the client belongs to the method that it serves
}

// snapshot is a schema in a file or in a git commit.
type snapshot struct {
	label  string
	commit string // empty for the file in the working tree
	loader *schema.Loader
	doc    *ir.Document
}

// loadSnapshot loads FILE or git:REF:PATH, and prints its faults.
func loadSnapshot(c *cobra.Command, name string) (snapshot, error) {
	e := snapshot{label: display(name), loader: new(schema.Loader)}
	path := name
	if rest, ok := strings.CutPrefix(name, "git:"); ok {
		commit, file, ok := strings.Cut(rest, ":")
		if !ok || commit == "" || file == "" {
			return e, usageError{fmt.Errorf("%q should be git:REF:PATH", name)}
		}
		if strings.HasPrefix(commit, "-") {
			return e, usageError{fmt.Errorf("%q is not a git commit", commit)}
		}
		var err error
		if e, path, err = gitSnapshot(".", commit, file); err != nil {
			return e, usageError{err}
		}
	}
	doc, diags := e.loader.Load(path)
	if err := report(c.ErrOrStderr(), "text", diags, e.loader.Source); err != nil {
		return e, err
	}
	e.doc = doc
	return e, nil
}

// gitSnapshot returns a snapshot that reads files from a commit. The name is relative to folder. The returned path, by which the
// file has to be loaded, is relative to the top of the repository, like the paths of all files that it imports.
func gitSnapshot(folder, commit, name string) (e snapshot, path string, err error) {
	if filepath.IsAbs(name) {
		return e, "", fmt.Errorf("%q: a path in git is relative to the current folder", name)
	}
	prefix, err := git(folder, "rev-parse", "--show-prefix")
	if err != nil {
		return e, "", err
	}
	e = snapshot{label: "git:" + commit + ":" + name, commit: commit, loader: new(schema.Loader)}
	e.loader.Read = func(path string) ([]byte, error) { return gitShow(folder, commit, path) }
	return e, slash.Join(strings.TrimSpace(string(prefix)), filepath.ToSlash(name)), nil
}

// gitShow returns a file of a commit; its path is relative to the top of the repository.
func gitShow(folder, commit, path string) ([]byte, error) {
	out, err := git(folder, "cat-file", "blob", commit+":"+path)
	if err != nil {
		return nil, &fs.PathError{Op: "git cat-file", Path: path, Err: err}
	}
	return out, nil
}

func (e snapshot) side() diff.Side {
	s := diff.Side{Label: e.label, Source: e.loader.Source}
	if e.commit != "" {
		s.Prefix = e.commit + ":"
	}
	return s
}

// A repository may be of another author, and its configuration may name programs and servers. Git gets no reason to run or to ask any:
// only commands that read objects are used, and what is here comes before the configuration of the repository.
var (
	closedFlags = []string{"--no-pager", "--literal-pathspecs", "--no-optional-locks",
		"-c", "safe.bareRepository=explicit", // a folder that looks like a repository is none
		"-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull,
		"-c", "log.showSignature=false", // would run gpg.program
	}
	closedEnvironment = []string{
		"GIT_ALLOW_PROTOCOL=",   // missing objects are fetched by no protocol, whatever protocol.*.allow says
		"GIT_NO_LAZY_FETCH=1",   // nor tried to, by newer versions
		"GIT_TERMINAL_PROMPT=0", // no password is asked for
	}
)

// git runs git in a folder. Its error message becomes the error. The output is limited to the maximum size of a file.
func git(folder string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(closedFlags[:len(closedFlags):len(closedFlags)], args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), closedEnvironment...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed")
	}
	if err != nil {
		return nil, err
	}
	out, tooLarge := file.ReadAll(stdout)
	if tooLarge != nil {
		cancel()
	}
	err = cmd.Wait()
	if tooLarge != nil {
		return nil, tooLarge
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return nil, errors.New(strings.TrimPrefix(first, "fatal: "))
	}
	return out, nil
}
