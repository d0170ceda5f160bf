// Package ship makes what a server of MCP is published with: programs for six platforms, an MCP Bundle, an image, server.json and checksums. All of it
// is the same, byte for byte, when it is made again from the same files with the same version of Go.
package ship

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/manifest"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Options say what is shipped.
type Options struct {
	Package      string // of the program, as the go command takes it
	Doc          *ir.Document
	Name         string   // in the registry, such as io.github.octo/office
	Author       string   // of the bundle
	Arguments    []string // with which the program serves on standard input and output
	LDFlags      string   // further flags for the linker
	ARM          bool     // a second bundle has programs for arm64 where only one can be in it
	Download     string   // URL of the folder that the bundle can be downloaded from; empty if it is not published
	Image        string   // where the image is pulled from, without a tag; empty if it is not published
	Certificates []byte   // authorities that programs in the image trust, as PEM; empty for none
	Manifest     []byte   // manifest.json that is completed; empty for a new one
	ServerJSON   []byte   // server.json that is completed; empty for a new one
	Out          string   // folder for all files

	// Check starts a program, asks for its tools, and says what it found.
	Check func(ctx context.Context, command []string, folder string) (Answer, error)
	// Say is for what has been made, a line for each part.
	Say io.Writer
}

// Answer is what a program says of itself.
type Answer struct {
	Version string
	Tools   int
	Took    time.Duration // from the start of the program to the list of tools
}

// file is a file that is made.
type file struct {
	name       string
	text       []byte
	executable bool
}

func (f file) mode() os.FileMode {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// shipment is what is made.
type shipment struct {
	*Options
	name     string // of programs and archives
	version  string
	programs map[platform][]byte
	manifest []byte // of bundles
	both     []byte // the program for macOS
	files    []file
}

// taggable is what can be the tag of an image, https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests
var taggable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,60}$`)
})

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Run makes all files, and puts them into the folder. If it fails, the folder is as before.
func Run(ctx context.Context, o Options) error {
	s := &shipment{Options: &o, version: o.Doc.Server.Version, programs: map[platform][]byte{}}
	if s.name = strings.Trim(unsafeName.ReplaceAllString(o.Doc.Server.Name, "-"), "-."); s.name == "" {
		return fmt.Errorf("the server's name %q has no letter that can be in the name of a file", o.Doc.Server.Name)
	}
	if len(s.name) > longestName/2 {
		return fmt.Errorf("the server's name %q is too long for the name of a file: shorten it to %d letters", o.Doc.Server.Name, longestName/2)
	}
	if !taggable().MatchString(s.version) {
		return fmt.Errorf("the version %q cannot be that of files and images: use letters, digits, dots and hyphens, such as 1.2.0 or 1.2.0-rc.1", s.version)
	}
	if strings.TrimSpace(o.Doc.Doc) == "" {
		return errors.New("the schema has no description, which the registry and bundles need: add description to it")
	}
	var err error
	s.manifest, err = manifest.Bundle(o.Doc, manifest.Options{Old: o.Manifest, Author: o.Author, Programs: s.inBundle(), Arguments: o.Arguments})
	if err == nil {
		_, err = s.registry() // before the programs are built, which takes minutes for the first time
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.Doc.File, err)
	}
	folder, err := stage(o.Out, s.name, s.version, o.Say)
	if err != nil {
		return err
	}
	defer folder.remove()
	if err := s.build(ctx, folder.work); err != nil {
		return err
	}
	for _, step := range []func() error{s.bundles, s.image} {
		if err := step(); err != nil {
			return err
		}
	}
	text, err := s.registry()
	if err != nil {
		return err
	}
	s.add("server.json", text, false)
	name, program := s.forHere()
	answer, err := s.check(ctx, folder.work, name, program)
	if err != nil {
		return err
	}
	if err := folder.replace(s.files, s.sums()); err != nil {
		return err
	}
	s.report(answer)
	return nil
}

func (s *shipment) add(name string, text []byte, executable bool) {
	s.files = append(s.files, file{name, text, executable})
}

// program returns the name of the file of a program.
func (s *shipment) program(p platform) string {
	return fmt.Sprintf("%s_%s_%s_%s%s", s.name, s.version, p.system, p.arch, p.suffix())
}

// bundleName returns the name of a bundle, given the processor of its programs for Linux and Windows.
func (s *shipment) bundleName(arch string) string {
	if arch != "amd64" {
		return s.name + "-" + s.version + "-" + arch + ".mcpb"
	}
	return s.name + "-" + s.version + ".mcpb"
}

func (s *shipment) imageName() string { return s.name + "-" + s.version + "-oci.tar" }

// archs returns the processors of bundles.
func (s *shipment) archs() []string {
	if s.ARM {
		return []string{"amd64", "arm64"}
	}
	return []string{"amd64"}
}

// inBundle returns the path of a program in a bundle, by the name that manifest.json has for its platform.
func (s *shipment) inBundle() map[string]string {
	return map[string]string{"darwin": "server/" + s.name, "linux": "server/" + s.name + "-linux", "win32": "server/" + s.name + ".exe"}
}

// bundles makes the MCP Bundles. A manifest tells systems apart, not processors: so the program for macOS is one for both, that for Windows is for
// amd64, which arm64 runs as well, and Linux has a second bundle.
func (s *shipment) bundles() error {
	s.both = universal(s.programs[platform{"darwin", "amd64"}], s.programs[platform{"darwin", "arm64"}])
	paths := s.inBundle()
	for _, arch := range s.archs() {
		packed, err := zipFiles([]file{
			{"manifest.json", s.manifest, false}, {paths["darwin"], s.both, true}, {paths["linux"], s.programs[platform{"linux", arch}], true},
			{paths["win32"], s.programs[platform{"windows", arch}], true},
		})
		if err != nil {
			return err
		}
		s.add(s.bundleName(arch), packed, false)
	}
	return nil
}

// registry returns server.json. A bundle or an image that is not published anywhere is not named in it.
func (s *shipment) registry() ([]byte, error) {
	o := manifest.Options{Old: s.ServerJSON, Name: s.Name}
	if s.Download != "" {
		name := s.bundleName("amd64")
		for _, f := range s.files {
			if f.name == name {
				o.Packages = append(o.Packages, manifest.Package{Type: "mcpb", Identifier: strings.TrimRight(s.Download, "/") + "/" + name,
					SHA256: fmt.Sprintf("%x", sha256.Sum256(f.text))})
			}
		}
	}
	if s.Image != "" {
		o.Packages = append(o.Packages, manifest.Package{Type: "oci", Identifier: s.Image + ":" + s.version})
	}
	return manifest.Registry(s.Doc, o)
}

// sums returns SHA256SUMS.
func (s *shipment) sums() []byte {
	slices.SortFunc(s.files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var b bytes.Buffer
	for _, f := range s.files {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(f.text), f.name)
	}
	return b.Bytes()
}

// check starts a program in an empty folder below work. It returns nil if there is no program.
func (s *shipment) check(ctx context.Context, work, name string, program []byte) (*Answer, error) {
	if program == nil {
		return nil, nil
	}
	home, err := os.MkdirTemp(work, "check")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(work, "checked"+platform{runtime.GOOS, runtime.GOARCH}.suffix())
	if err := os.WriteFile(path, program, 0o755); err != nil {
		return nil, err
	}
	answer, err := s.Check(ctx, append([]string{path}, s.Arguments...), home)
	if err != nil {
		return nil, fmt.Errorf("%s does not serve on its standard input and output: %w", name, err)
	}
	if answer.Version != s.version {
		return nil, fmt.Errorf("the program says that it is version %q, and the schema %q: generate its code again, or ship the program of this schema",
			answer.Version, s.version)
	}
	return &answer, os.Remove(path)
}

// forHere returns the program of the first bundle that runs on this machine, or else the one that was built for it; nil if there is none.
func (s *shipment) forHere() (name string, program []byte) {
	here := platform{runtime.GOOS, runtime.GOARCH}
	switch {
	case here.system == "darwin":
		return s.bundleName("amd64"), s.both
	case slices.Contains(s.archs(), here.arch) && s.programs[here] != nil:
		return s.bundleName(here.arch), s.programs[here]
	}
	return s.program(here), s.programs[here]
}

// report prints what is there, and what is left to do.
func (s *shipment) report(answer *Answer) {
	total := 0
	for _, text := range s.programs {
		total += len(text)
	}
	say := func(name, format string, args ...any) {
		fmt.Fprintf(s.Say, "%s: %s\n", filepath.ToSlash(filepath.Join(s.Out, name)), fmt.Sprintf(format, args...))
	}
	say(fmt.Sprintf("%s_%s_{linux,darwin,windows}_{amd64,arm64}", s.name, s.version), "%d programs, static, %.1f MB", len(s.programs), float64(total)/1e6)
	for _, arch := range s.archs() {
		say(s.bundleName(arch), "bundle for macOS (both processors), Windows and Linux (%s)", arch)
	}
	say(s.imageName(), "image for linux/amd64 and linux/arm64")
	said := "for the registry"
	if s.Download == "" {
		said += "; does not name the bundle, whose address --download gives"
	}
	if s.Image == "" {
		said += "; does not name the image, whose place --image gives"
	}
	say("server.json", "%s", said)
	say(sumsFile, "%d files", len(s.files))
	if answer == nil {
		fmt.Fprintf(s.Say, "Not checked: no program is for this machine, %s/%s.\n", runtime.GOOS, runtime.GOARCH)
	} else {
		fmt.Fprintf(s.Say, "Checked: the program starts and lists %d tools in %d ms.\n", answer.Tools, answer.Took.Milliseconds())
	}
	out := filepath.ToSlash(s.Out)
	fmt.Fprintf(s.Say, "\nNext, once the files are where server.json says:\n")
	if s.Image != "" {
		fmt.Fprintf(s.Say, "  skopeo copy --all oci-archive:%s/%s docker://%s:%s\n", out, s.imageName(), s.Image, s.version)
	}
	fmt.Fprintf(s.Say, "  mcp-publisher publish %s/server.json\n", out)
}

// Workflow returns a workflow for GitHub that ships a tag: it makes all files, attaches them to a release, and pushes the image. It contains no
// secret: its token is that of the run. The arguments are those of ship, without what the workflow itself knows.
func Workflow(arguments []string) []byte {
	return fmt.Appendf(nil, workflow, strings.Join(ir.Each(arguments, text.ShellWord), " "))
}

//go:embed workflow.yaml
var workflow string

// sumsFile has the checksums of all other files, and is how a folder is known to be one that was shipped.
const sumsFile = "SHA256SUMS"

// stagingFolder is a new folder next to one that it will replace.
type stagingFolder struct {
	out  string
	work string // next to out, so that it can be renamed
}

// stage makes a folder for work, if another one can be replaced: it is not there, is empty, or holds the same version of the same server. It says what runs
// that were killed have left.
func stage(out, name, version string, say io.Writer) (*stagingFolder, error) {
	out = filepath.Clean(out)
	if target, err := filepath.EvalSymlinks(out); err == nil {
		out = target
	}
	if err := replaceable(out, name, version); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", out, err)
	}
	prefix := "." + filepath.Base(out) + ".rpcgen-"
	beside, _ := os.ReadDir(filepath.Dir(out)) // if that fails, so does what follows
	for _, one := range beside {
		if !strings.HasPrefix(one.Name(), prefix) {
			continue
		}
		fmt.Fprintf(say, "%s is left of a run that was killed, unless one is at work: remove it; if it holds a folder old, that is what was in %s\n",
			filepath.Join(filepath.Dir(out), one.Name()), out)
	}
	work, err := os.MkdirTemp(filepath.Dir(out), prefix)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", out, err)
	}
	if work, err = filepath.Abs(work); err != nil { // programs are started in other folders
		return nil, err
	}
	return &stagingFolder{out, work}, nil
}

func (s *stagingFolder) remove() { os.RemoveAll(s.work) }

// replaceable reports why a folder cannot be replaced.
func replaceable(out, name, version string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s is not a folder that can be replaced: %w", out, err)
	}
	known := map[string]bool{sumsFile: true}
	sums, err := os.ReadFile(filepath.Join(out, sumsFile))
	if err != nil {
		return fmt.Errorf("%s holds %s, which ship has not written: give --out another folder", out, entries[0].Name())
	}
	for lines := bufio.NewScanner(bytes.NewReader(sums)); lines.Scan(); {
		if _, file, ok := strings.Cut(lines.Text(), "  "); ok {
			known[file] = true
		}
	}
	for _, e := range entries {
		if !known[e.Name()] {
			return fmt.Errorf("%s holds %s, which ship has not written: move it, or give --out another folder", out, e.Name())
		}
	}
	var was struct{ Version string }
	text, err := os.ReadFile(filepath.Join(out, "server.json"))
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return fmt.Errorf("%s holds files of ship, and not of which version: remove it, or give --out another folder: %w", out, err)
	}
	if was.Version != version || !known[name+"-"+version+".mcpb"] {
		return fmt.Errorf("%s holds version %s, and this one is %s %s: remove it, or give --out another folder", out, was.Version, name, version)
	}
	return nil
}

// replace writes the files, and puts them in place of what is there.
func (s *stagingFolder) replace(files []file, sums []byte) error {
	fresh, old := filepath.Join(s.work, "new"), filepath.Join(s.work, "old")
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	for _, f := range append(files, file{name: sumsFile, text: sums}) {
		if err := os.WriteFile(filepath.Join(fresh, f.name), f.text, f.mode()); err != nil {
			return err
		}
	}
	if err := os.Rename(s.out, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be replaced: %w", s.out, err)
	}
	if err := os.Rename(fresh, s.out); err != nil {
		if back := os.Rename(old, s.out); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return fmt.Errorf("%s cannot be written: %w", s.out, err)
	}
	return nil
}
