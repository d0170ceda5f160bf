package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
)

// room is how many of an item a region has room for.
const room = 100_000

const selectItems = "SELECT sku, name, cents, (SELECT coalesce(sum(count), 0) FROM stock WHERE stock.sku = items.sku) FROM items "

func readItem(row scanner) (i rpc.Item, err error) {
	err = row.Scan(&i.Sku, &i.Name, &i.Cents, &i.Stock)
	return i, err
}

// Items returns all items.
func (s *Store) Items(ctx context.Context) ([]rpc.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return list(ctx, s.db, readItem, selectItems+"ORDER BY sku")
}

// Search returns at most limit of the items that have all words of a query, the best ones first, and whether there are more. A region
// that is not empty has to have them.
func (s *Store) Search(ctx context.Context, query string, region rpc.Region, limit int32) ([]rpc.Item, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	match := matching(query)
	if match == "" {
		return nil, false, nil
	}
	all, err := list(ctx, s.db, readItem, `SELECT sku, items.name, cents, sum(count) AS left
		FROM words JOIN items USING (sku) JOIN stock USING (sku)
		WHERE words MATCH ? AND (region = ? OR ? = '')
		GROUP BY sku HAVING left > 0 OR ? = ''
		ORDER BY min(rank), sku LIMIT ?`, match, region, region, region, limit+1)
	items, more := page(all, limit)
	return items, more, err
}

// matching returns the query of SQLite for the words of a text, each of which may be the beginning of one.
func matching(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"*`
	}
	return strings.Join(words, " ")
}

// Item returns all that is known of an item. The error may be an *rpc.ItemUnknownError.
func (s *Store) Item(ctx context.Context, sku rpc.Sku) (rpc.Details, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d rpc.Details
	row := s.db.QueryRowContext(ctx, "SELECT sku, name, cents, description FROM items WHERE sku = ?", sku)
	if err := row.Scan(&d.Sku, &d.Name, &d.Cents, &d.Description); err != nil {
		return d, unknownItem(err, sku)
	}
	var err error
	d.Regions, err = list(ctx, s.db, readRegion, "SELECT region, count FROM stock WHERE sku = ? ORDER BY region", sku)
	for _, r := range d.Regions {
		d.Stock += r.Stock
	}
	return d, err
}

// Browse returns all that is known of at most limit items after one, and whether there are more. A region that is not empty has to have them.
func (s *Store) Browse(ctx context.Context, after string, region rpc.Region, limit int32) (items []rpc.Details, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	skus, err := list(ctx, s.db, readText, `SELECT sku FROM items WHERE sku > ?
		AND (? = '' OR EXISTS (SELECT 1 FROM stock WHERE stock.sku = items.sku AND region = ? AND count > 0))
		ORDER BY sku LIMIT ?`, after, region, region, limit+1)
	skus, more = page(skus, limit)
	items = make([]rpc.Details, len(skus))
	for i, sku := range skus {
		if err == nil {
			items[i], err = s.Item(ctx, rpc.Sku(sku))
		}
	}
	return items, more, err
}

func readRegion(row scanner) (r rpc.RegionStock, err error) {
	err = row.Scan(&r.Region, &r.Stock)
	return r, err
}

// unknownItem says so when there was no row.
func unknownItem(err error, sku rpc.Sku) error {
	if errors.Is(err, sql.ErrNoRows) {
		return &rpc.ItemUnknownError{Sku: sku}
	}
	return err
}

// Skus returns the first stock-keeping units that begin with a text.
func (s *Store) Skus(ctx context.Context, text string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return list(ctx, s.db, readText, `SELECT sku FROM items WHERE sku LIKE ? ESCAPE '\' ORDER BY sku LIMIT 101`, beginning(text))
}

// Restock adds to the stock of a region, and returns what it has then. The error may be an *rpc.ItemUnknownError or an
// *rpc.NoRoomError.
func (s *Store) Restock(ctx context.Context, in rpc.RestockInput) (stock int32, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = s.change(ctx, func(tx *sql.Tx) error {
		has, err := left(ctx, tx, in.Sku, in.Region)
		if err != nil {
			return err
		}
		if has+in.Count > room {
			return &rpc.NoRoomError{Sku: in.Sku, Region: in.Region, Room: max(0, room-has)}
		}
		stock = has + in.Count
		return add(ctx, tx, in.Sku, in.Region, in.Count)
	})
	return stock, err
}

// left returns how many of an item a region has.
func left(ctx context.Context, q querier, sku rpc.Sku, region rpc.Region) (n int32, err error) {
	err = q.QueryRowContext(ctx, "SELECT count FROM stock WHERE sku = ? AND region = ?", sku, region).Scan(&n)
	return n, unknownItem(err, sku)
}

// add adds to the stock of a region.
func add(ctx context.Context, tx *sql.Tx, sku rpc.Sku, region rpc.Region, count int32) error {
	_, err := tx.ExecContext(ctx, "UPDATE stock SET count = count + ? WHERE sku = ? AND region = ?", count, sku, region)
	return err
}
