package mcpcluster

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// recordKey returns what the record of a session is called in the backplane, which so knows what belongs to one principal.
func recordKey(principal, id string) string {
	if principal == "" {
		return id
	}
	digest := sha256.Sum256([]byte(principal))
	return fmt.Sprintf("%x.%s", digest[:10], id)
}

// recordVersion is the version of records that this package writes. It increases when an older version must not continue a session
// from a record; members that are only added do not change it.
const recordVersion = 1

// record is what a backplane keeps of a session, as JSON.
type record struct {
	home      string // name of the replica that serves the session
	server    string // name of the server; empty in a record of a former version
	principal string // who opened it
	state     json.RawMessage

	later  bool                       // only replicas of a later version can continue the session
	others map[string]json.RawMessage // members of another version; nil if there are none
}

// encode returns the record as JSON. Members that are unknown here are kept.
func (r *record) encode() []byte {
	all := make(map[string]any, len(r.others)+5)
	for name, value := range r.others {
		all[name] = value
	}
	all["v"], all["home"], all["server"], all["state"] = recordVersion, r.home, r.server, r.state
	if r.principal != "" {
		all["principal"] = r.principal
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // the state was made by package mcp or read from JSON
	}
	return text
}

// decodeRecord reads a record.
func decodeRecord(text []byte) (*record, error) {
	r := new(record)
	if err := json.Unmarshal(text, &r.others); err != nil {
		return nil, fmt.Errorf("mcpcluster: the record of a session: %w", err)
	}
	version := 0
	for name, into := range map[string]any{"v": &version, "home": &r.home, "server": &r.server, "principal": &r.principal, "state": &r.state} {
		if value := r.others[name]; value != nil {
			if err := json.Unmarshal(value, into); err != nil {
				return nil, fmt.Errorf("mcpcluster: the record of a session: %s: %w", name, err)
			}
		}
		delete(r.others, name)
	}
	if len(r.others) == 0 {
		r.others = nil
	}
	r.later = version > recordVersion
	return r, nil
}
