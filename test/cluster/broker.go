package main

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/rpcgen-go/rpcgen/test/port"
)

// broker is a NATS server in this process.
type broker struct {
	options *server.Options
	server  *server.Server
}

// startBroker starts NATS with JetStream, which keeps its data in a folder.
func startBroker(folder string) (*broker, error) {
	b := &broker{options: &server.Options{
		Host: "127.0.0.1", Port: port.Free(), NoLog: true, NoSigs: true, JetStream: true, StoreDir: folder, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	}}
	return b, b.start()
}

func (b *broker) start() (err error) {
	if b.server, err = server.NewServer(b.options); err != nil {
		return err
	}
	b.server.Start()
	if !b.server.ReadyForConnections(time.Minute) {
		err = errors.New("NATS does not start")
	}
	return err
}

func (b *broker) url() string { return b.server.ClientURL() }

func (b *broker) stop() {
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
}
