package configfile

import "pgregory.net/rapid"

// Random draws a file of a format.
func Random(t *rapid.T, f Format) []byte { return []byte(formats[f].make(newMaker(t)).text) }
