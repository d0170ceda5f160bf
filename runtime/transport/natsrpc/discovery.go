package natsrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nuid"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// discovery answers the requests of package micro: which services there are, what they serve, and how much. Package micro itself counts
// a request when its handler has returned, so handlers in goroutines of their own would take no time and have no errors.
type discovery struct {
	identity  micro.ServiceIdentity
	o         Options
	started   time.Time
	endpoints []*endpoint
	methods   map[string]*endpoint // by method; nil if there is one endpoint for all
}

// endpoint is the part of discovery for one method, or for all.
type endpoint struct {
	name     string
	metadata map[string]string

	mu        sync.Mutex
	requests  int
	errors    int
	lastError string
	time      time.Duration
}

var (
	unfitName = regexp.MustCompile(`[^A-Za-z0-9_-]`)
	semantic  = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

// newDiscovery returns the discovery of a handler. Its answers have to fit into a payload of most bytes; 0 is unknown.
func newDiscovery(h runtime.Handler, o Options, most int64) (*discovery, error) {
	p := h.Protocol()
	name := cmp.Or(o.Name, unfitName.ReplaceAllString(p.Name, "_"))
	if name == "" || unfitName.MatchString(name) {
		return nil, errors.New("natsrpc: Options.Name consists of letters, digits, - and _: " + strconv.Quote(name))
	}
	if !semantic.MatchString(o.Version) {
		return nil, errors.New("natsrpc: Options.Version is a semantic version such as 1.4.0: " + strconv.Quote(o.Version))
	}
	d := &discovery{
		identity: micro.ServiceIdentity{Name: name, ID: nuid.Next(), Version: o.Version, Metadata: map[string]string{}},
		o:        o, started: time.Now().UTC(),
	}
	if p.Revision != "" {
		d.identity.Metadata["revision"] = p.Revision
	}
	if err := d.addEndpoints(); err != nil {
		return nil, err
	}
	if info, _ := json.Marshal(d.info()); most > 0 && int64(max(len(info), len(o.OpenRPC))) > most {
		return nil, fmt.Errorf("natsrpc: Options.OpenRPC does not fit into a message of NATS, which has at most %d bytes", most)
	}
	return d, nil
}

// addEndpoints adds an endpoint for each method of the document, or one for all.
func (d *discovery) addEndpoints() error {
	if d.o.OpenRPC == nil {
		d.endpoints = []*endpoint{{name: "rpc", metadata: map[string]string{}}}
		return nil
	}
	var document struct{ Methods []json.RawMessage }
	if err := json.Unmarshal(d.o.OpenRPC, &document); err != nil {
		return fmt.Errorf("natsrpc: Options.OpenRPC is not an OpenRPC document: %w", err)
	}
	d.methods = make(map[string]*endpoint)
	for i, text := range document.Methods {
		var m struct{ Name string }
		if err := json.Unmarshal(text, &m); err != nil || m.Name == "" {
			return fmt.Errorf("natsrpc: Options.OpenRPC is not an OpenRPC document: /methods/%d has no name", i)
		}
		e := &endpoint{name: unfitName.ReplaceAllString(m.Name, "_"), metadata: map[string]string{"method": m.Name, "openrpc": compact(text)}}
		d.methods[m.Name] = e
		d.endpoints = append(d.endpoints, e)
	}
	d.endpoints = append(d.endpoints, &endpoint{name: "other", metadata: map[string]string{"description": "calls of methods that are not there"}})
	return nil
}

// compact returns JSON without spaces between its tokens.
func compact(text json.RawMessage) string {
	b, _ := json.Marshal(text) // which is valid
	return string(b)
}

// endpoint returns the endpoint that counts the calls of a method.
func (d *discovery) endpoint(method string) *endpoint {
	if e := d.methods[method]; e != nil {
		return e
	}
	return d.endpoints[len(d.endpoints)-1]
}

// subjects returns what answers the requests of discovery, by subject.
func (d *discovery) subjects() map[string]nats.MsgHandler {
	all := map[string]nats.MsgHandler{}
	for verb, value := range map[micro.Verb]func() any{micro.PingVerb: d.ping, micro.InfoVerb: d.info, micro.StatsVerb: d.stats} {
		for _, at := range [][2]string{{}, {d.identity.Name}, {d.identity.Name, d.identity.ID}} {
			subject, _ := micro.ControlSubject(verb, at[0], at[1]) // the verbs and names are valid
			all[subject] = func(m *nats.Msg) {
				text, _ := json.Marshal(value())
				m.Respond(text)
			}
		}
	}
	if d.o.OpenRPC != nil {
		all[d.o.Subject+openrpcSuffix] = func(m *nats.Msg) { m.Respond(d.o.OpenRPC) }
	}
	return all
}

func (d *discovery) ping() any {
	return micro.Ping{ServiceIdentity: d.identity, Type: micro.PingResponseType}
}

func (d *discovery) info() any {
	info := micro.Info{ServiceIdentity: d.identity, Type: micro.InfoResponseType, Description: d.o.Description}
	for _, e := range d.endpoints {
		info.Endpoints = append(info.Endpoints, micro.EndpointInfo{Name: e.name, Subject: d.o.Subject, QueueGroup: d.o.Queue, Metadata: e.metadata})
	}
	return info
}

func (d *discovery) stats() any {
	stats := micro.Stats{ServiceIdentity: d.identity, Type: micro.StatsResponseType, Started: d.started}
	for _, e := range d.endpoints {
		stats.Endpoints = append(stats.Endpoints, e.stats(d.o.Subject, d.o.Queue))
	}
	return stats
}

func (e *endpoint) stats(subject, queue string) *micro.EndpointStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return &micro.EndpointStats{
		Name: e.name, Subject: subject, QueueGroup: queue, NumRequests: e.requests, NumErrors: e.errors, LastError: e.lastError,
		ProcessingTime: e.time, AverageProcessingTime: e.time / time.Duration(max(1, e.requests)),
	}
}

// count counts a call.
func (e *endpoint) count(took time.Duration, code int64, failed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	e.time += took
	if failed {
		e.errors++
		e.lastError = "error " + strconv.FormatInt(code, 10)
	}
}

// countingHandler is a handler whose calls are counted, those of batches included.
type countingHandler struct {
	runtime.Handler
	d *discovery
}

// Handle implements [runtime.Handler]. A handler that panics is counted as the internal error that is answered.
func (h countingHandler) Handle(ctx context.Context, c *runtime.Call) {
	start, e, returned := time.Now(), h.d.endpoint(c.Method()), false
	defer func() {
		code, failed := c.Failure()
		if !returned {
			code, failed = runtime.CodeInternalError, true
		}
		e.count(time.Since(start), code, failed)
	}()
	h.Handler.Handle(ctx, c)
	returned = true
}
