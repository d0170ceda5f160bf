package ship

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

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
