package ship

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

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
		common := little(uint16(version), uint16(utf8Names), uint16(deflated), uint16(0), uint16(firstDay), crc32.ChecksumIEEE(f.text), uint32(packed.Len()), uint32(len(f.text)), uint16(len(f.name)), uint16(0))
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
