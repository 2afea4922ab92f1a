package inloop

import (
	"errors"
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/hw"
)

// part is a device in a machine.
type part struct {
	Part
	loop    *Loop
	site    *hw.Site
	first   []int    // per port of the site: its first bit in the device's inputs or outputs
	given   []int    // ports that are inputs...
	shown   []int    // ...outputs...
	polled  []int    // ...and outputs that the component asks for
	resetAt int      // the word of reset in the inputs
	asked   []uint64 // inputs of the last exchange
	wild    hw.Wild
	checked cosim.Checked // nil for a device that checks nothing
}

// newPart finds the ports of a site in a device, by name.
func newPart(l *Loop, site *hw.Site, p Part) (*part, error) {
	for _, element := range p.Elements {
		if element < 0 || element >= site.Elements {
			return nil, fmt.Errorf("%s: there is no element %d of %d", site.What, element, site.Elements)
		}
	}
	x := &part{Part: p, loop: l, site: site}
	x.checked, _ = p.Device.(cosim.Checked)
	ports := p.Device.Ports()
	place := func(name string, bits int, input bool) (int, error) {
		i := slices.IndexFunc(ports, func(q cosim.Port) bool { return q.Name == name })
		if i < 0 || ports[i].Input != input || ports[i].Clock || ports[i].Bits != bits {
			return 0, fmt.Errorf("%s: the device has no %s %s of %d bits, its ports are %v", x.path(0), direction(input), name, bits, ports)
		}
		return ports[i].Word, nil
	}
	for i, port := range site.Ports {
		switch {
		case port.Input:
			x.given = append(x.given, i)
		case port.Polled:
			x.polled = append(x.polled, i)
		default:
			x.shown = append(x.shown, i)
		}
		word, err := place(port.Name, port.Bits*len(p.Elements), port.Input)
		if err != nil {
			return nil, err
		}
		x.first = append(x.first, 64*word)
	}
	own := len(site.Ports)
	if site.Clocked {
		own += 2
		var err error
		if x.resetAt, err = place("reset", 1, true); err != nil {
			return nil, err
		}
	}
	if len(ports) != own {
		return nil, fmt.Errorf("%s: the device has %d ports, %d are needed: %v", x.path(0), len(ports), own, ports)
	}
	return x, nil
}

func direction(input bool) string {
	if input {
		return "input"
	}
	return "output"
}

// path names element k.
func (p *part) path(k int) string { return p.site.Path(p.Elements[k]) }

func (p *part) reset(on uint64) { p.Device.Inputs()[p.resetAt] = on }

// changeInputs is getInputs, and reports whether they are new.
func (p *part) changeInputs() (changed bool) {
	inputs := p.Device.Inputs()
	p.asked = append(p.asked[:0], inputs...)
	p.getInputs()
	return !slices.Equal(p.asked, inputs)
}

// getInputs puts what the machine gives on the inputs.
func (p *part) getInputs() {
	pins := hw.Pins{Words: p.Device.Inputs()}
	for _, i := range p.given {
		port := &p.site.Ports[i]
		pins.Bits = port.Bits
		for k, element := range p.Elements {
			pins.First = p.first[i] + k*port.Bits
			port.Get(element, pins)
		}
	}
}

// putOutputs shows the machine what the outputs are, but for those that are polled.
func (p *part) putOutputs() {
	for k := range p.Elements {
		p.put(k, p.shown)
	}
}

// put shows the machine what some outputs of element k are.
func (p *part) put(k int, ports []int) {
	element, pins := p.Elements[k], hw.Pins{Words: p.Device.Outputs(), Unknown: p.Device.Unknown(), Wild: &p.wild}
	for _, i := range ports {
		port := &p.site.Ports[i]
		pins.First, pins.Bits = p.first[i]+k*port.Bits, port.Bits
		if err := port.Put(element, pins); err != nil || p.wild.Mask != 0 {
			p.blame(k, port.Name, err)
		}
	}
}

// blame says what is wrong with an output of element k: it was X or Z, or could not be put.
func (p *part) blame(k int, port string, err error) {
	var of *hw.ElementError
	switch {
	case p.wild.Mask != 0:
		p.loop.fail(p.path(k), true, fmt.Errorf("output %s has X or Z in the bits %#x from bit %d on", port, p.wild.Mask, p.wild.First))
	case errors.As(err, &of):
		p.loop.fail(of.Path, false, of.Err)
	default:
		p.loop.fail(p.path(k), false, err)
	}
	p.wild = hw.Wild{}
}

// settle and edge run the device, unless something has failed.

func (p *part) settle() {
	if p.loop.fault == nil {
		p.judge(p.Device.Settle())
		p.check()
	}
}

func (p *part) edge() {
	if p.loop.fault == nil {
		p.judge(p.Device.Edge(1))
		p.check()
	}
}

// check ends the run where a value is beyond what the device was attached for.
func (p *part) check() {
	if p.checked == nil || p.loop.fault != nil || p.site.Clocked && p.Device.Inputs()[p.resetAt] != 0 {
		return
	}
	p.judge(p.checked.Check())
}

func (p *part) judge(err error) {
	if err == nil {
		return
	}
	if n := len(p.Elements); n > 1 {
		err = fmt.Errorf("one of %d components in this device: %w", n, err)
	}
	p.loop.fail(p.path(0), false, err)
}
