package mcptask

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Status is the state of a task.
type Status string

// The states of a task. The last three are final.
const (
	Working       Status = "working"
	InputRequired Status = "input_required" // questions wait for answers of the client
	Completed     Status = "completed"      // there is a result, possibly one with isError
	Failed        Status = "failed"         // there is a JSON-RPC error
	Cancelled     Status = "cancelled"
)

// Final reports whether a task in this state has ended.
func (s Status) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// Record is what a [Store] keeps of a task. It can be written with encoding/json. Slices in a
// record are never changed in place, so copies of a record may share them.
type Record struct {
	ID      string `json:"id"`
	Owner   string `json:"owner,omitempty"`   // the principal; empty if there is none
	Session string `json:"session,omitempty"` // that created it; empty for a stateless client
	Server  string `json:"server,omitempty"`  // that runs it, by name; empty in a record of a former version
	Tool    string `json:"tool"`

	Status  Status        `json:"status"`
	Message string        `json:"message,omitempty"` // for people: the progress, or how the task has ended
	Created time.Time     `json:"created"`
	Updated time.Time     `json:"updated"`
	TTL     time.Duration `json:"ttl"` // since Created; after that, the task is deleted

	Questions []Question `json:"questions,omitempty"` // that wait for answers
	Answers   []Answer   `json:"answers,omitempty"`

	Result  json.RawMessage `json:"result,omitempty"` // if the task is completed
	IsError bool            `json:"isError,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"` // the JSON-RPC error, if the task has failed
}

// Question is an input request of a handler.
type Question struct {
	Key    string          `json:"key"` // unique in its task
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Answer is the answer to a question.
type Answer struct {
	Key   string          `json:"key"`
	Text  json.RawMessage `json:"text,omitempty"`
	Error string          `json:"error,omitempty"` // why there is none; empty if there is one
}

// other reports whether the task is one of another server.
func (r *Record) other(server string) bool { return r.Server != "" && r.Server != server }

// Expires returns when the task is deleted.
func (r *Record) Expires() time.Time { return r.Created.Add(r.TTL) }

// answer returns the answer to a question, or nil.
func (r *Record) answer(key string) *Answer {
	if i := slices.IndexFunc(r.Answers, func(a Answer) bool { return a.Key == key }); i >= 0 {
		return &r.Answers[i]
	}
	return nil
}

// asks reports whether a question waits for its answer.
func (r *Record) asks(key string) bool {
	return slices.ContainsFunc(r.Questions, func(q Question) bool { return q.Key == key })
}

// ask adds questions that were not asked before.
func (r *Record) ask(all []Question) {
	for _, q := range all {
		if r.answer(q.Key) == nil && !r.asks(q.Key) {
			r.Questions = append(slices.Clip(r.Questions), q)
			r.Status = InputRequired
		}
	}
}

// settle adds answers. An answer to a question that does not wait is ignored.
func (r *Record) settle(all ...Answer) {
	for _, a := range all {
		if r.asks(a.Key) {
			r.Answers = append(slices.Clip(r.Answers), a)
			r.Questions = slices.DeleteFunc(slices.Clone(r.Questions), func(q Question) bool { return q.Key == a.Key })
		}
	}
	if len(r.Questions) == 0 && r.Status == InputRequired {
		r.Status = Working
	}
}

// end puts the task into a final state. What only a running task needs is dropped.
func (r *Record) end(s Status, message string) {
	r.Status, r.Message = s, message
	r.Questions, r.Answers = nil, nil
}

// Size returns about how many bytes the record takes.
func (r *Record) Size() int {
	n := 512 + len(r.Owner) + len(r.Message) + len(r.Result) + len(r.Error)
	for _, q := range r.Questions {
		n += len(q.Key) + len(q.Params)
	}
	for _, a := range r.Answers {
		n += len(a.Key) + len(a.Text)
	}
	return n
}

// Small is by how many bytes a change of a task's state may make it larger.
const Small = 1 << 10

// Fits reports whether a store that has some bytes may keep more of them: up to seven eighths of most. What adds no more than small may use the rest, so that
// each task that is kept can end. Stores apply it to all tasks, and with half of the bytes to those of one owner, or of one session without an owner.
func Fits(more, has, most, small int64) bool {
	return more <= 0 || has+more <= most-most/8 || more <= small && has+more <= most
}

// errOver means that a task has ended and cannot change.
var errOver = errors.New("mcptask: the task has ended")
