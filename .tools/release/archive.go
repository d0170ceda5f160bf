package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// program is the name of the program in archives and packages. Debian has another one that is called rpcgen.
const program = "rpcgen-go"

// platforms are those with an archive.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// file is a file of an archive.
type file struct {
	name       string
	text       []byte
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// archive builds the program for each platform, and writes the archives, their checksums and what is in them into the folder dist. A rehearsal does so
// for the platform that it runs on.
func (r *release) archive() error {
	all := platforms
	if r.rehearsed {
		all = []string{runtime.GOOS + "/" + runtime.GOARCH}
	}
	made, err := r.archives(all, r.dist(), filepath.Join(r.work, "programs"))
	if err != nil {
		return err
	}
	for _, a := range made {
		r.say("%s: %.1f MB, the program %.1f MB", a.name, float64(len(a.text))/1e6, float64(len(a.binary))/1e6)
	}
	return nil
}

// dist is the folder of the archives.
func (r *release) dist() string { return filepath.Join(r.work, "dist") }

// packed is an archive, and the program in it.
type packed struct {
	file
	binary []byte
	path   string // of the program
}

// archives writes the archives of platforms into the folder dist. Programs are built below the folder gopath.
func (r *release) archives(all []string, dist, gopath string) ([]packed, error) {
	common, err := r.common()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return nil, err
	}
	var made []packed
	var sums strings.Builder
	for _, platform := range all {
		system, arch, _ := strings.Cut(platform, "/")
		path, err := r.build(gopath, system, arch)
		if err != nil {
			return nil, err
		}
		binary, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s_%s_%s_%s", program, strings.TrimPrefix(r.version, "v"), system, arch)
		files := append([]file{{filepath.Base(path), binary, true}}, common...)
		a := packed{file{name: name + ".tar.gz"}, binary, path}
		pack := tarGzip
		if system == "windows" {
			a.name, pack = name+".zip", zipped
		}
		if a.text, err = pack(name, files); err != nil {
			return nil, err
		}
		made = append(made, a)
	}
	bill, err := r.bill(made)
	if err != nil {
		return nil, err
	}
	files := []file{bill}
	for _, a := range made {
		files = append(files, a.file)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.text), f.name)
		if err := os.WriteFile(filepath.Join(dist, f.name), f.text, 0o644); err != nil {
			return nil, err
		}
	}
	return made, os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// common returns the files that every archive has: those that people read, and how shells complete.
func (r *release) common() ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := r.run(r.clone, "git", "show", r.version+":"+name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, text: []byte(text)})
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		text, err := r.run(r.work, filepath.Join(r.bin(), program), "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "completion/" + program + "." + shell, text: []byte(text)})
	}
	return files, nil
}

// build builds the program for a platform as go install does, so that everyone can build it again, and returns its path.
func (r *release) build(gopath, system, arch string) (string, error) {
	name, dir := program, filepath.Join(gopath, "bin")
	if system == "windows" {
		name += ".exe"
	}
	if system != runtime.GOOS || arch != runtime.GOARCH {
		dir = filepath.Join(dir, system+"_"+arch)
	}
	_, err := r.runOffline(r.work, "env", "GOPATH="+gopath, "GOBIN=", "GOOS="+system, "GOARCH="+arch,
		"go", "install", "-trimpath", "-ldflags=-s -w", mainModule+"/cmd/"+program+"@"+r.version)
	return filepath.Join(dir, name), err
}

// epoch is the time of all files, so that archives built twice are equal. Zip has none before 1980.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// tarGzip packs files into a folder.
func tarGzip(folder string, files []file) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: f.mode(), Size: int64(len(f.text)), ModTime: epoch, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	for _, c := range []io.Closer{w, compressed} {
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// zipped packs files into a folder.
func zipped(folder string, files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: epoch}
		h.SetMode(os.FileMode(f.mode()))
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return slices.Clip(b.Bytes()), err
}

// The parts of SPDX 2.3 that a bill has: https://spdx.github.io/spdx-spec/v2.3/
type (
	document struct {
		SPDXID            string         `json:"SPDXID"`
		Version           string         `json:"spdxVersion"`
		DataLicense       string         `json:"dataLicense"`
		Name              string         `json:"name"`
		DocumentNamespace string         `json:"documentNamespace"`
		CreationInfo      creation       `json:"creationInfo"`
		Packages          []spdxPackage  `json:"packages"`
		Relationships     []relationship `json:"relationships"`
	}
	creation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		SPDXID           string      `json:"SPDXID"`
		Name             string      `json:"name"`
		VersionInfo      string      `json:"versionInfo"`
		FileName         string      `json:"packageFileName,omitempty"`
		DownloadLocation string      `json:"downloadLocation"`
		FilesAnalyzed    bool        `json:"filesAnalyzed"`
		LicenseConcluded string      `json:"licenseConcluded"`
		LicenseDeclared  string      `json:"licenseDeclared"`
		CopyrightText    string      `json:"copyrightText"`
		Checksums        []checksum  `json:"checksums,omitempty"`
		ExternalRefs     []reference `json:"externalRefs,omitempty"`
	}
	checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	reference struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	relationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

const nothingSaid = "NOASSERTION"

// bill returns the software bill of materials of archives, as SPDX: each archive depends on the modules that its program says it was built from.
func (r *release) bill(made []packed) (file, error) {
	committed, err := r.run(r.clone, "git", "log", "-1", "--format=%cI", r.version)
	if err != nil {
		return file{}, err
	}
	created, err := time.Parse(time.RFC3339, strings.TrimSpace(committed))
	if err != nil {
		return file{}, err
	}
	name := fmt.Sprintf("%s_%s.spdx.json", program, strings.TrimPrefix(r.version, "v"))
	downloads := publicURL + "/releases/download/" + r.version + "/"
	d := document{SPDXID: "SPDXRef-DOCUMENT", Version: "SPDX-2.3", DataLicense: "CC0-1.0", Name: name, DocumentNamespace: downloads + name,
		CreationInfo: creation{created.UTC().Format(time.RFC3339), []string{"Organization: rpcgen-go"}}}
	known := map[string]bool{}
	for i, a := range made {
		info, err := buildinfo.Read(bytes.NewReader(a.binary))
		if err != nil {
			return file{}, fmt.Errorf("%s: %w", a.name, err)
		}
		id := fmt.Sprintf("SPDXRef-Archive-%d", i+1)
		d.Packages = append(d.Packages, spdxPackage{SPDXID: id, Name: program, VersionInfo: info.Main.Version, FileName: a.name, DownloadLocation: downloads + a.name,
			LicenseConcluded: nothingSaid, LicenseDeclared: "Apache-2.0", CopyrightText: nothingSaid,
			Checksums: []checksum{{"SHA256", fmt.Sprintf("%x", sha256.Sum256(a.text))}}, ExternalRefs: goPackage(info.Main.Path, info.Main.Version)})
		d.Relationships = append(d.Relationships, relationship{d.SPDXID, "DESCRIBES", id})
		// The standard library is a module in vulnerability databases.
		for _, dep := range append(info.Deps, &debug.Module{Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}) {
			on := "SPDXRef-Module-" + strings.NewReplacer("/", "-", "_", "-", "~", "-", "+", "-").Replace(dep.Path+"-"+dep.Version)
			if !known[on] {
				known[on] = true
				d.Packages = append(d.Packages, spdxPackage{SPDXID: on, Name: dep.Path, VersionInfo: dep.Version, DownloadLocation: nothingSaid,
					LicenseConcluded: nothingSaid, LicenseDeclared: nothingSaid, CopyrightText: nothingSaid, ExternalRefs: goPackage(dep.Path, dep.Version)})
			}
			d.Relationships = append(d.Relationships, relationship{id, "DEPENDS_ON", on})
		}
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return file{name: name, text: append(text, '\n')}, err
}

// goPackage returns the package URL of a module.
func goPackage(path, version string) []reference {
	return []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}}
}
