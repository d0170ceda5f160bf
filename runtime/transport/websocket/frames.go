package websocket

import (
	"encoding/binary"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// frames reads the frames of a peer, and refuses what package websocket takes: lengths that are not as short as they can be (RFC 6455 section 5.2), and
// reasons of close frames that are not UTF-8 (section 5.5.1). The error is a [*CloseError], in place of the byte that shows the fault.
type frames struct {
	io.ReadWriteCloser
	head  []byte // what has come of a header, or of a close frame
	left  uint64 // bytes of the payload that have not come
	fault error
}

// Read implements [io.Reader].
func (f *frames) Read(p []byte) (int, error) {
	if f.fault != nil {
		return 0, f.fault
	}
	n, err := f.ReadWriteCloser.Read(p)
	for at := 0; at < n; {
		if f.left > 0 {
			skip := min(f.left, uint64(n-at))
			f.left -= skip
			at += int(skip)
			continue
		}
		f.head = append(f.head, p[at])
		if f.look(); f.fault != nil {
			return at, f.fault
		}
		at++
	}
	return n, err
}

// look reads a header when it is whole.
func (f *frames) look() {
	b, size := f.head, 2
	if len(b) < size {
		return
	}
	length, least := uint64(b[1]&127), uint64(0)
	switch {
	case length == 126:
		size, least = 4, 126
	case length == 127:
		size, least = 10, 1<<16
	}
	if len(b) < size {
		return
	}
	if least > 0 {
		var wide [8]byte
		copy(wide[8-(size-2):], b[2:])
		length = binary.BigEndian.Uint64(wide[:])
	}
	if length < least {
		f.fault = &CloseError{int(websocket.StatusProtocolError), "the length of a frame is not as short as it can be"}
		return
	}
	var key [4]byte
	if b[1]&128 != 0 {
		copy(key[:], b[size:])
		size += len(key)
	}
	const opClose, most = 8, 125 // of a control frame, which package websocket looks at
	closes := b[0]&15 == opClose && length <= most
	if len(b) < size || closes && len(b) < size+int(length) {
		return
	}
	if f.head = b[:0]; !closes {
		f.left = length
		return
	}
	reason := b[size:]
	for i := range reason {
		reason[i] ^= key[i%4]
	}
	if !utf8.Valid(reason[min(2, len(reason)):]) {
		f.fault = &CloseError{int(websocket.StatusInvalidFramePayloadData), "the reason of a close frame is not UTF-8"}
	}
}

// frameTransport is a transport for handshakes, after which frames are looked at.
type frameTransport struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t frameTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		if c, ok := resp.Body.(io.ReadWriteCloser); ok { // of a connection that is one of frames now
			resp.Body = &frames{ReadWriteCloser: c}
		}
	}
	return resp, err
}
