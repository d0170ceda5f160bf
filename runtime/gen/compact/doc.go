// Package compact is what the code of the compact codec calls: one method lists the members of a struct, and serves reading, writing and
// checking. It is for generated code only, and makes no promise of compatibility to other code.
//
//test:sequential
package compact
