package fabrictest

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// elementsMax is the maximum number of XML elements of a picture.
const elementsMax = 3000

// pictures requires that both engines draw the same pictures in every division, that drawing changes no result, and
// that the pictures are small XML files.
func (c *Case) pictures(t *testing.T) {
	plain, err := starloom.Run(t.Context(), c.Scenario(t), starloom.RunOptions{})
	require.NoError(t, err)
	n := c.Scenario(t).Processors()
	var want [4]string
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for _, bank := range []int{n, (n + 2) / 3} {
			var to [4]bytes.Buffer
			report, err := starloom.Run(t.Context(), c.Scenario(t), starloom.RunOptions{
				MachineOptions: starloom.MachineOptions{Engine: engine, BankSize: bank, Workers: 1 + bank%2},
				SVG: starloom.Pictures{Topology: starloom.Writer(&to[0]), Heat: starloom.Writer(&to[1]),
					Latency:  starloom.Writer(&to[2]),
					Timeline: starloom.Writer(&to[3])},
			})
			require.NoError(t, err)
			require.Equal(t, text(t, plain), text(t, report))
			for i := range to {
				if want[i] == "" {
					want[i] = to[i].String()
					require.LessOrEqual(t, elements(t, want[i]), elementsMax)
				}
				require.Equal(t, want[i], to[i].String(), "%s, banks of %d, picture %d", engine, bank, i)
			}
		}
	}
}

func elements(t *testing.T, text string) (count int) {
	for decoder := xml.NewDecoder(bytes.NewReader([]byte(text))); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		require.NoError(t, err)
		if _, ok := token.(xml.StartElement); ok {
			count++
		}
	}
}
