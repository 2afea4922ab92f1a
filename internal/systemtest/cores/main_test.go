package cores

import (
	"testing"

	"starloom/internal/systemtest"
)

func TestMain(m *testing.M) { systemtest.Main(m) }
