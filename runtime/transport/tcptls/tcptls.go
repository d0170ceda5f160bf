// Package tcptls carries messages over TLS connections, with the options of package tcp. Client
// certificates are required if the [tls.Config] says so; [WithCertificates] derives principals from
// them. The package is separate from package tcp, so that programs without TLS do not link it.
package tcptls

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
)

// Dial connects to address, such as rpc.example.com:4000, whose certificate must be valid for its
// name. A nil config is the default configuration; a client certificate belongs to its
// Certificates. The handler h serves the calls of the other side; a nil h serves none. The end of
// ctx ends the attempt to connect and, later, the session.
func Dial(ctx context.Context, address string, config *tls.Config, h runtime.Handler, opts ...tcp.Option) (*runtime.Session, error) {
	d := tls.Dialer{Config: config}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return tcp.NewSession(ctx, c, h, opts...), nil
}

// ListenAndServe listens on address, such as :4000, and serves h there, see [Serve].
func ListenAndServe(ctx context.Context, address string, config *tls.Config, h runtime.Handler, opts ...tcp.Option) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return Serve(ctx, l, config, h, opts...)
}

// Serve is [tcp.Serve] over TLS. The config must hold the certificate of the server. The handshake
// of a connection may take as long as [tcp.WithFirstTimeout] allows.
func Serve(ctx context.Context, l net.Listener, config *tls.Config, h runtime.Handler, opts ...tcp.Option) error {
	return tcp.Serve(ctx, tls.NewListener(l, config), h, opts...)
}

var (
	errNoCertificate = errors.New("tcptls: the client has shown no certificate that was verified")
	errNoPrincipal   = errors.New("tcptls: the certificate belongs to no principal")
	errNoTLS         = errors.New("tcptls: the connection is not one of TLS")
)

// WithCertificates derives the principal of a connection from its verified client certificate: id
// returns its ID, which handlers get from [principal.From]. The server's [tls.Config] must verify
// certificates: set ClientAuth to [tls.RequireAndVerifyClientCert], and ClientCAs to the issuers. A
// connection without a certificate, or for which id returns "", is closed.
func WithCertificates(id func(*x509.Certificate) string) tcp.Option {
	return tcp.WithAuth(func(ctx context.Context, c net.Conn) (context.Context, error) {
		t, ok := c.(*tls.Conn)
		if !ok {
			return nil, errNoTLS
		}
		if err := t.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		state := t.ConnectionState()
		if len(state.VerifiedChains) == 0 {
			return nil, errNoCertificate
		}
		who := id(state.PeerCertificates[0])
		if who == "" {
			return nil, errNoPrincipal
		}
		return principal.With(ctx, who), nil
	})
}
