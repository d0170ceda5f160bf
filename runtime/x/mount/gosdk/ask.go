package gosdk

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostRounds is how many times in a row a handler may ask a client of an earlier revision, as many as clients of this repository answer. The
// SDK asks such clients once for each call, so the adapter asks them itself.
const mostRounds = 16

// askedInput is what a result asks of the client (revision 2026-07-28, basic/utilities/mrtr).
type askedInput struct {
	Requests sdk.InputRequestMap `json:"inputRequests"`
	State    string              `json:"requestState"`
}

func questions(result json.RawMessage) (a askedInput, err error) {
	return a, json.Unmarshal(result, &a)
}

// ask sends the questions of one round to the client, side by side, and returns its answers.
func ask(ctx context.Context, session *sdk.ServerSession, all sdk.InputRequestMap) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	var asking sync.WaitGroup
	answers := make(map[string]any, len(all))
	for id, question := range all {
		asking.Go(func() {
			answer, err := askOne(ctx, session, question)
			if err != nil {
				cancel(fmt.Errorf("asking %q: %w", id, err))
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[id] = answer
		})
	}
	asking.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return json.Marshal(answers)
}

func askOne(ctx context.Context, session *sdk.ServerSession, question sdk.InputRequest) (any, error) {
	switch q := question.(type) {
	case *sdk.ElicitParams:
		return session.Elicit(ctx, q)
	case *sdk.CreateMessageWithToolsParams:
		return session.CreateMessageWithTools(ctx, q)
	case *sdk.CreateMessageParams:
		return session.CreateMessage(ctx, q)
	case *sdk.ListRootsParams:
		return session.ListRoots(ctx, q)
	}
	return nil, fmt.Errorf("the SDK has no request for a question of type %T", question)
}
