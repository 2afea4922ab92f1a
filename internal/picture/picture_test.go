package picture_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/picture"
)

// drawn is a picture, which is XML, the same each time, and small.
func drawn(t *testing.T, p interface{ SVG() ([]byte, error) }) string {
	svg, err := p.SVG()
	require.NoError(t, err)
	again, err := p.SVG()
	require.NoError(t, err)
	require.Equal(t, string(svg), string(again))
	elements := 0
	for decoder := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	require.LessOrEqual(t, elements, 3000)
	return string(svg)
}

// TestLatency: bars count what takes so long, quantiles at one place are one line, and a long tail is left out and
// counted.
func TestLatency(t *testing.T) {
	svg := drawn(t, picture.PacketLatency("net", [][2]uint64{{1, 999_000}, {2, 1000}, {400, 3}}, 7))
	for _, want := range []string{"<title>net</title>", ">net: latency of packets<", "median, 95 %, 99 %: 1", "Not drawn: 7 packets that had not arrived",
		"Not drawn: 3 packets that take longer, up to 400 slots."} {
		require.Contains(t, svg, want)
	}
	require.Contains(t, drawn(t, picture.PacketLatency("net", nil, 0)), "No packets have arrived.")
	require.Contains(t, drawn(t, picture.PacketLatency("net", [][2]uint64{{100, 1}, {1000, 1}}, 0)), "A bar stands for 20 slots.")
}
