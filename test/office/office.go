// Package office is an MCP server that tests put into servers of SDKs, and the calls that show whether it answers there as it does alone.
//
//test:by ./runtime/x/mount
package office

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	rpc "github.com/rpcgen-go/rpcgen/test/office/rpc"
)

// Server has the handlers.
type Server struct {
	Waiting chan struct{} // gets a value when a call of wait has begun, if it is not nil
	Ended   atomic.Int32  // the calls of wait that have ended
}

// New returns an MCP server of its own.
func New(o mcp.Options) *mcp.Server { return rpc.NewServer(&Server{}, o) }

// Book has taken one room, Atlas. An id is a number that no float64 holds.
func (*Server) Book(_ context.Context, in rpc.BookInput) (rpc.BookOutput, error) {
	if in.Room == "Atlas" {
		return rpc.BookOutput{}, &rpc.TakenError{Room: in.Room, Until: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	}
	return rpc.BookOutput{ID: 1<<53 + 1, Room: rpc.Room{Name: in.Room, Seats: in.Seats.Or(1)}}, nil
}

// Break fails.
func (*Server) Break(context.Context) error { return errors.New("the door of room 101 is open") }

// Draw answers blocks of three kinds.
func (*Server) Draw(_ context.Context, in rpc.DrawInput) ([]mcp.ContentBlock, error) {
	return []mcp.ContentBlock{
		&mcp.TextContent{Text: "This is " + in.Room + ":"},
		&mcp.ImageContent{Data: []byte("\x89PNG"), MimeType: "image/png"},
		&mcp.ResourceLink{URI: "office://rooms/" + in.Room, Name: in.Room},
	}, nil
}

// Clean reports its progress and logs three times.
func (*Server) Clean(ctx context.Context) (rpc.CleanOutput, error) {
	for done := 1.0; done <= 3; done++ {
		mcp.Logger(ctx).InfoContext(ctx, "a room is clean", "number", int(done))
		if err := mcp.Progress(ctx, done, 3, "cleaning"); err != nil {
			return rpc.CleanOutput{}, err
		}
	}
	return rpc.CleanOutput{Cleaned: 3}, nil
}

// Wait ends with the call.
func (s *Server) Wait(ctx context.Context) error {
	if s.Waiting != nil {
		s.Waiting <- struct{}{}
	}
	<-ctx.Done()
	s.Ended.Add(1)
	return ctx.Err()
}

// Confirm asks twice.
func (*Server) Confirm(ctx context.Context) (rpc.ConfirmOutput, error) {
	date, err := rpc.AskConfirmDate(ctx)
	if err != nil {
		return rpc.ConfirmOutput{}, err
	}
	sure, err := rpc.AskConfirmSure(ctx, rpc.ConfirmSureParams(date))
	return rpc.ConfirmOutput{Day: date.Day, Ok: sure.Ok}, err
}

// Consult passes on what the model says.
func (*Server) Consult(ctx context.Context) (mcp.TextContent, error) {
	r, err := mcp.Sample(ctx, "advice", mcp.CreateMessageRequestParams{MaxTokens: 10,
		Messages: []mcp.SamplingMessage{{Role: mcp20260728.RoleUser, Content: &mcp.TextContent{Text: "Which room?"}}}})
	if err != nil {
		return mcp.TextContent{}, err
	}
	said, _ := r.Content.(*mcp.TextContent)
	if said == nil {
		return mcp.TextContent{}, errors.New("the model says no text")
	}
	return *said, nil
}

// Folders are those of the client.
func (*Server) Folders(ctx context.Context) (rpc.FoldersOutput, error) {
	r, err := mcp.Roots(ctx, "folders")
	if err != nil {
		return rpc.FoldersOutput{}, err
	}
	out := rpc.FoldersOutput{Folders: make([]string, 0, len(r.Roots))}
	for _, root := range r.Roots {
		out.Folders = append(out.Folders, root.URI)
	}
	return out, nil
}

// Whoami names the user and the client.
func (*Server) Whoami(ctx context.Context) (rpc.WhoamiOutput, error) {
	return rpc.WhoamiOutput{User: mcp.PrincipalFrom(ctx), Client: mcp.ClientOf(ctx).Name}, nil
}

// ReadPlan has two rooms.
func (*Server) ReadPlan(context.Context) ([]rpc.Room, error) {
	return []rpc.Room{{Name: "Atlas", Seats: 4}, {Name: "Bell", Seats: 12}}, nil
}

// ReadMissing finds nothing.
func (*Server) ReadMissing(context.Context) (string, error) { return "", mcp.ErrNotFound }

// ReadRoom knows rooms whose names begin with a capital.
func (*Server) ReadRoom(_ context.Context, p rpc.RoomParams) (rpc.Room, error) {
	if p.Name == "" || strings.ToLower(p.Name[:1]) == p.Name[:1] {
		return rpc.Room{}, mcp.ErrNotFound
	}
	return rpc.Room{Name: p.Name, Seats: 2}, nil
}

// Invite writes one message.
func (*Server) Invite(_ context.Context, args rpc.InviteArguments) (mcp.GetPromptResult, error) {
	return message("Invite " + args.To + ", " + args.Tone.Or("kindly") + "."), nil
}

// Agree asks for the day.
func (*Server) Agree(ctx context.Context) (mcp.GetPromptResult, error) {
	r, err := mcp.Elicit(ctx, "day", mcp.ElicitRequestFormParams{Message: "Which day?",
		RequestedSchema: mcp20260728.ElicitRequestFormParamsRequestedSchema{
			Properties: map[string]mcp20260728.PrimitiveSchemaDefinition{"day": &mcp20260728.StringSchema{}}, Required: []string{"day"}}})
	if err != nil {
		return mcp.GetPromptResult{}, err
	}
	day, _ := r.Content["day"].(mcp20260728.ElicitResultContentValueString)
	return message("Agree on " + string(day) + "."), nil
}

func message(text string) mcp.GetPromptResult {
	return mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp20260728.RoleUser, Content: &mcp.TextContent{Text: text}}}}
}

var _ rpc.Server = (*Server)(nil)
