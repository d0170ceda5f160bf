// Package store keeps the shop in an SQLite database: its items, their stock, and the orders. Every change is one transaction, so that
// a process that is killed leaves either all of it or nothing; several processes may use one file.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed" // for the statements that make a new shop
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// version is the version of the tables.
const version = 1

//go:embed schema.sql
var schema string

//go:embed seed.sql
var seed string

// Limits of a store: each connection takes three files, and callers wait for one.
const (
	connections = 8
	patience    = 30 * time.Second // of one method, waiting included
)

// Store is the database of a shop. It may be used by many goroutines.
type Store struct {
	db      *sql.DB
	writing chan struct{} // holds one token during a change: those of one process wait in line, and not for the file
}

// Open opens the shop that is kept in a file, and makes a new one, with goods to sell, where there is none.
func Open(ctx context.Context, file string) (*Store, error) {
	db, err := sql.Open("sqlite", source(file))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	s := &Store{db, make(chan struct{}, 1)}
	if err := s.prepare(ctx); err != nil {
		db.Close()
		return nil, fmt.Errorf("the shop in %s: %w", file, err)
	}
	return s, nil
}

// source returns the data source name of a file. Changes are on disk when they are reported, and wait for those of other processes.
func source(file string) string {
	path := filepath.ToSlash(file)
	if filepath.VolumeName(file) != "" {
		path = "/" + path
	}
	options := url.Values{
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"},
		"_txlock": {"immediate"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + options.Encode()
}

// prepare makes the tables of a new shop.
func (s *Store) prepare(ctx context.Context) error {
	return s.change(ctx, func(tx *sql.Tx) error {
		var found int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil || found == version {
			return err
		}
		if found > version {
			return errors.New("it was made by a newer program")
		}
		key := make([]byte, 32)
		rand.Read(key) // never fails
		if _, err := tx.ExecContext(ctx, schema+seed); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO secrets VALUES ('state', ?)", key); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
		return err
	})
}

// change runs f in a transaction, which is committed when f returns no error.
func (s *Store) change(ctx context.Context, f func(tx *sql.Tx) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// StateKey returns the key that signs what clients carry between the rounds of a request. It is kept, so that they can go on when the
// server was started again.
func (s *Store) StateKey(ctx context.Context) (key []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = s.db.QueryRowContext(ctx, "SELECT value FROM secrets WHERE name = 'state'").Scan(&key)
	return key, err
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// querier is the database, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// scanner is a row.
type scanner interface{ Scan(into ...any) error }

// list returns what read makes of each row.
func list[T any](ctx context.Context, q querier, read func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := read(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// page cuts a list that was asked for with one more than limit.
func page[T any](all []T, limit int32) (list []T, more bool) {
	if len(all) <= int(limit) {
		return all, false
	}
	return all[:limit], true
}

// beginning returns a pattern of LIKE for texts that begin with a text.
func beginning(text string) string {
	return strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
}

func readText(row scanner) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}
