package mcp

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// meta is what the server reads from the _meta of a request. Faults are noted instead of reported,
// because they matter in the stateless era only.
type meta struct {
	version      string
	info         []byte // clientInfo, as JSON
	capabilities []byte // clientCapabilities, as a JSON object; nil if absent
	token        wire.ID
	level        protocol.Level
	faults       metaFaults
}

// metaFaults is the set of members of _meta that are invalid.
type metaFaults uint8

const (
	badMeta metaFaults = 1 << iota
	badVersion
	badCapabilities
	badLevel
)

// scan reads _meta.
func (m *meta) scan(r *wire.Reader) {
	if r.Kind() != wire.Object {
		m.faults |= badMeta
		r.Skip()
		return
	}
	var o wire.Members
	var others wire.Others
	for r.Object(&o); r.More(&o); {
		if r.KeyNotNull(&o, 0, `"`+protocol.MetaVersion+`":`) {
			m.readVersion(r)
		}
		if r.KeyNotNull(&o, 1, `"`+protocol.MetaClientInfo+`":`) {
			m.info = wire.TextOnce(r)
		}
		if r.KeyNotNull(&o, 2, `"`+protocol.MetaCapabilities+`":`) {
			m.setCapabilities(wire.TextOnce(r))
		}
		if r.KeyNotNull(&o, 3, `"`+protocol.MetaLogLevel+`":`) {
			m.setLevel(r.Text())
		}
		if r.KeyNotNull(&o, 4, `"progressToken":`) {
			m.token = r.ID()
		}
		others.Take(r, &o)
	}
}

// peek reads _meta from params that another handler will decode.
func (m *meta) peek(p wire.Peek) {
	*m = meta{level: protocol.NoLevel}
	if p.Kind() == wire.Invalid {
		return
	}
	if p.Kind() != wire.Object {
		m.faults |= badMeta
		return
	}
	m.token, _ = wire.ParseID(p.In("progressToken").JSON())
	m.info = present(p, protocol.MetaClientInfo)
	if version := present(p, protocol.MetaVersion); version != nil {
		var r wire.Reader
		r.Reset(version, 0, wire.MaxDepth)
		m.readVersion(&r)
	}
	m.setCapabilities(present(p, protocol.MetaCapabilities))
	m.setLevel(present(p, protocol.MetaLogLevel))
}

// present returns the text of a member; nil if it is absent or null.
func present(p wire.Peek, name string) []byte {
	member := p.In(name)
	if member.Kind() == wire.Null {
		return nil
	}
	return member.JSON()
}

func (m *meta) readVersion(r *wire.Reader) {
	if r.Kind() == wire.Text {
		m.version = r.String()
		return
	}
	m.faults |= badVersion
	r.Skip()
}

func (m *meta) setCapabilities(text []byte) {
	switch {
	case len(text) == 0:
	case text[0] == '{':
		m.capabilities = text
	default:
		m.faults |= badCapabilities
	}
}

func (m *meta) setLevel(text []byte) {
	if len(text) == 0 {
		return
	}
	s, end := wire.Str(text, 0)
	if m.level = protocol.LevelOf(s); end < 0 || m.level == protocol.NoLevel {
		m.faults |= badLevel
	}
}

// sound reports whether _meta has all members that a stateless request requires (basic, _meta).
func (m *meta) sound() bool { return m.faults == 0 && m.version != "" && m.capabilities != nil }

// diagnose returns what is wrong with a _meta that is not sound. The argument p is a cursor at it.
func (m *meta) diagnose(p wire.Peek) error {
	if m.faults&badMeta != 0 {
		return m.violationError(violation.Violation{Rule: "type", Expected: "object", Got: p.Kind().String()})
	}
	var all []violation.Violation
	if m.version == "" {
		all = append(all, misfit(p, protocol.MetaVersion, "the revision of the protocol, a string"))
	}
	if m.capabilities == nil {
		all = append(all, misfit(p, protocol.MetaCapabilities, "the client's capabilities, an object"))
	}
	if m.faults&badLevel != 0 {
		v := misfit(p, protocol.MetaLogLevel, violation.OneOf(protocol.Levels[:]))
		if name, ok := p.In(protocol.MetaLogLevel).Text(); ok {
			v.Rule, v.Got, v.Closest = "enum", protocol.Quote(peerlog.Clip(name)), violation.Closest(name, protocol.Levels[:])
		}
		all = append(all, v)
	}
	return m.violationError(all...)
}

// misfit returns the violation of a member of _meta that is absent or has the wrong kind.
func misfit(p wire.Peek, key, expected string) violation.Violation {
	v := violation.Violation{Pointer: "/" + violation.EscapePointer(key), Rule: "required", Expected: expected}
	if kind := p.In(key).Kind(); kind != wire.Invalid {
		v.Rule, v.Got = "type", kind.String()
	}
	return v
}

// violationError returns the error for the violations of _meta.
func (*meta) violationError(all ...violation.Violation) error {
	for i := range all {
		all[i].Pointer = "/_meta" + all[i].Pointer
	}
	return badRequest(runtime.InvalidParams(all, 0))
}
