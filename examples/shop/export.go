package main

import (
	"context"
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// ExportStock implements rpc.Server. It reads one item after the other and says how far it is: to a client that waits for the answer by
// notifications of progress, and to one that took a task by the state of that.
func (s *shop) ExportStock(ctx context.Context) (rpc.ExportStockOutput, error) {
	items, err := s.store.Items(ctx)
	if err != nil {
		return rpc.ExportStockOutput{}, err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"sku", "name", "region", "stock"}) // a builder takes everything
	for i, item := range items {
		details, err := s.store.Item(ctx, item.Sku)
		if err != nil {
			return rpc.ExportStockOutput{}, err
		}
		for _, r := range details.Regions {
			w.Write([]string{string(item.Sku), item.Name, string(r.Region), strconv.Itoa(int(r.Stock))})
		}
		if err := mcp.Progress(ctx, float64(i+1), float64(len(items)), item.Name); err != nil {
			return rpc.ExportStockOutput{}, err
		}
	}
	w.Flush()
	return rpc.ExportStockOutput{Csv: b.String(), Items: int32(len(items))}, nil
}
