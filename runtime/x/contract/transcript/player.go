package transcript

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/canonical"
)

// Player finds the recorded answers to messages of a client. It is safe for concurrent use.
type Player struct {
	start    []Step // what the server sent before the client did
	streams  []*Reply
	units    []*unit
	byKey    map[string][]*unit
	methods  []string
	redactor *Redactor // nil unless the recording is redacted

	mu     sync.Mutex
	served map[string]int // by key
}

// Reply is what a server sent in answer to a message.
type Reply struct {
	Steps []Step
	HTTP  *Exchange // how the answer came; nil if it was not over HTTP
}

// Step is one message of a server.
type Step struct {
	Message []byte
	Await   string // the id of a question, see [AnswerTo]: what follows is sent when the client has answered it; empty if it is not a question
}

// unit is a message of a client and what the server sent for it.
type unit struct {
	key, method string
	request     []byte
	ids         []string // JSON, of the requests in it
	pending     map[string]bool
	token       string // JSON, progress token; empty if there is none
	exchange    int
	reply       Reply
}

// UnknownError says that a request was not recorded.
type UnknownError struct {
	Method  string // empty if it has none
	Nearest string // the nearest request that was recorded, and how it differs; empty if none is near
}

func (e *UnknownError) Error() string {
	text := "not recorded"
	if e.Method != "" {
		text += ": " + e.Method
	}
	if e.Nearest != "" {
		text += "; " + e.Nearest
	}
	return text
}

// NewPlayer returns a Player for a transcript. Messages of the client are matched without their ids and without what differs between equal calls:
// progress tokens, what the client says of itself, and trace contexts. The options say how secrets are found in the messages of the client, if the
// transcript is redacted.
func NewPlayer(t *Transcript, o RedactOptions) *Player {
	p := &Player{byKey: make(map[string][]*unit), served: make(map[string]int)}
	if t.Redacted > 0 {
		p.redactor = NewRedactor(o)
	}
	b := builder{Player: p, questions: make(map[string]*unit), streams: make(map[int]*Reply), exchanges: make(map[int]*unit)}
	for i := range t.Sections {
		b.section(&t.Sections[i])
	}
	return p
}

// Start returns what the server sent before the client had sent anything.
func (p *Player) Start() []Step { return p.start }

// Streams returns what the server sent in answer to GET requests, which is nil for none.
func (p *Player) Streams() []*Reply { return p.streams }

// Find returns the reply to a request, a notification or a batch. Equal messages get the replies in their order, and then the last one again. Ids and
// progress tokens in it are those of the message. The error is an [*UnknownError].
func (p *Player) Find(message []byte) (*Reply, error) {
	if p.redactor != nil {
		p.mu.Lock()
		key := p.key(p.redactor.Line(message))
		p.mu.Unlock()
		return p.find(message, key)
	}
	return p.find(message, p.key(message))
}

func (p *Player) find(message []byte, key string) (*Reply, error) {
	all := p.byKey[key]
	if all == nil {
		return nil, p.unknownRequest(message, key)
	}
	p.mu.Lock()
	n := min(p.served[key], len(all)-1)
	p.served[key]++
	p.mu.Unlock()
	found := all[n]
	to := parseMessage(message)
	reply := &Reply{HTTP: found.reply.HTTP}
	for _, s := range found.reply.Steps {
		reply.Steps = append(reply.Steps, Step{found.adapt(s.Message, &to), s.Await})
	}
	return reply, nil
}

// parseMessage returns what is compared and replaced of a message of a client.
func parseMessage(message []byte) unit {
	u := unit{request: message, pending: make(map[string]bool)}
	if wire.Check(message, wire.MaxDepth) != nil {
		return u
	}
	p := wire.PeekAt(message)
	u.method, _ = p.In("method").Text()
	u.token = trimJSON(p.In("params").In("_meta").In("progressToken"))
	for one := range each(p) {
		if id := trimJSON(one.In("id")); id != "" && one.Has("method") {
			u.ids = append(u.ids, id)
			u.pending[wire.IDKey(id)] = true
		}
	}
	return u
}

// each returns the messages of a batch, or the message.
func each(p wire.Peek) func(yield func(wire.Peek) bool) {
	if p.Kind() == wire.Array {
		return p.Elements()
	}
	return func(yield func(wire.Peek) bool) { yield(p) }
}

func trimJSON(p wire.Peek) string { return strings.TrimSpace(string(p.JSON())) }

// builder makes a Player.
type builder struct {
	*Player
	questions map[string]*unit // of the server, by their ids
	streams   map[int]*Reply   // of exchanges
	exchanges map[int]*unit
}

// section takes a section.
func (b *builder) section(s *Section) {
	switch {
	case s.Name == Client && s.HTTP != nil && len(s.Lines) == 0:
		if s.HTTP.Method == "GET" {
			stream := new(Reply)
			b.streams[s.HTTP.Number] = stream
			b.Player.streams = append(b.Player.streams, stream)
		}
	case s.Name == Client:
		for _, line := range s.Lines {
			b.takeClient(line, s.HTTP)
		}
	case s.Name == Server:
		b.takeResponse(s.HTTP)
		for _, line := range s.Lines {
			b.takeServer(line, s.HTTP)
		}
	}
}

// takeClient takes a message of the client.
func (b *builder) takeClient(line []byte, http *Exchange) {
	u := parseMessage(line)
	if isResponse(line) {
		delete(b.questions, canonicalID(line))
		return
	}
	u.key = b.key(line)
	if http != nil {
		u.exchange = http.Number
		b.exchanges[u.exchange] = &u
	}
	if u.method != "" && !slices.Contains(b.methods, u.method) {
		b.methods = append(b.methods, u.method)
	}
	b.units = append(b.units, &u)
	b.byKey[u.key] = append(b.byKey[u.key], &u)
}

// isResponse reports whether a message answers a request.
func isResponse(line []byte) bool {
	p := wire.PeekAt(line)
	return p.Has("id") && !p.Has("method") && (p.Has("result") || p.Has("error"))
}

// AnswerTo returns the id of the question that a message of the client answers, in a form in which equal ids have equal texts. It is empty if the message
// is not an answer.
func AnswerTo(message []byte) string {
	if wire.Check(message, wire.MaxDepth) != nil || !isResponse(message) {
		return ""
	}
	return canonicalID(message)
}

// canonicalID returns the id of a message.
func canonicalID(line []byte) string {
	id := wire.PeekAt(line).In("id").JSON()
	if wire.Check(id, wire.MaxDepth) != nil {
		return ""
	}
	return wire.IDKey(string(id))
}

// takeResponse takes how a response came.
func (b *builder) takeResponse(http *Exchange) {
	if http == nil || http.Status == 0 {
		return
	}
	if u := b.exchanges[http.Number]; u != nil {
		u.reply.HTTP = http
	} else if stream := b.streams[http.Number]; stream != nil {
		stream.HTTP = http
	}
}

// takeServer takes a message of the server.
func (b *builder) takeServer(line []byte, http *Exchange) {
	step := Step{Message: line}
	p := wire.PeekAt(line)
	if p.Has("method") && p.Has("id") {
		step.Await = canonicalID(line)
	}
	if http != nil {
		if stream := b.streams[http.Number]; stream != nil {
			stream.Steps = append(stream.Steps, step)
			return
		}
	}
	to := b.owner(line, http)
	if to == nil {
		b.start = append(b.start, step)
		return
	}
	to.reply.Steps = append(to.reply.Steps, step)
}

// owner returns the unit that a message of the server belongs to: the one whose id or token it has, that of its exchange, the last one that is not
// answered, or the last one.
func (b *builder) owner(line []byte, http *Exchange) *unit {
	if http != nil && b.exchanges[http.Number] != nil {
		return b.exchanges[http.Number]
	}
	p := wire.PeekAt(line)
	for one := range each(p) {
		if u := b.requestUnit(one); u != nil {
			return u
		}
	}
	if len(b.units) == 0 {
		return nil
	}
	last := b.units[len(b.units)-1]
	if len(last.ids) == 0 { // a notification, or a text that is not a message
		return last
	}
	for _, u := range slices.Backward(b.units) {
		if len(u.pending) > 0 {
			return u
		}
	}
	return last
}

// requestUnit returns the unit whose request a response answers, or whose progress or subscription a notification is about; nil if there is none.
func (b *builder) requestUnit(p wire.Peek) *unit {
	switch {
	case !p.Has("method") && p.Has("id"):
		id := canonicalID(p.JSON())
		for _, u := range slices.Backward(b.units) {
			if u.pending[id] {
				delete(u.pending, id)
				return u
			}
		}
	case p.Has("method") && !p.Has("id"):
		token := trimJSON(p.In("params").In("progressToken"))
		subscription := trimJSON(p.In("params").In("_meta").In(subscriptionID))
		for _, u := range slices.Backward(b.units) {
			if token != "" && sameID(u.token, token) || subscription != "" && slices.ContainsFunc(u.ids, func(id string) bool { return sameID(id, subscription) }) {
				return u
			}
		}
	}
	return nil
}

// sameID reports whether two ids, or tokens, have the same value.
func sameID(a, b string) bool { return wire.IDKey(a) == wire.IDKey(b) }

// subscriptionID is the member of _meta that holds the id of the request which a notification is for (basic/patterns/subscriptions).
const subscriptionID = "io.modelcontextprotocol/subscriptionId"

// adapt returns a message of the server with the ids and the token of another request.
func (u *unit) adapt(message []byte, to *unit) []byte {
	if len(u.ids) == 0 || len(u.ids) != len(to.ids) || wire.Check(message, wire.MaxDepth) != nil {
		return message
	}
	var out []byte
	copied := 0
	put := func(at int, was, is string) bool {
		if at < copied || was == "" || is == "" {
			return false
		}
		end := wire.Skip(message, at, wire.MaxDepth)
		if !sameID(string(message[at:end]), was) {
			return false
		}
		out = append(append(out, message[copied:at]...), is...)
		copied = end
		return true
	}
	for start := range starts(message) {
		if member(message, start, "method") < 0 {
			at := member(message, start, "id")
			for i, id := range u.ids {
				if put(at, id, to.ids[i]) {
					break
				}
			}
			continue
		}
		params := member(message, start, "params")
		put(member(message, params, "progressToken"), u.token, to.token)
		put(member(message, member(message, params, "_meta"), subscriptionID), u.ids[0], to.ids[0])
	}
	return append(out, message[copied:]...)
}

// starts returns where the messages of a batch begin, or the message.
func starts(message []byte) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		i := wire.Space(message, 0)
		if message[i] != '[' {
			yield(i)
			return
		}
		for i = wire.Space(message, i+1); message[i] != ']'; i = wire.Space(message, i) {
			if message[i] == ',' {
				i = wire.Space(message, i+1)
			}
			if !yield(i) {
				return
			}
			i = wire.Skip(message, i, wire.MaxDepth)
		}
	}
}

// member returns where the value of a member of the object at start begins in valid JSON, or -1 if there is none.
func member(message []byte, start int, name string) int {
	if start < 0 || message[start] != '{' {
		return -1
	}
	for i := wire.Space(message, start+1); message[i] != '}'; i = wire.Space(message, i) {
		if message[i] == ',' {
			i = wire.Space(message, i+1)
		}
		found, end := wire.Str(message, i)
		i = wire.Space(message, wire.Space(message, end)+1)
		if found == name {
			return i
		}
		i = wire.Skip(message, i, wire.MaxDepth)
	}
	return -1
}

// volatile are the members of _meta that differ between equal calls.
var volatile = map[string]bool{
	"progressToken": true, "traceparent": true, "tracestate": true, "baggage": true,
	"io.modelcontextprotocol/clientInfo": true, "io.modelcontextprotocol/clientCapabilities": true, "io.modelcontextprotocol/logLevel": true,
}

// key returns a text that equal messages have.
func (p *Player) key(message []byte) string {
	if wire.Check(message, wire.MaxDepth-2) != nil {
		return "bytes " + p.equalMarkers(string(message))
	}
	var b []byte
	for one := range each(wire.PeekAt(message)) {
		b = append(appendKey(b, one), '\n')
	}
	return p.equalMarkers(string(b))
}

// equalMarkers returns a text in which all markers are equal, if the recording has any: the same secret may have other numbers.
func (p *Player) equalMarkers(key string) string {
	if p.redactor == nil {
		return key
	}
	return markers.ReplaceAllString(key, "[redacted]")
}

// appendKey appends the key of one message.
func appendKey(b []byte, p wire.Peek) []byte {
	method, _ := p.In("method").Text()
	if method == "" {
		return append(b, canonical.Value(p.JSON())...)
	}
	if !p.Has("id") {
		b = append(b, "notification "...)
	}
	b = append(append(b, method...), ' ')
	if method == "initialize" { // whose params are what the client says of itself
		return b
	}
	switch params := p.In("params"); params.Kind() {
	case wire.Object:
		if rest := withoutVolatile(params); string(rest) != "{}" { // none are equal to these
			b = append(b, canonical.Value(rest)...)
		}
	case wire.Invalid:
	default:
		b = append(b, canonical.Value(params.JSON())...)
	}
	return b
}

// withoutVolatile returns params without what differs between equal calls.
func withoutVolatile(params wire.Peek) []byte {
	b := []byte{}
	for name, value := range params.Members() {
		if name == "_meta" {
			meta := []byte{}
			for name, value := range value.Members() {
				if !volatile[name] {
					meta = appendMember(meta, name, value.JSON())
				}
			}
			if len(meta) == 0 && value.Kind() == wire.Object {
				continue
			}
			b = appendMember(b, name, wire.CloseObject(meta, 0))
			continue
		}
		b = appendMember(b, name, value.JSON())
	}
	return wire.CloseObject(b, 0)
}

func appendMember(b []byte, name string, value []byte) []byte {
	return append(append(wire.AppendString(append(b, ','), name), ':'), value...)
}

// unknownRequest returns the error for a request that was not recorded.
func (p *Player) unknownRequest(message []byte, key string) error {
	u := parseMessage(message)
	e := &UnknownError{Method: u.method}
	const most = 1000 // requests that are compared
	least := -1
	for _, one := range p.units[:min(len(p.units), most)] {
		if one.method != u.method || u.method == "" || one.key == key {
			continue
		}
		n, first := difference(wire.PeekAt(one.request).In("params"), wire.PeekAt(message).In("params"))
		if n > 0 && (least < 0 || n < least) {
			least = n
			e.Nearest = "the nearest request of the recording differs: " + first
		}
	}
	if e.Nearest == "" && u.method != "" {
		if near := violation.Closest(u.method, p.methods); near != "" {
			e.Nearest = "the recording has " + near
		}
	}
	return e
}

// difference returns at how many places two values differ, and the first of them in words.
func difference(recorded, sent wire.Peek) (n int, first string) {
	was, is := places(recorded), places(sent)
	note := func(text string) {
		if n == 0 || text < first {
			first = text
		}
		n++
	}
	for at, value := range is {
		switch old, ok := was[at]; {
		case !ok:
			note(fmt.Sprintf("%s is %s here, and not there", at, short(value.text)))
		case old.canonical != value.canonical:
			note(fmt.Sprintf("%s is %s here, and %s there", at, short(value.text), short(old.text)))
		}
	}
	for at, value := range was {
		if _, ok := is[at]; !ok {
			note(fmt.Sprintf("%s is not here, and %s there", at, short(value.text)))
		}
	}
	return n, first
}

// short returns the beginning of a value.
func short(value string) string {
	const most = 60
	if len(value) > most {
		return strings.ToValidUTF8(value[:most], "") + "..."
	}
	return value
}

// scalar is a value that has no parts, which empty objects and lists are too.
type scalar struct{ canonical, text string }

// places returns the values without parts in params by their JSON Pointers.
func places(params wire.Peek) map[string]scalar {
	const most = 1000
	all := make(map[string]scalar)
	var walk func(p wire.Peek, at string)
	walk = func(p wire.Peek, at string) {
		if len(all) >= most {
			return
		}
		before := len(all)
		switch p.Kind() {
		case wire.Invalid:
			return
		case wire.Object:
			for name, value := range p.Members() {
				if at != "/params/_meta" || !volatile[name] {
					walk(value, at+"/"+violation.Escape(name))
				}
			}
		case wire.Array:
			i := 0
			for value := range p.Elements() {
				walk(value, fmt.Sprintf("%s/%d", at, i))
				i++
			}
		}
		if len(all) == before && at != "/params" && at != "/params/_meta" {
			all[at] = scalar{canonical.Value(p.JSON()), trimJSON(p)}
		}
	}
	walk(params, "/params")
	return all
}

// Canonical returns a JSON value in a form in which equal values have equal texts. Any other text is returned as it is.
func Canonical(value []byte) string {
	if wire.Check(value, wire.MaxDepth) != nil {
		return string(value)
	}
	return canonical.Value(value)
}
