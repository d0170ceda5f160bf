// Package properties tests with random values that the readers, writers and rules of the runtime agree with other libraries and with
// themselves. It is a package of its own, so that go.sum of users does not hold those libraries.
//
//test:sequential
package properties_test
