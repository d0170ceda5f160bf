package pairs

import (
	"encoding/json"
	"sync"
)

// tap looks at the messages of a connection of a client. It reports responses that come twice, or to no request.
type tap struct {
	run  *run
	name string

	mu   sync.Mutex
	open map[string]bool // by the id of a request: whether its response has not come yet
}

func (r *run) newTap(name string) *tap { return &tap{run: r, name: name, open: make(map[string]bool)} }

// outline is a message as far as it matters here.
type outline struct {
	ID     json.RawMessage `json:"id"`
	Method *string         `json:"method"`
}

// outlines returns those of a message, or of all messages of a batch.
func outlines(message []byte) (all []outline) {
	if json.Unmarshal(message, &all) != nil {
		all = make([]outline, 1)
		json.Unmarshal(message, &all[0]) // what is not a message has no id
	}
	return all
}

// see looks at a message, before it is sent or after it was received. Responses of the client are not looked at.
func (t *tap) see(sent bool, message []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range outlines(message) {
		switch id := string(one.ID); {
		case one.ID == nil || id == "null" || sent != (one.Method != nil):
		case sent:
			if _, before := t.open[id]; before {
				t.run.wrong(t.name, "ids", "another id for "+*one.Method, id+" again")
			}
			t.open[id] = true
		case !t.open[id]:
			t.run.wrong(t.name, "responses", "one response to each request", "one more: "+string(message))
		default:
			t.open[id] = false
		}
	}
}
