package main

import (
	"errors"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// broker is a NATS server in this process.
type broker struct {
	options *server.Options
	server  *server.Server
}

// startBroker starts NATS with JetStream, which keeps its data in a folder.
func startBroker(folder string) (*broker, error) {
	b := &broker{options: &server.Options{
		Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true, JetStream: true, StoreDir: folder, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	}}
	return b, b.start()
}

func (b *broker) start() (err error) {
	if b.server, err = server.NewServer(b.options); err != nil {
		return err
	}
	b.server.Start()
	if !b.server.ReadyForConnections(10 * time.Second) {
		return errors.New("NATS does not start")
	}
	b.options.Port = b.server.Addr().(*net.TCPAddr).Port // the same one after a restart
	return nil
}

func (b *broker) url() string { return b.server.ClientURL() }

func (b *broker) stop() {
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
}
