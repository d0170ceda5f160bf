package web

import (
	"bytes"
	"strconv"
	"time"
)

// This file writes the part of server-sent events (HTML standard, section 9.2) that messages need: a message is one event on one line.

// AppendEvent appends a message as an event. If id is empty, the event has none.
func AppendEvent(b []byte, id string, message []byte) []byte {
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = appendLine(append(b, "data: "...), message)
	return append(b, "\n\n"...)
}

// appendPriming appends an event without data that gives the client an id to resume from, and the
// delay before reconnecting (2025-11-25, basic/transports, Sending Messages to the Server).
func appendPriming(b []byte, id string, retry time.Duration) []byte {
	b = append(append(b, "id: "...), id...)
	b = append(b, "\nretry: "...)
	b = strconv.AppendInt(b, retry.Milliseconds(), 10)
	return append(b, "\ndata: \n\n"...)
}

// comment is sent to keep a quiet stream open. Clients ignore it.
const comment = ":\n\n"

// appendLine appends JSON text. A line break in it is white space, because line breaks in strings are escaped.
func appendLine(b, message []byte) []byte {
	start := len(b)
	b = append(b, message...)
	if line := b[start:]; bytes.IndexByte(line, '\n') >= 0 || bytes.IndexByte(line, '\r') >= 0 {
		for i, c := range line {
			if c == '\n' || c == '\r' {
				line[i] = ' '
			}
		}
	}
	return b
}
