//go:build !goexperiment.jsonv2

package peer

func jsonV2() []Dispatcher { return nil }
