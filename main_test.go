package starloom

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/config"
)

var full = flag.Bool("full", false, "run the long tests")

// Full is full, for the tests from outside of the package.
var Full = full

// elaborated is what a scenario becomes before it runs.
func elaborated(t testing.TB, s *Scenario) *config.Config {
	c, err := s.elaborate()
	require.NoError(t, err)
	return c
}
