package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestLongOtherSystems type-checks the sources for Windows, without compiling them.
func TestLongOtherSystems(t *testing.T) {
	config := &packages.Config{
		Dir: top, Env: append(os.Environ(), "GOOS=windows", "GOARCH=arm64", "CGO_ENABLED=0"),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedImports | packages.NeedDeps,
	}
	loaded, err := packages.Load(config, "./...")
	require.NoError(t, err)
	require.Greater(t, len(loaded), 50)
	for _, p := range loaded {
		require.Empty(t, p.Errors, p.PkgPath)
	}
}
