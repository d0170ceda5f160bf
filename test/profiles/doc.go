// Package profiles tests listings of tools for clients whose models take less of JSON Schema: which client gets which, and what becomes of the
// arguments that it sends.
//
//test:sequential
package profiles
