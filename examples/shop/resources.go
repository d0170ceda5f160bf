package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// ReadCatalogue implements rpc.Server.
func (s *shop) ReadCatalogue(ctx context.Context) ([]rpc.Item, error) { return s.store.Items(ctx) }

// ReadItem implements rpc.Server.
func (s *shop) ReadItem(ctx context.Context, params rpc.ItemParams) (rpc.Details, error) {
	item, err := s.store.Item(ctx, params.Sku)
	return item, notFound(err)
}

// CompleteItemSku implements rpc.Server.
func (s *shop) CompleteItemSku(ctx context.Context, c mcp.Completing) ([]string, error) {
	return s.store.Skus(ctx, c.Value)
}

// ReadOrder implements rpc.Server.
func (s *shop) ReadOrder(ctx context.Context, params rpc.OrderParams) (rpc.Order, error) {
	order, err := s.store.Order(ctx, params.OrderID)
	return order, notFound(err)
}

// CompleteOrderOrderID implements rpc.Server.
func (s *shop) CompleteOrderOrderID(ctx context.Context, c mcp.Completing) ([]string, error) {
	return s.store.OrderIDs(ctx, c.Value)
}

// notFound turns the errors of tools that find nothing into that of resources.
func notFound(err error) error {
	if _, ok := errors.AsType[mcp.ToolError](err); ok {
		return mcp.ErrNotFound
	}
	return err
}

// ReviewOrder implements rpc.Server.
func (s *shop) ReviewOrder(ctx context.Context, args rpc.ReviewOrderArguments) (mcp.GetPromptResult, error) {
	var none mcp.GetPromptResult
	order, err := s.store.Order(ctx, args.OrderID)
	if unknown, ok := errors.AsType[*rpc.OrderUnknownError](err); ok {
		return none, runtime.InvalidParams([]runtime.Violation{{Pointer: "/arguments/orderId", Rule: "exists", Expected: "an order",
			Got: string(unknown.OrderID)}}, 0)
	}
	if err != nil {
		return none, err
	}
	item, err := s.store.Item(ctx, order.Sku)
	if err != nil {
		return none, err
	}
	manner := "Be kind."
	if args.Tone.Or(rpc.ReviewOrderArgumentsToneKind) == rpc.ReviewOrderArgumentsToneStrict {
		manner = "Be strict, and leave nothing out."
	}
	text := fmt.Sprintf("Check this order for mistakes: whether it is the right item, the right number, and worth its price. %s\n\n"+
		"Order %s of %s: %d x %s for %s, %s, from %s.\nThe item: %s", manner, order.ID, order.PlacedAt.Format("2 January 2006"), order.Count,
		order.Name, euros(order.Cents), order.Status, order.Region, item.Description)
	return mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}

// CompleteReviewOrderOrderID implements rpc.Server.
func (s *shop) CompleteReviewOrderOrderID(ctx context.Context, c mcp.Completing) ([]string, error) {
	return s.store.OrderIDs(ctx, c.Value)
}
