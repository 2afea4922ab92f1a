package svg

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Colour is a role with an opacity from 0 to 255. Its color.Color is the role's colour on light or dark paper.
type Colour struct {
	role  role
	alpha uint8
	dark  bool
}

type role uint8

const (
	paper role = iota
	ink
	faint
	first // first role of the curves
)

// Colours without a curve.
var (
	Paper = Colour{paper, 255, false} // background
	Ink   = Colour{ink, 255, false}   // text
	Faint = Colour{faint, 255, false} // grid lines
)

// Curves is the number of colours of curves.
const Curves = 8

// Of returns the colour of a curve, counted from 0. Colours repeat after Curves.
func Of(index int) Colour { return Colour{first + role(index%Curves), 255, false} }

// Pale returns the colour with an opacity from 0 to 1.
func (c Colour) Pale(part float64) Colour {
	c.alpha = uint8(math.Round(float64(255 * part)))
	return c
}

// On selects dark or light paper for uses without a style sheet.
func (c Colour) On(dark bool) Colour {
	c.dark = dark
	return c
}

// Colours of roles on light and on dark paper. The colours of curves are those of M. Okabe and K. Ito, "Color
// Universal Design" (2008): most people with a colour vision deficiency can distinguish them. Some are adapted to the
// brightness of the paper.
var (
	light = [...]uint32{0xffffff, 0x1a1a1a, 0xdddddd, 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00,
		0x56b4e9, 0x8a7d00, 0x000000}
	dark = [...]uint32{0x14171c, 0xe8e8e8, 0x3a4048, 0x4aa8e0, 0xff8a3c, 0x2ec99c, 0xe39ac4, 0xf0b429,
		0x8fd0f7, 0xf0e442, 0xffffff}
)

// RGBA implements color.Color.
func (c Colour) RGBA() (r, g, b, a uint32) {
	rgb := light[c.role]
	if c.dark {
		rgb = dark[c.role]
	}
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), c.alpha}.RGBA()
}

// Fill returns the attribute that fills an area.
func Fill(c color.Color) Attr { return paint("fill", c) }

// Stroke returns the attribute that colours a line.
func Stroke(c color.Color) Attr { return paint("stroke", c) }

func paint(property string, c color.Color) Attr {
	opacity := func(alpha uint8) Attr {
		if alpha == 255 {
			return ""
		}
		return " " + attribute(property+"-opacity", Number(float64(alpha)/255))
	}
	if c, ok := c.(Colour); ok {
		return attribute("class", fmt.Sprint(property[:1], c.role)) + opacity(c.alpha)
	}
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return attribute(property, fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)) + opacity(n.A)
}

func styleSheet() string {
	rules := func(colours []uint32) string {
		var b strings.Builder
		for r, rgb := range colours {
			fmt.Fprintf(&b, ".figure .f%d{fill:#%06x}.figure .s%d{stroke:#%06x}\n", r, rgb, r, rgb)
		}
		return b.String()
	}
	return rules(light[:]) + "@media screen and (prefers-color-scheme:dark){\n" + rules(dark[:]) + "}\n"
}

// Ramp returns the colour of a value from 0 to 1 in a heat map: cividis (J. Nuñez, C. Anderton, R. Renslow, 2018),
// interpolated between ten samples.
func Ramp(value float64) color.NRGBA {
	steps := [...]uint32{0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74,
		0xc3b369, 0xe1cc55, 0xfee838}
	at := float64(min(max(value, 0), 1) * float64(len(steps)-1))
	k := min(int(at), len(steps)-2)
	part := at - float64(k)
	mix := func(shift uint) uint8 {
		a, b := float64(steps[k]>>shift&0xff), float64(steps[k+1]>>shift&0xff)
		return uint8(a + float64((b-a)*part) + 0.5)
	}
	return color.NRGBA{mix(16), mix(8), mix(0), 255}
}
