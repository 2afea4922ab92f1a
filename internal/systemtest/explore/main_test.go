package explore

import (
	"os"
	"testing"

	"starloom/internal/systemtest"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(asSearch); folder != "" {
		os.Exit(searchIn(folder))
	}
	systemtest.Main(m)
}
