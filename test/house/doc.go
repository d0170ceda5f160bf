// Package house has the tests of what the repository as a whole promises: which package may import
// which, how much is public, and the words that comments and pages use.
//
//test:sequential
//test:full
package house
