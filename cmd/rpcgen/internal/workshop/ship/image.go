package ship

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Media types of the OCI image format, https://github.com/opencontainers/image-spec/blob/v1.1.1/media-types.md
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// registryLabel is the label by which the MCP Registry sees that an image is of a server.
const registryLabel = "io.modelcontextprotocol.server.name"

// The user that programs in images run as, who has no rights, and its folder.
const (
	user = 65532
	home = "home/nonroot"
)

// descriptor names a part of an image by its hash.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *ociPlatform      `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type ociPlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// layout is an image as files, https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
type layout struct{ files []entry }

// blob adds a part, and returns its descriptor.
func (l *layout) blob(mediaType string, text []byte) descriptor {
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	name := "blobs/sha256/" + sum
	if !slices.ContainsFunc(l.files, func(f entry) bool { return f.name == name }) {
		l.files = append(l.files, entry{file: file{name: name, text: text}, mode: 0o644})
	}
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(text)}
}

// json adds a part that is JSON.
func (l *layout) json(mediaType string, v any) (descriptor, error) {
	text, err := json.Marshal(v)
	return l.blob(mediaType, text), err
}

// image makes the image: one layer with the program for each processor, whose command serves on standard input and output.
func (s *shipment) image() error {
	l := &layout{files: []entry{{file: file{name: "oci-layout", text: []byte(`{"imageLayoutVersion":"1.0.0"}`)}, mode: 0o644}}}
	type index struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Manifests     []descriptor `json:"manifests"`
	}
	all := index{SchemaVersion: 2, MediaType: indexType}
	for _, p := range platforms {
		if p.system != "linux" {
			continue
		}
		d, err := s.imageFor(l, p)
		if err != nil {
			return err
		}
		all.Manifests = append(all.Manifests, d)
	}
	d, err := l.json(indexType, all)
	if err != nil {
		return err
	}
	d.Annotations = map[string]string{"org.opencontainers.image.ref.name": s.version}
	text, err := json.Marshal(index{2, indexType, []descriptor{d}})
	if err != nil {
		return err
	}
	l.files = append(l.files, entry{file: file{name: "index.json", text: text}, mode: 0o644})
	packed, err := tarFiles(l.files)
	s.add(s.imageName(), packed, false)
	return err
}

// imageFor adds the image for a platform.
func (s *shipment) imageFor(l *layout, p platform) (descriptor, error) {
	files := []entry{
		{file: file{name: "bin/"}, folder: true, mode: 0o755},
		{file: file{name: "bin/" + s.name, text: s.programs[p]}, mode: 0o755},
		{file: file{name: "home/"}, folder: true, mode: 0o755},
		{file: file{name: home + "/"}, folder: true, mode: 0o700, owner: user},
		{file: file{name: "tmp/"}, folder: true, mode: 0o1777},
	}
	if len(s.Certificates) > 0 {
		files = append(files, entry{file: file{name: "etc/"}, folder: true, mode: 0o755}, entry{file: file{name: "etc/ssl/"}, folder: true, mode: 0o755},
			entry{file: file{name: "etc/ssl/certs/"}, folder: true, mode: 0o755}, entry{file: file{name: "etc/ssl/certs/ca-certificates.crt",
				text: s.Certificates}, mode: 0o644})
	}
	plain, err := tarFiles(files)
	if err != nil {
		return descriptor{}, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(plain); err != nil {
		return descriptor{}, err
	}
	if err := w.Close(); err != nil {
		return descriptor{}, err
	}
	labels := map[string]string{registryLabel: s.Name, "org.opencontainers.image.title": s.Doc.Server.Name, "org.opencontainers.image.version": s.version}
	config, err := l.json(configType, map[string]any{
		"architecture": p.arch, "os": p.system, "created": "1970-01-01T00:00:00Z",
		"config": map[string]any{
			"User": fmt.Sprintf("%d:%[1]d", user), "WorkingDir": "/" + home, "Env": []string{"PATH=/bin", "HOME=/" + home},
			"Entrypoint": []string{"/bin/" + s.name}, "Cmd": append([]string{}, s.Arguments...), "Labels": labels,
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(plain))}},
		"history": []any{map[string]any{"created": "1970-01-01T00:00:00Z", "created_by": "rpcgen ship"}},
	})
	if err != nil {
		return descriptor{}, err
	}
	d, err := l.json(manifestType, map[string]any{
		"schemaVersion": 2, "mediaType": manifestType, "config": config, "layers": []descriptor{l.blob(layerType, packed.Bytes())},
		"annotations": labels,
	})
	d.Platform = &ociPlatform{p.arch, p.system}
	return d, err
}

// entry is a file or a folder of an archive.
type entry struct {
	file
	folder bool
	mode   int64
	owner  int
}

// longestName is how many bytes the name of a file in an archive may have.
const longestName = 100

// zipFiles packs files with the modes of Unix and the earliest time that there is in a zip file.
func zipFiles(files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.mode())
		part, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// tarFiles packs files. Their times are that of the beginning of Unix.
func tarFiles(files []entry) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Uid: f.owner, Gid: f.owner, Size: int64(len(f.text)), ModTime: time.Unix(0, 0),
			Format: tar.FormatUSTAR}
		if f.folder {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
