package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
	"github.com/rpcgen-go/rpcgen/examples/shop/store"
)

func open(t *testing.T, file string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func newStore(t *testing.T) *store.Store {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "shop.db"))
}

// stock returns how many hammers Europe has.
func stock(t *testing.T, s *store.Store) int32 {
	t.Helper()
	item, err := s.Item(t.Context(), "HAM-0001")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range item.Regions {
		if r.Region == rpc.RegionEU {
			return r.Stock
		}
	}
	t.Fatal("Europe has no stock")
	return 0
}

// TestNeverOversold: many order at once, through two processes' worth of stores on one file, more than there is.
func TestNeverOversold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.db")
	stores := []*store.Store{open(t, file), open(t, file)}
	const before = 10
	if _, err := stores[0].Place(t.Context(), store.Wanted{Sku: "HAM-0001", Count: stock(t, stores[0]) - before, Region: rpc.RegionEU}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var sold, refused int32
	for i := range before + 10 {
		group.Go(func() {
			_, err := stores[i%2].Place(t.Context(), store.Wanted{Sku: "HAM-0001", Count: 1, Region: rpc.RegionEU})
			out, isOut := errors.AsType[*rpc.OutOfStockError](err)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				sold++
			case isOut && out.Left == 0:
				refused++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if sold != before || refused != 10 || stock(t, stores[1]) != 0 {
		t.Errorf("of %d, %d were sold, %d orders refused, and %d are left", before, sold, refused, stock(t, stores[1]))
	}
}

// TestOncePerKey: an order that comes many times under one key is placed once.
func TestOncePerKey(t *testing.T) {
	s := newStore(t)
	before := stock(t, s)
	w := store.Wanted{Sku: "HAM-0001", Count: 2, Region: rpc.RegionEU, Key: "k"}
	ids := make([]rpc.OrderID, 20)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			o, err := s.Place(t.Context(), w)
			if err != nil {
				t.Error(err)
			}
			ids[i] = o.ID
		})
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("orders %s and %s", ids[0], id)
		}
	}
	if left := stock(t, s); left != before-2 {
		t.Errorf("%d of %d are left", left, before)
	}
	w.Count = 3
	taken, ok := errors.AsType[*rpc.KeyTakenError](errorOf(s.Place(t.Context(), w)))
	if !ok || taken.OrderID != ids[0] {
		t.Errorf("another order under the key: %v", taken)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// TestCancelOnce: goods come back once, however often an order is cancelled.
func TestCancelOnce(t *testing.T) {
	s := newStore(t)
	before := stock(t, s)
	o, err := s.Place(t.Context(), store.Wanted{Sku: "HAM-0001", Count: 5, Region: rpc.RegionEU})
	if err != nil || stock(t, s) != before-5 {
		t.Fatal(o, err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	changes := 0
	for range 8 {
		group.Go(func() {
			o, changed, err := s.Cancel(t.Context(), o.ID)
			if err != nil || o.Status != rpc.StatusCancelled {
				t.Error(o, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if changed {
				changes++
			}
		})
	}
	group.Wait()
	if changes != 1 || stock(t, s) != before {
		t.Errorf("cancelled %d times; %d in stock, %d before", changes, stock(t, s), before)
	}
	if _, _, err := s.Cancel(t.Context(), "ORD-AAAAAAAA"); !isUnknown(err) {
		t.Error(err)
	}
}

func isUnknown(err error) bool {
	_, ok := errors.AsType[*rpc.OrderUnknownError](err)
	return ok
}

// TestSearch: words are found by their beginnings, without accents and in any case, and are never taken for the language of the search.
func TestSearch(t *testing.T) {
	s := newStore(t)
	for _, c := range []struct {
		query  string
		region rpc.Region
		limit  int32
		first  string
		count  int
		more   bool
	}{
		{"claw", "", 10, "HAM-0001", 1, false},
		{"CLÀW", "", 10, "HAM-0001", 1, false},
		{"screwdri", "", 10, "SCR-0001", 2, false},
		{"drill", "", 1, "", 1, true},
		{"sander", "", 10, "SAN-0001", 1, false},
		{"sander", rpc.RegionEU, 10, "", 0, false}, // there is none left
		{"claw nothing", "", 10, "", 0, false},
		{`"`, "", 10, "", 0, false},
		{`claw" OR "saw`, "", 10, "", 0, false},
		{"name:claw", "", 10, "", 0, false},
		{"* - ( ) ^ NEAR", "", 10, "", 0, false},
		{"  ", "", 10, "", 0, false},
	} {
		items, more, err := s.Search(t.Context(), c.query, c.region, c.limit)
		if err != nil || len(items) != c.count || more != c.more || c.first != "" && string(items[0].Sku) != c.first {
			t.Errorf("%q: %v, %v, %v", c.query, items, more, err)
		}
	}
}

// TestRestock: a region has room for so many.
func TestRestock(t *testing.T) {
	s := newStore(t)
	before := stock(t, s)
	in := rpc.RestockInput{Sku: "HAM-0001", Region: rpc.RegionEU, Count: 10_000}
	for i := range int32(9) {
		if now, err := s.Restock(t.Context(), in); err != nil || now != before+10_000*(i+1) {
			t.Fatal(now, err)
		}
	}
	full, ok := errors.AsType[*rpc.NoRoomError](errorOf(s.Restock(t.Context(), in)))
	if !ok || full.Room != 10_000-before {
		t.Errorf("%+v", full)
	}
	in.Sku = "XXX-0000"
	if _, ok := errors.AsType[*rpc.ItemUnknownError](errorOf(s.Restock(t.Context(), in))); !ok {
		t.Error("there is no such item")
	}
}

// TestOrders: pages go on where the last one ended.
func TestOrders(t *testing.T) {
	s := newStore(t)
	var want []rpc.OrderID
	for range 5 {
		o, err := s.Place(t.Context(), store.Wanted{Sku: "SAW-0001", Count: 1, Region: rpc.RegionEU})
		if err != nil {
			t.Fatal(err)
		}
		want = append([]rpc.OrderID{o.ID}, want...)
	}
	var got []rpc.OrderID
	for more, before := true, rpc.OrderID(""); more; before = got[len(got)-1] {
		orders, next, err := s.Orders(t.Context(), "", before, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range orders {
			got = append(got, o.ID)
		}
		more = next
	}
	if len(got) != 5 {
		t.Fatal(got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if none, _, err := s.Orders(t.Context(), rpc.StatusCancelled, "", 10); err != nil || len(none) != 0 {
		t.Error(none, err)
	}
	if _, _, err := s.Orders(t.Context(), "", "ORD-AAAAAAAA", 10); !isUnknown(err) {
		t.Error(err)
	}
}

// TestFiles: any name of a file will do, and a file of a newer program is left alone.
func TestFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b%41?#&c.db")
	s := open(t, file)
	key, err := s.StateKey(t.Context())
	if err != nil || len(key) != 32 {
		t.Error(key, err)
	}
	if matches, err := filepath.Glob(filepath.Join(filepath.Dir(file), "a b%41[?]#&c.db")); err != nil || len(matches) != 1 {
		t.Error(matches, err)
	}
	if again, err := open(t, file).StateKey(t.Context()); err != nil || string(again) != string(key) {
		t.Error("another key", err)
	}

	newer := filepath.Join(t.TempDir(), "newer.db")
	db, err := sql.Open("sqlite", newer)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), newer); err == nil {
		t.Error("a newer file is opened")
	}
	if _, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "none", "shop.db")); err == nil {
		t.Error("a file in a folder that is not there is opened")
	}
}
