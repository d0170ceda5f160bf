package rpchttp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// errEncoding says that a body has an encoding that is not served.
var errEncoding = errors.New("the Content-Encoding of a message is gzip or identity")

// readMessage reads the message of a request.
func (h *Handler) readMessage(w http.ResponseWriter, r *http.Request, share *web.Share) ([]byte, error) {
	zipped, err := isGzip(r.Header["Content-Encoding"])
	if err != nil {
		return nil, err
	}
	body, err := web.ReadBody(w, r, h.o.MaxBody, share)
	if err != nil || !zipped {
		return body, err
	}
	return expand(body, h.o.MaxBody, share)
}

// isMessage reports whether a Content-Type is that of a message: the one of JSON, or one of the two
// that the draft "JSON-RPC over HTTP" of 2008 has in addition, which some clients still send.
func isMessage(contentType string) bool {
	if web.IsJSON(contentType) {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json-rpc" || t == "application/jsonrequest")
}

// isGzip reports whether a body has the encoding gzip (RFC 9110 section 8.4).
func isGzip(values []string) (bool, error) {
	switch {
	case len(values) == 0 || len(values) == 1 && strings.EqualFold(values[0], "identity"):
		return false, nil
	case len(values) == 1 && (strings.EqualFold(values[0], "gzip") || strings.EqualFold(values[0], "x-gzip")):
		return true, nil
	}
	return false, errEncoding
}

// readers holds readers of gzip, which are large.
var readers sync.Pool

// expand returns what b was compressed from, which may be at most that large.
func expand(b []byte, most int, share *web.Share) (out []byte, err error) {
	z, ok := readers.Get().(*gzip.Reader)
	if ok {
		err = z.Reset(bytes.NewReader(b))
	} else {
		z, err = gzip.NewReader(bytes.NewReader(b))
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		z.Reset(bytes.NewReader(nil)) // which keeps no memory of b
		readers.Put(z)
	}()
	return web.Expand(z, most, share)
}

// unreadable answers for a body that was not read to its end, and gives up the connection.
func (h *Handler) unreadable(w http.ResponseWriter, r *http.Request, err error) {
	web.HangUp(w, r)
	full, _ := errors.AsType[*web.FullError](err)
	switch {
	case full != nil:
		h.refuser.RefuseFor(w, full.Condition)
	case errors.Is(err, web.ErrBodyTooLarge):
		size := max(int(r.ContentLength), h.o.MaxBody+1)
		h.refuser.RefuseFor(w, runtime.Condition{Kind: when.MessageTooLarge, MaxSize: h.o.MaxBody, Size: size, Unit: "bytes"})
	case errors.Is(err, errEncoding):
		w.Header().Set("Accept-Encoding", "gzip") // RFC 9110 section 12.5.3
		h.refuser.Refuse(w, http.StatusUnsupportedMediaType, err.Error())
	case os.IsTimeout(err):
		h.refuser.Refuse(w, http.StatusRequestTimeout, "the body did not come in time")
	default:
		h.refuser.Log.Debug("a body could not be read", "error", err)
		h.refuser.Refuse(w, http.StatusBadRequest, "the body could not be read")
	}
}
