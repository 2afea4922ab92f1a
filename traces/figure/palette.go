package figure

import "image/color"

// role is what a colour is for. Drawings name roles; a palette says what they look like.
type role uint8

const (
	paper role = iota
	ink
	faint // grid lines
	first // of the curves
)

// curveColours is how many curves have a colour of their own.
const curveColours = 8

// Colours of roles on light and on dark paper. Those of curves are from Okabe and Ito; where they are too pale
// or too dark for the paper, in another lightness.
var (
	light = [...]uint32{0xffffff, 0x1a1a1a, 0xdddddd, 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x8a7d00, 0x000000}
	dark  = [...]uint32{0x14171c, 0xe8e8e8, 0x3a4048, 0x4aa8e0, 0xff8a3c, 0x2ec99c, 0xe39ac4, 0xf0b429, 0x8fd0f7, 0xf0e442, 0xffffff}
)

func colourOf(number int) role { return first + role(number%curveColours) }

// paint is a colour by its role, as transparent as alpha says. RGBA is its look on light paper, for canvases
// that know no roles.
type paint struct {
	role  role
	alpha uint8 // 255 is opaque
	dark  bool
}

func (p paint) RGBA() (r, g, b, a uint32) {
	rgb := light[p.role]
	if p.dark {
		rgb = dark[p.role]
	}
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), p.alpha}.RGBA()
}

// ramp is the colour of a value from 0 to 1 in a heat map: cividis (J. Nuñez, C. Anderton, R. Renslow, 2018),
// in nine steps with straight lines between them.
func ramp(value float64) color.NRGBA {
	steps := [...]uint32{0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838}
	at := float64(min(max(value, 0), 1) * float64(len(steps)-1))
	k := min(int(at), len(steps)-2)
	part := at - float64(k)
	mix := func(shift uint) uint8 {
		a, b := float64(steps[k]>>shift&0xff), float64(steps[k+1]>>shift&0xff)
		return uint8(a + float64((b-a)*part) + 0.5)
	}
	return color.NRGBA{mix(16), mix(8), mix(0), 255}
}
