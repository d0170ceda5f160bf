package ship

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema"
)

var shippedFolder = flag.String("shipped", "", "check the files of this folder")

// TestShipped checks a folder by the definitions and the readers of others: server.json and manifest.json by their published schemas, the program for
// macOS by debug/macho, archives by archive/zip and archive/tar; and starts the program of the bundle and that of the image.
func TestShipped(t *testing.T) {
	if *shippedFolder == "" {
		t.Skip("-shipped names no folder: the script ship.txtar of the command does")
	}
	files := read(t, *shippedFolder)
	sums := 0
	for lines := bufio.NewScanner(bytes.NewReader(files[sumsFile])); lines.Scan(); sums++ {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(files[name])); got != sum {
			t.Errorf("%s: %s, and %s says %s", name, got, sumsFile, sum)
		}
	}
	if sums != len(files)-1 {
		t.Errorf("%d sums of %d files", sums, len(files)-1)
	}
	valid(t, "server.schema.json", files["server.json"])
	var server struct {
		Name, Version string
		Packages      []struct{ RegistryType, Identifier, FileSha256 string }
	}
	if err := json.Unmarshal(files["server.json"], &server); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %s", server.Name, server.Version)
	for _, p := range server.Packages {
		if p.RegistryType == "oci" && p.FileSha256 != "" || p.RegistryType == "mcpb" && p.FileSha256 != fmt.Sprintf("%x", sha256.Sum256(files[filepath.Base(p.Identifier)])) {
			t.Errorf("%+v", p)
		}
	}
	bundles := 0
	for name, content := range files {
		switch {
		case strings.HasSuffix(name, ".mcpb"):
			bundles++
			checkBundle(t, name, content, files)
		case strings.HasSuffix(name, "-oci.tar"):
			checkImage(t, content, server.Name)
		}
	}
	if bundles == 0 {
		t.Error("there is no bundle")
	}
}

func read(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// valid checks JSON by a schema of the test data of package manifest.
func valid(t *testing.T, file string, text []byte) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(filepath.Join("..", "manifest", "testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", file, err, text)
	}
}

func checkBundle(t *testing.T, name string, content []byte, files map[string][]byte) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(name, err)
	}
	inside := map[string][]byte{}
	for _, f := range r.File {
		if want := f.Name != "manifest.json"; f.Mode().Perm()&0o111 != 0 != want || !f.Modified.Equal(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: %s has mode %v, and time %v", name, f.Name, f.Mode(), f.Modified)
		}
		packed, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if inside[f.Name], err = io.ReadAll(packed); err != nil { // which checks the sum
			t.Fatal(f.Name, err)
		}
	}
	valid(t, "manifest.schema.json", inside["manifest.json"])
	var m struct {
		Server struct {
			MCPConfig struct {
				Command   string
				Overrides map[string]struct{ Command string } `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal(inside["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	program := func(command string) []byte { return inside[strings.TrimPrefix(command, "${__dirname}/")] }
	fat, err := macho.NewFatFile(bytes.NewReader(program(m.Server.MCPConfig.Command)))
	if err != nil {
		t.Fatal(name, err)
	}
	for i, arch := range []struct {
		cpu  macho.Cpu
		name string
	}{{macho.CpuAmd64, "darwin_amd64"}, {macho.CpuArm64, "darwin_arm64"}} {
		slice := fat.Arches[i]
		raw := program(m.Server.MCPConfig.Command)[slice.Offset : slice.Offset+slice.Size]
		if slice.Cpu != arch.cpu || slice.File.Cpu != arch.cpu || slice.Offset%(1<<slice.Align) != 0 || !bytes.Equal(raw, named(files, arch.name)) {
			t.Errorf("%s: %v at %d", name, slice.Cpu, slice.Offset)
		}
	}
	arch := "amd64"
	if strings.HasSuffix(name, "-arm64.mcpb") {
		arch = "arm64"
	}
	for system, goos := range map[string]string{"linux": "linux", "win32": "windows"} {
		if !bytes.Equal(program(m.Server.MCPConfig.Overrides[system].Command), named(files, goos+"_"+arch)) {
			t.Errorf("%s: the program for %s is another one", name, system)
		}
	}
	if runtime.GOOS == "linux" && runtime.GOARCH == arch {
		start(t, program(m.Server.MCPConfig.Overrides["linux"].Command), nil)
	}
}

// named returns the program of a platform.
func named(files map[string][]byte, platform string) []byte {
	for name, content := range files {
		if strings.HasSuffix(strings.TrimSuffix(name, ".exe"), "_"+platform) {
			return content
		}
	}
	return nil
}

// start starts a program, and wants an answer to tools/list, and nothing else on its standard output.
func start(t *testing.T, program []byte, arguments []string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, arguments...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}}` + "\n")
	began := time.Now()
	out, err := cmd.Output()
	var answer struct {
		ID     int
		Result struct{ Tools []struct{ Name string } }
	}
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil || answer.ID != 1 || len(answer.Result.Tools) == 0 {
		t.Errorf("the program answers %q: %v", out, err)
	}
	t.Logf("the program lists %d tools and ends in %d ms", len(answer.Result.Tools), time.Since(began).Milliseconds())
}

// untar returns the files of an archive.
func untar(t *testing.T, content []byte) (files map[string][]byte, headers map[string]*tar.Header) {
	t.Helper()
	files, headers = map[string][]byte{}, map[string]*tar.Header{}
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if headers[h.Name] = h; h.ModTime.Unix() != 0 {
			t.Errorf("%s has the time %v", h.Name, h.ModTime)
		}
	}
}

// checkImage follows an image from its index to the program of this machine, by their hashes.
func checkImage(t *testing.T, content []byte, name string) {
	t.Helper()
	files, _ := untar(t, content)
	follow := func(d descriptor, v any) []byte {
		t.Helper()
		blob := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(blob)); got != d.Digest || len(blob) != d.Size {
			t.Fatalf("%s: %d bytes with %s", d.Digest, len(blob), got)
		}
		if v != nil {
			if err := json.Unmarshal(blob, v); err != nil {
				t.Fatal(err)
			}
		}
		return blob
	}
	var outer, inner struct{ Manifests []descriptor }
	if err := json.Unmarshal(files["index.json"], &outer); err != nil || len(outer.Manifests) != 1 {
		t.Fatal(err)
	}
	follow(outer.Manifests[0], &inner)
	var seen []string
	for _, d := range inner.Manifests {
		seen = append(seen, d.Platform.OS+"/"+d.Platform.Architecture)
		var m struct {
			Config descriptor
			Layers []descriptor
		}
		follow(d, &m)
		var c struct {
			Architecture string
			Config       struct {
				Labels          map[string]string
				Entrypoint, Cmd []string
			}
			RootFS struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		follow(m.Config, &c)
		if c.Config.Labels[registryLabel] != name || c.Architecture != d.Platform.Architecture || len(m.Layers) != 1 {
			t.Errorf("%+v, %d layers", c, len(m.Layers))
		}
		zipped, err := gzip.NewReader(bytes.NewReader(follow(m.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(zipped)
		if err != nil || len(c.RootFS.DiffIDs) != 1 || fmt.Sprintf("sha256:%x", sha256.Sum256(layer)) != c.RootFS.DiffIDs[0] {
			t.Fatal(err, c.RootFS.DiffIDs)
		}
		inside, headers := untar(t, layer)
		program := strings.TrimPrefix(c.Config.Entrypoint[0], "/")
		if headers[program].Mode != 0o755 || headers["tmp/"].Mode != 0o1777 || headers[home+"/"].Uid != user {
			t.Errorf("%+v", headers)
		}
		if runtime.GOOS == "linux" && runtime.GOARCH == d.Platform.Architecture {
			start(t, inside[program], c.Config.Cmd)
		}
	}
	if !slices.Equal(seen, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the image is for %q", seen)
	}
}

// object returns a program of macOS of some length that has nothing but its header.
func object(cpu macho.Cpu, length int) []byte {
	b := make([]byte, length)
	for i, n := range []uint32{macho.Magic64, uint32(cpu), 0, uint32(macho.TypeExec), 0, 0, 0, 0} {
		binary.LittleEndian.PutUint32(b[4*i:], n)
	}
	b[length-1] = 1
	return b
}

// TestUniversal: programs of any length have their places, which are read back.
func TestUniversal(t *testing.T) {
	for _, n := range []int{40, 1 << 14, 1<<14 + 1, 3<<14 - 1} {
		want := [][]byte{object(macho.CpuAmd64, n), object(macho.CpuArm64, n+1)}
		both := universal(want[0], want[1])
		fat, err := macho.NewFatFile(bytes.NewReader(both))
		if err != nil {
			t.Fatal(n, err)
		}
		for i, a := range fat.Arches {
			if a.Cpu != a.File.Cpu || a.Offset%(1<<a.Align) != 0 || !bytes.Equal(both[a.Offset:a.Offset+a.Size], want[i]) {
				t.Errorf("%d: %+v", n, a.FatArchHeader)
			}
		}
	}
}

// TestArchives: archives are read back by others, with modes, owners and sizes of all kinds.
func TestArchives(t *testing.T) {
	files := []file{{"manifest.json", []byte("{}"), false}, {"server/a", bytes.Repeat([]byte("a"), 100_000), true}, {"é", nil, false}}
	packed, err := zipFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(r.File) != len(files) {
		t.Fatal(err)
	}
	for i, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || f.Name != files[i].name || f.NonUTF8 || f.Mode() != files[i].mode() || !bytes.Equal(text, files[i].text) {
			t.Errorf("%+v: %v", f.FileHeader, err)
		}
	}
	entries := []entry{{file: files[1], mode: 0o755}, {file: file{name: "home/"}, folder: true, mode: 0o1700, owner: user},
		{file: file{name: strings.Repeat("n", longestName), text: make([]byte, 512)}, mode: 0o644}}
	image, err := tarFiles(entries)
	if err != nil {
		t.Fatal(err)
	}
	inside, headers := untar(t, image)
	for _, e := range entries {
		h := headers[e.name]
		if h == nil || h.Mode != e.mode || h.Uid != e.owner || h.Gid != e.owner || (h.Typeflag == tar.TypeDir) != e.folder || !bytes.Equal(inside[e.name], e.text) {
			t.Errorf("%+v", h)
		}
	}
}

// TestChanged: a file that is written while programs are built is named, and one that is added is found by its folder.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/small\n\ngo 1.26\n")
	write("main.go", "package main\n\nimport (\n\t_ \"embed\"\n\t_ \"example.com/small/inner\"\n)\n\n//go:embed data.txt\nvar data string\n\nfunc main() {}\n")
	write("data.txt", "data")
	write("inner/inner.go", "package inner\n")
	write("inner/inner_windows.go", "package inner\n")
	for _, change := range []string{"main.go", "data.txt", "inner/inner_windows.go", "go.mod", "inner/new.go"} {
		before, err := sources(t.Context(), ".")
		if err != nil {
			t.Fatal(err)
		}
		if changed := before.changedPath(); changed != "" {
			t.Fatalf("%s has changed", changed)
		}
		text, _ := os.ReadFile(change)
		if text == nil {
			text = []byte("package inner\n")
		}
		if err := os.WriteFile(change, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := before.changedPath(); !strings.HasPrefix(filepath.Join(dir, change), got) || got == "" {
			t.Errorf("%s was written, and %q is said", change, got)
		}
	}
}

// TestFolder: a folder is replaced as a whole or stays.
func TestFolder(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dist")
	s := &shipment{name: "a", version: "1"}
	s.add("a-1.mcpb", []byte("one"), false)
	s.add("server.json", []byte(`{"version":"1"}`), false)
	put := func() error {
		folder, err := stage(out, "a", "1", io.Discard)
		if err != nil {
			return err
		}
		defer folder.remove()
		return folder.replace(s.files, s.sums())
	}
	for range 2 {
		if err := put(); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := stage(out, "a", "1", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s.add("none/x", nil, false) // which cannot be written
	if err := folder.replace(s.files, s.sums()); err == nil {
		t.Error("it was written")
	}
	folder.remove()
	if files := read(t, out); len(files) != 3 || string(files["a-1.mcpb"]) != "one" {
		t.Errorf("%q", files)
	}
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
	if err := os.WriteFile(filepath.Join(out, "server.json"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := put(); err == nil || !strings.Contains(err.Error(), "not of which version") {
		t.Error(err)
	}
}

// program makes a program in the current folder, which is a new one, and returns what is shipped of it.
func program(t *testing.T, server string) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module example.com/small\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := options(io.Discard, server)
	o.Out = filepath.Join(t.TempDir(), "dist")
	return o
}

// options are those of a program in the current folder.
func options(say io.Writer, server string) Options {
	l := schema.Loader{Read: func(string) ([]byte, error) {
		return []byte("rpcgen: v1\npackage: a\ndescription: A.\nuse: [mcp]\nserver: " + server + "\n"), nil
	}}
	doc, faults := l.Load("a.rpc.yaml")
	if doc == nil {
		panic(faults)
	}
	return Options{Package: ".", Doc: doc, Name: "a.b/c", Author: "A", Say: say}
}

// failed ships, wants an error, and that nothing is left of what was made.
func failed(t *testing.T, o Options, want string) {
	t.Helper()
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if left, err := os.ReadDir(filepath.Dir(o.Out)); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestFails: nothing is written when a program does not answer, or says another version; the error has the reason.
func TestFails(t *testing.T) {
	o := program(t, `{name: "a server!", version: 1.0.0}`)
	o.Check = func(_ context.Context, command []string, _ string) (Answer, error) {
		if info, err := os.Stat(command[0]); err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%v, %v", info, err)
		}
		return Answer{}, errors.New("it is silent")
	}
	failed(t, o, "a-server_1.0.0_"+runtime.GOOS+"_"+runtime.GOARCH+platform{runtime.GOOS, runtime.GOARCH}.suffix()+" does not serve on its standard input and output: it is silent")
	o.Check = func(context.Context, []string, string) (Answer, error) { return Answer{Version: "0.9.0"}, nil }
	failed(t, o, `the program says that it is version "0.9.0", and the schema "1.0.0"`)
	failed(t, program(t, `{name: a, version: 1.0.0+build/1}`), `the version "1.0.0+build/1" cannot be that of files and images`)
	failed(t, program(t, `{name: `+strings.Repeat("a", 60)+`, version: 1.0.0}`), "is too long for the name of a file")
	failed(t, program(t, `{name: "é", version: 1.0.0}`), "has no letter that can be in the name of a file")
}

// TestChanges: a program whose file changes while the others are built is not shipped.
func TestChanges(t *testing.T) {
	all := platforms
	platforms = []platform{{runtime.GOOS, runtime.GOARCH}}
	defer func() { platforms = all }()
	o := program(t, `{name: a, version: 1.0.0}`)
	o.Check = func(context.Context, []string, string) (Answer, error) {
		return Answer{Version: "1.0.0"}, os.WriteFile("main.go", []byte("package main\n\nfunc main() { println() }\n"), 0o666)
	}
	failed(t, o, "main.go has changed while the programs were built, so that they may differ: ship again")
}

// TestWorkflow: the workflow is YAML, has no secret, and quotes what a shell would change.
func TestWorkflow(t *testing.T) {
	text := Workflow([]string{"./cmd/office", "--author=Ann O'Hara $X", "--", "serve"})
	var v struct {
		On   struct{ Push struct{ Tags []string } }
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(text, &v); err != nil || len(v.On.Push.Tags) != 1 || len(v.Jobs["ship"].Steps) != 4 {
		t.Fatalf("%v\n%s", err, text)
	}
	if !strings.Contains(v.Jobs["ship"].Steps[2].Run, `releases/download/$GITHUB_REF_NAME" ./cmd/office '--author=Ann O'\''Hara $X' -- serve`) || bytes.Contains(text, []byte("secrets.")) {
		t.Errorf("%s", text)
	}
	if out, err := exec.Command("bash", "-n", "-c", v.Jobs["ship"].Steps[2].Run).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
