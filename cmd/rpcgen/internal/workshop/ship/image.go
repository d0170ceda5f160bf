package ship

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
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
	s.add(s.imageName(), tarred(l.files), false)
	return nil
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
	plain := tarred(files)
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

// Archives are written here, and not by archive/tar and archive/zip, because rpcgen would be larger by more than these lines: files that are known as a
// whole, with short names and the same times.

// entry is a file or a folder of an archive.
type entry struct {
	file
	folder bool
	mode   int64
	owner  int
}

// longestName is how many bytes the name of a file in an archive may have.
const longestName = 100

// zipped packs files as zip does (PKWARE APPNOTE 6.3): deflated, with the modes of Unix, and the earliest time that there is, 1980-01-01.
func zipped(files []file) ([]byte, error) {
	const (
		deflated, utf8Names = 8, 0x800
		version, unix       = 20, 3 << 8
		firstDay            = 1<<5 | 1
		regular             = 0o100000
	)
	var b, directory bytes.Buffer
	for _, f := range files {
		if int64(len(f.text)) > math.MaxUint32 || int64(b.Len()) > math.MaxUint32 {
			return nil, fmt.Errorf("%s does not fit into a bundle of 4 GB", f.name)
		}
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.DefaultCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		// What both the header before a file and its entry in the directory have.
		common := little(uint16(version), uint16(utf8Names), uint16(deflated), uint16(0), uint16(firstDay), crc32.ChecksumIEEE(f.text),
			uint32(packed.Len()), uint32(len(f.text)), uint16(len(f.name)), uint16(0))
		directory.Write(little(uint32(0x02014b50), uint16(unix|version)))
		directory.Write(common)
		directory.Write(little(uint16(0), uint16(0), uint16(0), uint32(regular|f.mode())<<16, uint32(b.Len())))
		directory.WriteString(f.name)
		b.Write(little(uint32(0x04034b50)))
		b.Write(common)
		b.WriteString(f.name)
		b.Write(packed.Bytes())
	}
	end := little(uint32(0x06054b50), uint16(0), uint16(0), uint16(len(files)), uint16(len(files)), uint32(directory.Len()), uint32(b.Len()), uint16(0))
	b.Write(directory.Bytes())
	b.Write(end)
	return b.Bytes(), nil
}

// little returns numbers of 16 and 32 bits with the lowest byte first.
func little(numbers ...any) (b []byte) {
	for _, n := range numbers {
		switch n := n.(type) {
		case uint16:
			b = binary.LittleEndian.AppendUint16(b, n)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	return b
}

// tarred packs files as tar does (POSIX ustar). Their times are that of the beginning of Unix.
func tarred(files []entry) []byte {
	const block = 512
	var b bytes.Buffer
	for _, f := range files {
		header := make([]byte, block)
		kind := byte('0')
		if f.folder {
			kind = '5'
		}
		copy(header, f.name)
		octal := func(at, digits int, n int64) { copy(header[at:], fmt.Sprintf("%0*o", digits, n)) }
		octal(100, 7, f.mode)
		octal(108, 7, int64(f.owner))
		octal(116, 7, int64(f.owner))
		octal(124, 11, int64(len(f.text)))
		octal(136, 11, 0)
		copy(header[148:], "        ") // in place of the sum
		header[156] = kind
		copy(header[257:], "ustar\x0000")
		sum := int64(0)
		for _, c := range header {
			sum += int64(c)
		}
		octal(148, 6, sum)
		header[154] = 0
		b.Write(header)
		b.Write(f.text)
		b.Write(make([]byte, -len(f.text)&(block-1)))
	}
	b.Write(make([]byte, 2*block))
	return b.Bytes()
}
