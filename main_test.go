package starloom

import (
	"flag"
	"starloom/internal/config"
	"testing"

	"github.com/stretchr/testify/require"
)

var full = flag.Bool("full", false, "run the long tests")

// elaborated is what a scenario becomes before it runs.
func elaborated(t testing.TB, s *Scenario) *config.Config {
	c, err := s.elaborate()
	require.NoError(t, err)
	return c
}
