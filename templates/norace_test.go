//go:build !race

package templates_test

import "testing"

func unraced(*testing.T) {}
