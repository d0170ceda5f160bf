// Package format writes schema files in their canonical form.
//
// The form says how things are spelled and laid out, and nothing else: declarations, fields, tags, values and comments stay in the
// order and the words of their author. Equal schemas do not become equal files; a schema becomes the same file every time.
//
// A file goes through three steps: [Parse] reads the YAML and ties every comment to what it stands next to; the tree gets its
// canonical spelling, by the table of keys in schema/grammar; and the layout decides what fits on a line.
//
//test:sequential
package format
