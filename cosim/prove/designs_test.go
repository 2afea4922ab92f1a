//go:build linux

package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// designMap is the map of a design of testdata, whose head says what it stands for:
//
//	// fifo DEPTH=4 WIDTH=8 COUNT_BITS=4
//	// reset: low rst_n          its pin for reset
//	// latency: grant_o=-1       absent: index_o      assume: ...
//
// Pins that are not named have the names of the model's ports.
func designMap(t *testing.T, file string) *pinmap.Map {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	head := strings.Fields(strings.TrimPrefix(lines[0], "// "))
	p := twin.Parameters{}
	for _, word := range head[1:] {
		name, value, _ := strings.Cut(word, "=")
		p[name], err = strconv.Atoi(value)
		require.NoError(t, err, lines[0])
	}
	m := twinMap(t, head[0], p)
	m.Source.Top, m.Source.Params = "dut", nil
	m.Source.Files[0], err = filepath.Abs(file)
	require.NoError(t, err)
	if !strings.Contains(string(text), "// with the parts of its twin") {
		m.Source.Files = m.Source.Files[:1]
	}
	m.Build.Cache = testCache
	for _, line := range lines[1:] {
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "// "), ": ")
		if !ok || !strings.HasPrefix(line, "// ") {
			continue
		}
		for _, word := range strings.Fields(value) {
			switch key {
			case "reset":
				m.ResetLow = true
				if word != "low" {
					m.Reset = word
				}
			case "latency":
				name, cycles, _ := strings.Cut(word, "=")
				if m.Latency == nil {
					m.Latency = map[string]int{}
				}
				m.Latency[name], err = strconv.Atoi(cycles)
				require.NoError(t, err)
			case "absent":
				m.Absent = append(m.Absent, word)
				for i, w := range m.Pins {
					if w.Port == word {
						m.Pins = append(m.Pins[:i], m.Pins[i+1:]...)
						break
					}
				}
			}
		}
	}
	return m
}

// designs are those of a folder of testdata.
func designs(t *testing.T, folder string) []string {
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.v"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// TestEqual: designs in other styles are proved.
func TestEqual(t *testing.T) {
	for _, file := range designs(t, "equal") {
		name := strings.TrimSuffix(filepath.Base(file), ".v")
		if *only != "" && *only != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.Equal(t, Equal, runProof(t, designMap(t, file), Options{}).Verdict)
		})
	}
}

var _ = fmt.Sprint
var _ cosim.Source
