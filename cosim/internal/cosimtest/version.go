package cosimtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// Since reports whether a tool here has a version or a later one: what is expected of tools differs.
func Since(t testing.TB, command string, number ...int) bool {
	option := "--version"
	if command == "iverilog" {
		option = "-V"
	}
	version, err := cosim.Tool{Command: command, Packages: command, VersionOption: option}.Version(t.Context())
	require.NoError(t, err)
	return version.Since(number...)
}
