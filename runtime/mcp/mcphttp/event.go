package mcphttp

import (
	"bytes"
	"strconv"
	"time"
)

// The server-sent events of the HTML standard, section 9.2, as far as messages need them: one message is one event, in one line.

// appendEvent appends a message as an event. An empty id is none.
func appendEvent(b []byte, id string, message []byte) []byte {
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = appendLine(append(b, "data: "...), message)
	return append(b, "\n\n"...)
}

// appendPriming appends the event without data that gives the client an id to come back with, and tells it when to do so
// (2025-11-25, basic/transports, Sending Messages to the Server).
func appendPriming(b []byte, id string, retry time.Duration) []byte {
	b = append(append(b, "id: "...), id...)
	b = append(b, "\nretry: "...)
	b = strconv.AppendInt(b, retry.Milliseconds(), 10)
	return append(b, "\ndata: \n\n"...)
}

// comment is what is sent to keep a quiet stream open. Clients read past it.
const comment = ":\n\n"

// appendLine appends JSON text. A line break in it is white space: inside of strings it would be escaped.
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
