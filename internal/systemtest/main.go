// Package systemtest contains shared code for tests of the whole system. Each subfolder holds the tests of one theme.
// All tests run in the module's root folder, which contains the examples and pages.
package systemtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/config"
	"starloom/internal/emulator"
	"starloom/internal/inside"
)

// Full is the flag that selects tests at full length.
var Full = flag.Bool("full", false, "run the long tests")

// Main runs the tests of a folder.
func Main(m *testing.M) {
	if err := enter(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if folder, err := ImageFolder(); err == nil {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// enter changes the working directory to the root of the module.
func enter() error {
	for {
		if _, err := os.Stat("go.mod"); err == nil {
			return nil
		}
		here, err := os.Getwd()
		if err != nil || here == filepath.Dir(here) {
			return fmt.Errorf("no go.mod stands above the tests: %w", err)
		}
		if err := os.Chdir(".."); err != nil {
			return err
		}
	}
}

// With adds test-only options.
func With(o starloom.MachineOptions, more emulator.Options) starloom.MachineOptions {
	*inside.Options(&o) = more
	return o
}

// Elaborated elaborates a scenario.
func Elaborated(t testing.TB, s *starloom.Scenario) *config.Config {
	c, err := inside.Config(s)
	require.NoError(t, err)
	return c
}
