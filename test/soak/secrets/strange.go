package secrets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"
)

// upstreamToken is what a server that misbehaves takes of a user, and repeats.
func upstreamToken(user string) string { return "up/" + mark + "+" + user }

// strange returns the messages that answer one to a server of MCP which says what is right in forms that are not, and what is wrong besides: ids by
// value, second answers and answers to others, storms of changes, entries of lists that are none, results over the limit, and its caller's token. A
// message that is nil means a pause.
func strange(user, token string, line []byte) (messages [][]byte) {
	var q struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Meta struct {
				ProgressToken json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &q) != nil || q.ID == nil {
		return nil
	}
	add := func(format string, args ...any) { messages = append(messages, fmt.Appendf(nil, format, args...)) }
	who := func(id, name string) {
		add(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%q}]}}`, id, name)
	}
	id, said := string(q.ID), spelled(token, rand.IntN(5))
	switch q.Method {
	case "initialize":
		add(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`, id)
	case "tools/list":
		add(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[7,{},{"name":"bad","inputSchema":"%s"},{"name":"whoami","inputSchema":{"type":"object"}}]}}`, id, said)
	case "tools/call":
		switch rand.IntN(14) {
		case 0:
			who(id+".0", user)
		case 1:
			who(id+"e0", user)
		case 2:
			add(`{"error":null,"jsonrpc":"\u0032.0","id":%s,"result":{"structuredContent":{"user":%q}}}`, id, user)
		case 3:
			who(id, user)
			who(id+".0", "a second answer")
		case 4:
			who("1"+id, "an answer to another")
			who(id, user)
		case 5:
			for range 1000 {
				add(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			who(id, user)
		case 6:
			add(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no: %s","data":{"sent":"%s"}}}`, id, said, said)
		case 7:
			add(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"%s"}}`, said)
			if token := q.Params.Meta.ProgressToken; token != nil {
				add(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"message":"%s"}}`, token, said)
			}
			who(id, user)
		case 8:
			who(id, strings.Repeat(user, most))
		case 9:
			messages = append(messages, nil) // the caller has gone then
			who(id, user)
		case 10:
			add(`no JSON, but %s`, said)
		case 11:
			add(`{"jsonrpc":"2.0","id":%s,"result":{"content":"no list"}}`, id)
		default:
			who(id, user)
		}
	default:
		add(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	}
	return messages
}

// most is the size of the messages that are taken from it.
const most = 100_000

// pause is longer than some callers wait.
const pause = 200 * time.Millisecond

// strangeHTTP is that server over HTTP, where users have tokens.
func strangeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	_, user, _ := strings.Cut(token, "+")
	var body bytes.Buffer
	_, err := body.ReadFrom(r.Body)
	stream := r.Method == http.MethodGet
	switch n := rand.IntN(40); {
	case err != nil || r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case n == 0:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+token+`"`)
		w.WriteHeader(http.StatusUnauthorized)
	case n == 1:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "panic: Authorization: Bearer %s", spelled(token, rand.IntN(5)))
	case stream:
		w.Header().Set("Content-Type", "text/event-stream")
		for range 500 {
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		messages := strange(user, token, body.Bytes())
		if len(messages) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		before, after := "\uFEFF", "\n"
		w.Header().Set("Content-Type", "application/json")
		if len(messages) > 1 {
			before, after = "data: ", "\n\n"
			w.Header().Set("Content-Type", "text/event-stream")
		}
		for _, m := range messages {
			if m == nil {
				time.Sleep(pause)
				continue
			}
			fmt.Fprint(w, before, string(m), after)
		}
	}
}

// strangeStdio is that server on the standard streams, for one user, whose token it is not told.
func strangeStdio(user string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	fmt.Print("\uFEFF")
	for lines.Scan() {
		for _, m := range strange(user, "none", lines.Bytes()) {
			if m == nil {
				time.Sleep(pause)
				continue
			}
			fmt.Printf("it prints\n%s\n", m)
		}
	}
}
