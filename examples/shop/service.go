package main

import (
	"context"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
	"github.com/rpcgen-go/rpcgen/examples/shop/store"
)

// shop serves what rpc/shop.rpc.yaml declares, from a store.
type shop struct {
	rpc.UnimplementedServer
	store   *store.Store
	updated func(uri string) // tells who is subscribed to a resource
	kept    *cache.Cache     // of results
}

// newServer returns the server of a store, which keeps some results in another one.
func newServer(ctx context.Context, s *store.Store, results cache.Store, o mcp.Options) (*mcp.Server, error) {
	key, err := s.StateKey(ctx)
	if err != nil {
		return nil, err
	}
	o.StateKeys = [][]byte{key}
	service := &shop{store: s, kept: kept(results)}
	o.Middleware = append(o.Middleware, mcpcache.Middleware(service.kept))
	server := rpc.NewServer(service, o)
	service.updated = server.ResourceUpdated
	return server, nil
}

// SearchItems implements rpc.Server.
func (s *shop) SearchItems(ctx context.Context, in rpc.SearchItemsInput) (rpc.SearchItemsOutput, error) {
	items, more, err := s.store.Search(ctx, in.Query, in.Region.Or(""), in.Limit)
	return rpc.SearchItemsOutput{Items: items, More: more}, err
}

// ItemDetails implements rpc.Server.
func (s *shop) ItemDetails(ctx context.Context, in rpc.ItemDetailsInput) (rpc.Details, error) {
	return s.store.Item(ctx, in.Sku)
}

// BrowseItems implements rpc.Server. It returns pages of whole items; the view of the tool takes from them what the caller reads.
func (s *shop) BrowseItems(ctx context.Context, in rpc.BrowseItemsInput) (out rpc.BrowseItemsOutput, err error) {
	const most = 100
	var more bool
	if out.Items, more, err = s.store.Browse(ctx, in.Cursor.Or(""), in.Region.Or(""), most); more {
		out.Next = runtime.Some(string(out.Items[most-1].Sku))
	}
	return out, err
}

// PlaceOrder implements rpc.Server. Until the user has confirmed it only looks: it may run several times before. The order itself is one
// transaction, under a key: that of the caller, or what the rounds of the request have in common, so that a client which sends the last
// one again buys nothing more.
func (s *shop) PlaceOrder(ctx context.Context, in rpc.PlaceOrderInput) (rpc.PlaceOrderOutput, error) {
	wanted := store.Wanted{Sku: in.Sku, Count: in.Count, Region: in.Region, Key: key(ctx, in)}
	order, placed, err := s.store.Placed(ctx, wanted)
	if err != nil || placed {
		return rpc.PlaceOrderOutput{Order: order}, err
	}
	item, err := s.offer(ctx, wanted)
	if err != nil {
		return rpc.PlaceOrderOutput{}, err
	}
	form, err := rpc.AskPlaceOrderConfirm(ctx, rpc.PlaceOrderConfirmParams{
		Count: in.Count, Name: item.Name, Total: euros(item.Cents * int64(in.Count)),
	})
	if err != nil {
		return rpc.PlaceOrderOutput{}, err
	}
	if !form.Ok {
		return rpc.PlaceOrderOutput{}, &rpc.NotConfirmedError{}
	}
	wanted.Note = form.Note
	order, err = s.store.Place(ctx, wanted)
	if err == nil {
		s.changed(order)
	}
	return rpc.PlaceOrderOutput{Order: order}, err
}

// key returns the key of an order; empty if the order can come only once. Texts of callers stay apart from those of rounds.
func key(ctx context.Context, in rpc.PlaceOrderInput) string {
	if own, ok := in.Key.Get(); ok {
		return "caller:" + own
	}
	if id := mcp.RoundsID(ctx); id != "" {
		return "rounds:" + id
	}
	return ""
}

// offer returns the item that is wanted, when there is enough of it.
func (s *shop) offer(ctx context.Context, w store.Wanted) (rpc.Details, error) {
	item, err := s.store.Item(ctx, w.Sku)
	if err != nil {
		return item, err
	}
	var left int32
	for _, r := range item.Regions {
		if r.Region == w.Region {
			left = r.Stock
		}
	}
	if left < w.Count {
		return item, &rpc.OutOfStockError{Sku: w.Sku, Region: w.Region, Left: left}
	}
	return item, nil
}

// CancelOrder implements rpc.Server.
func (s *shop) CancelOrder(ctx context.Context, in rpc.CancelOrderInput) (rpc.CancelOrderOutput, error) {
	order, changed, err := s.store.Cancel(ctx, in.OrderID)
	if changed {
		s.changed(order)
	}
	return rpc.CancelOrderOutput{Order: order}, err
}

// ListOrders implements rpc.Server.
func (s *shop) ListOrders(ctx context.Context, in rpc.ListOrdersInput) (rpc.ListOrdersOutput, error) {
	orders, more, err := s.store.Orders(ctx, in.Status.Or(""), in.Before.Or(""), in.Limit)
	return rpc.ListOrdersOutput{Orders: orders, More: more}, err
}

// Restock implements rpc.Server.
func (s *shop) Restock(ctx context.Context, in rpc.RestockInput) (rpc.RestockOutput, error) {
	stock, err := s.store.Restock(ctx, in)
	if err == nil {
		s.stocked(in.Sku)
	}
	return rpc.RestockOutput{Stock: stock}, err
}

// changed tells of an order that is new or stands differently, and of the stock with it.
func (s *shop) changed(o rpc.Order) {
	s.updated(rpc.OrderURI(rpc.OrderParams{OrderID: o.ID}))
	s.stocked(o.Sku)
}

// stocked tells of an item whose stock has changed, and drops the results that show it.
func (s *shop) stocked(sku rpc.Sku) {
	s.kept.InvalidateTool(rpc.ToolItemDetails)
	s.updated(rpc.ItemURI(rpc.ItemParams{Sku: sku}))
	s.updated(rpc.URICatalogue)
}

// euros writes cents for people.
func euros(cents int64) string { return fmt.Sprintf("EUR %d.%02d", cents/100, cents%100) }
