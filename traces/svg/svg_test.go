package svg

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColoursDiffer(t *testing.T) {
	for _, paper := range [][]uint32{light[:], dark[:]} {
		for i, colour := range paper[first : int(first)+Curves-1] {
			require.Greater(t, contrast(colour, paper[0]), 2.0, "%06x on its paper", colour)
			for _, other := range paper[int(first)+i+1:] {
				require.NotEqual(t, colour, other)
			}
		}
		require.Greater(t, contrast(paper[ink], paper[0]), 7.0)
	}
}

// contrast is the ratio of two colours' luminances (WCAG 2.1).
func contrast(a, b uint32) float64 {
	luminance := func(rgb uint32) (l float64) {
		for k, weight := range []float64{0.0722, 0.7152, 0.2126} {
			c := float64(rgb>>(8*k)&0xff) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			l += weight * c
		}
		return l + 0.05
	}
	return max(luminance(a)/luminance(b), luminance(b)/luminance(a))
}

// TestElements writes every element. Words are escaped, characters that a terminal hides are shown.
func TestElements(t *testing.T) {
	var text strings.Builder
	d := New(&text, 20, 10.126, "a < b", "seen\x1b")
	end := d.Group("all", Size(11))
	d.Text(1, 2, "1 & 2", Fill(Ink), Middle)
	d.Upright(3, 4, "up")
	d.Rect(0, 1, 2, 3, Stroke(Faint.Pale(0.5)), Class(""))
	d.Lines(Of(Curves+1), 1.5, []Line{Segment(-0.001, 1, 2, 3), Segment(4, 5, 6, 7)}, Dashes(4, 3))
	d.Areas(Paper, Box(5, 5, 1, 2), Arrowhead(0, 0, 10, 0, 1, 3, 2))
	d.Disc(7, 8, 9, Of(0), Ink)
	end()
	require.NoError(t, d.Close())
	require.True(t, strings.HasPrefix(text.String(), `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10.13" width="20" height="10.13"`))
	_, body, _ := strings.Cut(text.String(), "</style>\n")
	require.Equal(t, `<path d="M0 10.13L20 10.13L20 0L0 0Z" class="f0"/>
<g font-size="11"><title>all</title>
<text x="1" y="2" class="f1" text-anchor="middle">1 &amp; 2</text>
<text x="3" y="4" transform="rotate(-90 3 4)">up</text>
<rect x="0" y="1" width="2" height="3" class="s2" stroke-opacity="0.5"/>
<path d="M0 1L2 3M4 5L6 7" fill="none" class="s4" stroke-width="1.5" stroke-dasharray="4 3"/>
<path d="M4 3L6 3L6 7L4 7ZM9 0L6 2L6 -2Z" class="f0"/>
<circle cx="7" cy="8" r="9" class="f3"/>
<circle cx="7" cy="8" r="9" fill="none" class="s1" stroke-width="1"/>
</g>
</svg>
`, body)
	require.Contains(t, text.String(), "<title>a &lt; b</title>\n<desc>seen\\x1b</desc>")
	require.Equal(t, Attr(`fill="#fee838"`), Fill(Ramp(2)))
}

// failing refuses every write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrorOfWriter(t *testing.T) {
	d := Bare(failing{}, "flame", 1, 1, "t", "")
	d.Circle(1, 1, 1)
	require.EqualError(t, d.Close(), "full")
}
