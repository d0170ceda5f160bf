// Package verdicts tests that random JSON Schemas judge values alike wherever they are checked: as raw values, as imported types, in generated
// code and by an independent validator.
//
//test:sequential
//test:full
package verdicts
