package nic

import (
	"bytes"
	"flag"
	"go/format"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
)

var update = flag.Bool("update", false, "rewrite the generated and golden files")

// TestRegisterMap compares the five generated files with the register map.
func TestRegisterMap(t *testing.T) {
	for path, write := range map[string]func(io.Writer){
		"registers_gen.go":                     writeGo,
		"../firmware/sdk/starloom_registers.h": writeC,
		"../cosim/rtl/starloom_registers.vh":   writeVerilog,
		"../firmware/sdk/starloom_window.h":    writeWindow,
		"REGISTERS.md":                         writeMarkdown,
	} {
		var out bytes.Buffer
		write(&out)
		want := out.Bytes()
		if path == "registers_gen.go" {
			var err error
			want, err = format.Source(want)
			require.NoError(t, err)
		}
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s has drifted; run go test ./nic -run RegisterMap -update", path)
	}
}

// TestHardwareKnowsThePorts compares the port selects of package hw, which does not import the
// register map, with the map.
func TestHardwareKnowsThePorts(t *testing.T) {
	require.EqualValues(t, PortAll, hw.PortAll)
	require.EqualValues(t, PortNone, hw.PortNone)
}
