package ir

// Codec says how generated code reads, writes and checks values. It changes no message.
type Codec uint8

// The codecs.
const (
	CodecUnset   Codec = iota
	CodecFull          // of a document: every type reads and writes itself, with encoding/json as well
	CodecCompact       // structs list their members once, and only what calls need is generated
	CodecFast          // of what a document with the compact codec declares: it reads and writes itself, and so does what it holds
)

// String gives the word used in a schema; nothing when nothing was said.
func (c Codec) String() string { return [...]string{"", "full", "compact", "fast"}[c] }
