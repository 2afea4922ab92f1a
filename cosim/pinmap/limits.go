package pinmap

import (
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/hw"
)

// Bounds lists the map's limits for inputs of the model, without duplicates: give_i is [0, credit].
func (w *Wires) Bounds() (texts []string) {
	for _, l := range w.Limits {
		if w.Model[l.Port].Input && !slices.Contains(texts, l.Text) {
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// Broken returns a limit violated by the RTL's outputs, nil for none. It is valid for settled RTL with reset off.
func (d *Device) Broken() *Limit { return d.broken(func(p cosim.Port) bool { return !p.Input }) }

// BrokenBy returns a limit violated by inputs of the model, nil for none.
func (d *Device) BrokenBy(inputs []uint64) *Limit {
	copy(d.inputs, inputs)
	return d.broken(func(p cosim.Port) bool { return p.Input })
}

func (d *Device) broken(asked func(cosim.Port) bool) *Limit {
	for i := range d.Limits {
		l := &d.Limits[i]
		if !asked(d.Model[l.Port]) {
			continue
		}
		is, unknown := d.value(l.Is)
		if must, wild := d.value(l.Must); unknown|wild == 0 && is != must {
			return l
		}
	}
	return nil
}

// Check returns a *cosim.Fault for a violated limit. It implements cosim.Checked.
func (d *Device) Check() error {
	if len(d.Limits) == 0 {
		return nil
	}
	if l := d.broken(func(cosim.Port) bool { return true }); l != nil {
		return &cosim.Fault{Kind: cosim.FaultLimit, Device: "the pin map", Text: d.LimitText(l)}
	}
	return nil
}

// LimitText explains a broken limit.
func (d *Device) LimitText(l *Limit) string {
	p := d.Model[l.Port]
	if !p.Input {
		return fmt.Sprintf("%s, and %s: its value is 0x%s", l.Text, l.Why, d.digits(l.Of))
	}
	return fmt.Sprintf("%s, and no value of its pins represents the model's value", l.Text)
}

// digits formats bits, low bit first, in hexadecimal. A digit with an unknown bit is x.
func (d *Device) digits(bits []Bit) string {
	var all []byte
	for low := 0; low < len(bits); low += 4 {
		digit, wild := uint64(0), uint64(0)
		for i, b := range bits[low:min(low+4, len(bits))] {
			value, unknown := d.value(b)
			digit, wild = digit|value<<i, wild|unknown
		}
		if all = append(all, "0123456789abcdef"[digit]); wild != 0 {
			all[len(all)-1] = 'x'
		}
	}
	slices.Reverse(all)
	return string(all)
}

// Fit restricts inputs of the model to the map's limits.
func (d *Device) Fit(inputs []uint64) {
	const rounds = 4 // a correction by one limit may affect another limit: an index out of range becomes none
	for range rounds {
		if d.BrokenBy(inputs) == nil {
			return
		}
		d.push()
		for i := range d.Limits {
			port := d.Limits[i].Port
			p := d.Model[port]
			if !p.Input || i > 0 && d.Limits[i-1].Port == port {
				continue
			}
			for bit, from := range d.Wires.Ports[port] {
				value, _ := d.value(from)
				hw.PutBits(inputs, 64*p.Word+bit, 1, value)
			}
		}
	}
}
