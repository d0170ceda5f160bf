//go:build !race

package allkinds_test

const raceEnabled = false
