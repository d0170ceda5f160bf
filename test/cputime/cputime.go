// Package cputime measures work on machines that others use as well: processor time passes only while the process runs.
//
//test:by ./test/allkinds TestCostIsBounded
package cputime
