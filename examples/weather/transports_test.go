package weather_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/port"
)

// TestTransports: one server is reached over every transport that its flags name.
func TestTransports(t *testing.T) {
	dir, err := os.MkdirTemp("", "rpc") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "./server", "./client").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cert, key := certificate(t, bin)
	ports := []string{port.Address(), port.Address(), port.Address()}
	socket := filepath.Join(dir, "s")
	server := exec.Command(filepath.Join(bin, "server"), "-tcp", ports[0], "-http", ports[1], "-tls", ports[2], "-unix", socket, "-cert", cert, "-key", key)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Wait()
	defer server.Process.Kill()
	for _, address := range ports {
		reachable(t, "tcp", address)
	}
	reachable(t, "unix", socket)
	for _, args := range [][]string{
		{"-tcp", ports[0]}, {"-http", "http://" + ports[1] + "/rpc"}, {"-tls", ports[2], "-ca", cert}, {"-unix", socket},
	} {
		t.Run(args[0], func(t *testing.T) {
			out, err := exec.Command(filepath.Join(bin, "client"), args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			wanted := []string{"Paris has 14.5 degrees celsius", "did you mean Paris?", "Oslo has 26.6 degrees fahrenheit; Atlantis: city Atlantis not found"}
			if args[0] != "-http" {
				wanted = append(wanted, "severity 4 in Lagos: storm from the west")
			}
			for _, want := range wanted {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// reachable waits until a server listens.
func reachable(t *testing.T, network, address string) {
	t.Helper()
	await.Until(t, "the server listens on "+address, func() bool {
		c, err := net.Dial(network, address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// certificate writes the files of a certificate for this machine that vouches for itself.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, IsCA: true, BasicConstraintsValid: true,
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, b []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}
