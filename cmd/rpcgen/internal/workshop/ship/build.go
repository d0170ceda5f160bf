package ship

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// platform is a system and a processor, as Go calls them.
type platform struct{ system, arch string }

// platforms are those that programs are built for.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func (p platform) String() string { return p.system + "/" + p.arch }

func (p platform) suffix() string {
	if p.system == "windows" {
		return ".exe"
	}
	return ""
}

// goCommand runs the go command. What it complains about is the error.
func goCommand(ctx context.Context, p platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	if p != (platform{}) {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0") // the same on every machine
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("go is not on the PATH, and programs are built with it")
	}
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return out, nil
}

// build builds the programs in a folder.
func (s *shipment) build(ctx context.Context, work string) error {
	before, err := sources(ctx, s.Package)
	if err != nil {
		return err
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	all := slices.Clone(platforms) // that of this machine first, so that a program that does not work is known before the others are built
	if i := slices.Index(all, here); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	for _, p := range all {
		path := filepath.Join(work, "program"+p.suffix())
		_, err := goCommand(ctx, p, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= "+s.LDFlags, "-o", path, s.Package)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if s.programs[p], err = os.ReadFile(path); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		s.add(s.program(p), s.programs[p], true)
		if p == here {
			if _, err := s.check(ctx, work, s.program(p), s.programs[p]); err != nil {
				return err
			}
		}
	}
	if changed := before.changedPath(); changed != "" {
		return fmt.Errorf("%s has changed while the programs were built, so that they may differ: ship again", changed)
	}
	return nil
}

// stamp says when a file was written, and its size.
type stamp struct {
	size    int64
	written time.Time
}

// snapshot has the files of a program that may change, those of modules in the cache left out, and their folders.
type snapshot map[string]stamp

// goListEntry is a package in the answer of go list.
type goListEntry struct {
	Name, Dir, ImportPath                                                    string
	Standard, DepOnly                                                        bool
	GoFiles, CgoFiles, SFiles, HFiles, SysoFiles, EmbedFiles, IgnoredGoFiles []string

	Module *struct {
		GoMod, Version string
		Replace        *struct{ GoMod, Version string }
	}
}

// own reports whether a package is not of a version of a module, which does not change.
func (l *goListEntry) own() bool {
	switch {
	case l.Standard || l.Module == nil:
		return false
	case l.Module.Replace != nil:
		return l.Module.Replace.Version == ""
	}
	return l.Module.Version == ""
}

// list lists the packages that a program consists of, the program last.
func list(ctx context.Context, p platform, pkg string) (all []goListEntry, err error) {
	out, err := goCommand(ctx, p, "list", "-deps", "-json=Name,Dir,ImportPath,Standard,DepOnly,GoFiles,CgoFiles,SFiles,HFiles,SysoFiles,EmbedFiles,IgnoredGoFiles,Module", "--", pkg)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var one goListEntry
		switch err := d.Decode(&one); {
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, one)
	}
}

// Folders returns the folders of the packages that a program consists of and that may have a schema, that of the program first.
func Folders(ctx context.Context, pkg string) ([]string, error) {
	all, err := list(ctx, platform{}, pkg)
	if err != nil {
		return nil, err
	}
	var folders, named []string
	for _, one := range all {
		if !one.DepOnly {
			named = append(named, one.ImportPath)
		}
	}
	if len(named) != 1 {
		return nil, fmt.Errorf("%s are %d packages, %s: name one program", pkg, len(named), strings.Join(named, ", "))
	}
	if program := all[len(all)-1]; program.Name != "main" {
		return nil, fmt.Errorf("%s is package %s, and not a program", pkg, program.Name)
	}
	for _, one := range slices.Backward(all) {
		if one.own() {
			folders = append(folders, one.Dir)
		}
	}
	return folders, nil
}

// sources takes a snapshot of the files that the programs of all platforms are built from.
func sources(ctx context.Context, pkg string) (snapshot, error) {
	s := snapshot{}
	for _, p := range platforms {
		all, err := list(ctx, p, pkg)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			if !one.own() {
				continue
			}
			s.add(one.Dir)
			s.add(one.Module.GoMod)
			s.add(strings.TrimSuffix(one.Module.GoMod, ".mod") + ".sum")
			for _, name := range slices.Concat(one.GoFiles, one.CgoFiles, one.SFiles, one.HFiles, one.SysoFiles, one.EmbedFiles, one.IgnoredGoFiles) {
				s.add(filepath.Join(one.Dir, name))
			}
		}
	}
	return s, nil
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

func (s snapshot) add(path string) { s[path] = stampOf(path) }

// changedPath returns a file or a folder that is not as it was; empty if all are.
func (s snapshot) changedPath() string {
	var all []string
	for path, before := range s {
		if stampOf(path) != before {
			all = append(all, path)
		}
	}
	if all == nil {
		return ""
	}
	return slices.Max(all) // rather a file than its folder
}

// universal joins programs of macOS for amd64 and arm64 into one that runs on both. Its header is that of Mach-O for several processors: numbers of 32
// bits with the highest byte first, see mach-o/fat.h.
func universal(amd64, arm64 []byte) []byte {
	const (
		magic     = 0xcafebabe
		cpuAMD64  = 0x01000007
		cpuARM64  = 0x0100000c
		allAMD64  = 3  // subtype: all processors of 64 bits
		allARM64  = 0  // subtype: all
		alignment = 14 // as a power of two: a page of arm64
	)
	aligned := func(n int) int { return (n + 1<<alignment - 1) &^ (1<<alignment - 1) }
	first := aligned(8 + 2*20)
	second := aligned(first + len(amd64))
	b := make([]byte, second, second+len(arm64))
	copy(b[first:], amd64)
	for i, n := range []int64{magic, 2, cpuAMD64, allAMD64, int64(first), int64(len(amd64)), alignment, cpuARM64, allARM64, int64(second),
		int64(len(arm64)), alignment} {
		binary.BigEndian.PutUint32(b[4*i:], uint32(n))
	}
	return append(b, arm64...)
}
