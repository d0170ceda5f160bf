package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
	"github.com/rpcgen-go/rpcgen/runtime"
)

const selectOrders = "SELECT id, sku, name, count, cents, region, status, placed_at, note FROM orders "

func readOrder(row scanner) (o rpc.Order, err error) {
	var at string
	var note sql.NullString
	if err := row.Scan(&o.ID, &o.Sku, &o.Name, &o.Count, &o.Cents, &o.Region, &o.Status, &at, &note); err != nil {
		return o, err
	}
	if note.Valid {
		o.Note = runtime.Some(note.String)
	}
	o.PlacedAt, err = time.Parse(time.RFC3339, at)
	return o, err
}

// Wanted is an order that is to be placed.
type Wanted struct {
	Sku    rpc.Sku
	Count  int32
	Region rpc.Region
	Note   runtime.Opt[string]
	Key    string // under which nothing is ordered twice; empty if there is none
}

// Placed returns the order that was placed under the key of w, if there is one. The error is an *rpc.KeyTakenError when it is another one.
func (s *Store) Placed(ctx context.Context, w Wanted) (o rpc.Order, placed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return findPlaced(ctx, s.db, w)
}

func findPlaced(ctx context.Context, q querier, w Wanted) (rpc.Order, bool, error) {
	if w.Key == "" {
		return rpc.Order{}, false, nil
	}
	o, err := readOrder(q.QueryRowContext(ctx, selectOrders+"WHERE key = ?", w.Key))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return o, false, nil
	case err == nil && (o.Sku != w.Sku || o.Count != w.Count || o.Region != w.Region):
		return o, false, &rpc.KeyTakenError{OrderID: o.ID}
	}
	return o, err == nil, err
}

// Place takes the goods out of the stock and notes the order, or returns the one that is there under the key already. The error may be
// an *rpc.ItemUnknownError, an *rpc.OutOfStockError or an *rpc.KeyTakenError.
func (s *Store) Place(ctx context.Context, w Wanted) (o rpc.Order, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = s.change(ctx, func(tx *sql.Tx) error {
		var placed bool
		if o, placed, err = findPlaced(ctx, tx, w); err != nil || placed {
			return err
		}
		if err := take(ctx, tx, w); err != nil {
			return err
		}
		o, err = insert(ctx, tx, w)
		return err
	})
	return o, err
}

// take takes goods out of the stock.
func take(ctx context.Context, tx *sql.Tx, w Wanted) error {
	has, err := left(ctx, tx, w.Sku, w.Region)
	if err != nil {
		return err
	}
	if has < w.Count {
		return &rpc.OutOfStockError{Sku: w.Sku, Region: w.Region, Left: has}
	}
	return add(ctx, tx, w.Sku, w.Region, -w.Count)
}

func insert(ctx context.Context, tx *sql.Tx, w Wanted) (rpc.Order, error) {
	return readOrder(tx.QueryRowContext(ctx, `INSERT INTO orders (id, sku, name, count, cents, region, status, placed_at, note, key)
		SELECT ?, sku, name, ?, cents * ?, ?, ?, ?, ?, ? FROM items WHERE sku = ?
		RETURNING id, sku, name, count, cents, region, status, placed_at, note`,
		newID(), w.Count, w.Count, w.Region, rpc.StatusPlaced, time.Now().UTC().Format(time.RFC3339),
		sql.NullString{String: w.Note.Or(""), Valid: w.Note.Or("") != ""}, sql.NullString{String: w.Key, Valid: w.Key != ""}, w.Sku))
}

// newID returns the number of a new order: 40 random bits.
func newID() rpc.OrderID { return rpc.OrderID("ORD-" + rand.Text()[:8]) }

// Order returns an order. The error may be an *rpc.OrderUnknownError.
func (s *Store) Order(ctx context.Context, id rpc.OrderID) (rpc.Order, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return order(ctx, s.db, id)
}

func order(ctx context.Context, q querier, id rpc.OrderID) (rpc.Order, error) {
	o, err := readOrder(q.QueryRowContext(ctx, selectOrders+"WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		err = &rpc.OrderUnknownError{OrderID: id}
	}
	return o, err
}

// Orders returns at most limit orders, the latest first, and whether there are more: of a status and before an order, where these are not
// empty. The error may be an *rpc.OrderUnknownError.
func (s *Store) Orders(ctx context.Context, status rpc.Status, before rpc.OrderID, limit int32) ([]rpc.Order, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if before != "" {
		if _, err := s.Order(ctx, before); err != nil {
			return nil, false, err
		}
	}
	all, err := list(ctx, s.db, readOrder, selectOrders+`WHERE (status = ? OR ? = '')
		AND (? = '' OR number < (SELECT number FROM orders WHERE id = ?)) ORDER BY number DESC LIMIT ?`,
		status, status, before, before, limit+1)
	orders, more := page(all, limit)
	return orders, more, err
}

// OrderIDs returns the latest orders whose numbers begin with a text.
func (s *Store) OrderIDs(ctx context.Context, text string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return list(ctx, s.db, readText, `SELECT id FROM orders WHERE id LIKE ? ESCAPE '\' ORDER BY number DESC LIMIT 101`, beginning(text))
}

// Cancel cancels an order and puts its goods back, and reports whether that has changed anything. The error may be an *rpc.OrderUnknownError.
func (s *Store) Cancel(ctx context.Context, id rpc.OrderID) (o rpc.Order, changed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = s.change(ctx, func(tx *sql.Tx) error {
		if o, err = order(ctx, tx, id); err != nil || o.Status == rpc.StatusCancelled {
			return err
		}
		changed, o.Status = true, rpc.StatusCancelled
		if _, err := tx.ExecContext(ctx, "UPDATE orders SET status = ? WHERE id = ?", o.Status, id); err != nil {
			return err
		}
		return add(ctx, tx, o.Sku, o.Region, o.Count)
	})
	return o, changed && err == nil, err
}
