package mount_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }
