// Package exact compares JSON values as JSON Schema does: numbers of any size and precision by their value, and objects without regard to the
// order of their members. It is for generated code only, and makes no promise of compatibility to other code.
//
//test:sequential
package exact
