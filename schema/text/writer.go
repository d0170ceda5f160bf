package text

import "io"

// Writer passes on what is written to it as [Terminal] shows it. A character that comes in two writes is shown as its bytes.
type Writer struct{ io.Writer }

// Write implements io.Writer. It counts the bytes of p.
func (w Writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, Terminal(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap returns what w writes to: for the bytes of a file, which must reach it as they are.
func (w Writer) Unwrap() io.Writer { return w.Writer }
