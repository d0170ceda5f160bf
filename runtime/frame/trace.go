package frame

// Trace returns a connection that calls see with each frame that was received, and with each frame that is about to be sent. The function see must
// not keep or change the frame. If conn is used in both directions, see is called by two goroutines.
func Trace(conn Conn, see func(sent bool, frame []byte)) Conn { return &traceConn{conn, see} }

type traceConn struct {
	Conn
	see func(sent bool, frame []byte)
}

func (t *traceConn) ReadFrame() ([]byte, error) {
	p, err := t.Conn.ReadFrame()
	if err == nil {
		t.see(false, p)
	}
	return p, err
}

func (t *traceConn) WriteFrame(p []byte) error {
	t.see(true, p)
	return t.Conn.WriteFrame(p)
}
