package frame

// Trace returns conn with a look at everything that passes: see is called with each frame that was received, and each one that
// is about to be sent. It must not keep or change the frame. It is called by two goroutines when conn is used both ways.
func Trace(conn Conn, see func(sent bool, frame []byte)) Conn { return &traced{conn, see} }

type traced struct {
	Conn
	see func(sent bool, frame []byte)
}

func (t *traced) ReadFrame() ([]byte, error) {
	p, err := t.Conn.ReadFrame()
	if err == nil {
		t.see(false, p)
	}
	return p, err
}

func (t *traced) WriteFrame(p []byte) error {
	t.see(true, p)
	return t.Conn.WriteFrame(p)
}
