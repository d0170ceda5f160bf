package templates

import "testing"

// TestHash: the runtime makes the same numbers. They are in its tests as well.
func TestHash(t *testing.T) {
	for name, want := range map[string]uint32{
		"":                        0x00000000,
		"a":                       0x45318297,
		"abc":                     0xa5d5ac03,
		"ping":                    0x02faf6ea,
		"weather":                 0xcbcdf349,
		"tools/call":              0xbfd4a985,
		"initialize":              0x7fc1b94b,
		"notifications/cancelled": 0x222737e9,
	} {
		if got := hash(name); got != want {
			t.Errorf("%q: %#x, want %#x", name, got, want)
		}
	}
}
