-- The tables of a new shop.

CREATE TABLE items (
  sku TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  cents INTEGER NOT NULL CHECK (cents >= 0)
) STRICT;

CREATE TABLE stock (
  sku TEXT NOT NULL REFERENCES items,
  region TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (sku, region)
) STRICT, WITHOUT ROWID;

CREATE TABLE orders (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  sku TEXT NOT NULL REFERENCES items,
  name TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  cents INTEGER NOT NULL CHECK (cents >= 0),
  region TEXT NOT NULL,
  status TEXT NOT NULL,
  placed_at TEXT NOT NULL,
  note TEXT,
  key TEXT UNIQUE
) STRICT;

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;

-- What is searched. Items are looked up by it, and it is filled by them.
CREATE VIRTUAL TABLE words USING fts5(sku UNINDEXED, name, description, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TRIGGER item_words AFTER INSERT ON items BEGIN
  INSERT INTO words (sku, name, description) VALUES (new.sku, new.name, new.description);
END;
