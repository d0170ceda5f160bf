package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

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
		for _, dep := range append(info.Deps, goItself(info.GoVersion)) {
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

// goItself returns the standard library, given the version of Go, as the module that it is called by vulnerability databases.
func goItself(version string) *debug.Module {
	return &debug.Module{Path: "stdlib", Version: strings.TrimPrefix(version, "go")}
}

// goPackage returns the package URL of a module.
func goPackage(path, version string) []reference {
	return []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + version}}
}
