//lint:file-ignore SA1019 deprecated types are tested too

package mcp_test

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	mcp "github.com/rpcgen-go/rpcgen/test/mcp/rpc"
)

// taken is the code by which a recorder answers that it was called.
const taken = 1

// recorder keeps the params that a handler was called with, as JSON.
type recorder struct {
	params  []byte
	request bool
}

func (r *recorder) call(params []byte) error {
	r.params, r.request = params, true
	return runtime.Answer(taken, "taken", wire.Raw{})
}

func (r *recorder) notify(params []byte) error {
	r.params = params
	return nil
}

// serverRecorder is a server that takes everything down.
type serverRecorder struct{ *recorder }

func (r serverRecorder) ServerDiscover(_ context.Context, p mcp.RequestParams) (none mcp.DiscoverResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) ResourcesList(_ context.Context, p mcp.PaginatedRequestParams) (none mcp.ListResourcesResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) ResourcesTemplatesList(_ context.Context, p mcp.PaginatedRequestParams) (none mcp.ListResourceTemplatesResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) ResourcesRead(_ context.Context, p mcp.ReadResourceRequestParams) (none mcp.ReadResourceOutcome, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) SubscriptionsListen(_ context.Context, p mcp.SubscriptionsListenRequestParams) (none mcp.SubscriptionsListenResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) PromptsList(_ context.Context, p mcp.PaginatedRequestParams) (none mcp.ListPromptsResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) PromptsGet(_ context.Context, p mcp.GetPromptRequestParams) (none mcp.GetPromptOutcome, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) ToolsList(_ context.Context, p mcp.PaginatedRequestParams) (none mcp.ListToolsResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) ToolsCall(_ context.Context, p mcp.CallToolRequestParams) (none mcp.CallToolOutcome, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) CompletionComplete(_ context.Context, p mcp.CompleteRequestParams) (none mcp.CompleteResult, err error) {
	return none, r.call(p.AppendJSON(nil))
}

func (r serverRecorder) NotificationsCancelled(_ context.Context, p mcp.CancelledNotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

// clientRecorder is a client that takes everything down.
type clientRecorder struct{ *recorder }

func (r clientRecorder) NotificationsCancelled(_ context.Context, p mcp.CancelledNotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsProgress(_ context.Context, p mcp.ProgressNotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsResourcesListChanged(_ context.Context, p mcp.NotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsSubscriptionsAcknowledged(_ context.Context, p mcp.SubscriptionsAcknowledgedNotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsResourcesUpdated(_ context.Context, p mcp.ResourceUpdatedNotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsPromptsListChanged(_ context.Context, p mcp.NotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsToolsListChanged(_ context.Context, p mcp.NotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}

func (r clientRecorder) NotificationsMessage(_ context.Context, p mcp.LoggingMessageNotificationParams) error {
	return r.notify(p.AppendJSON(nil))
}
