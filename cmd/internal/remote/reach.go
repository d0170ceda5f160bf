package remote

import (
	"cmp"
	"net/http"
)

// HTTP returns how requests to a server at a URL are sent: the header of each, and a client that logs in when it has to, which is nil for the
// default one.
func (s *Server) HTTP(t Terminal) (http.Header, *http.Client, error) {
	header, err := s.Header()
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	client, err := s.Login.client(s.URL, header, t, cmp.Or(t.clock, new(patience)))
	return header, client, err
}
