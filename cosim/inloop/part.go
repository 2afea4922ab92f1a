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
	resetAt int      // the word of reset in the inputs
	asked   []uint64 // inputs of the last exchange
	wild    hw.Wild
}

// newPart finds the ports of a site in a device, by name.
func newPart(l *Loop, site *hw.Site, p Part) (*part, error) {
	for _, element := range p.Elements {
		if element < 0 || element >= site.Elements {
			return nil, fmt.Errorf("%s: there is no element %d of %d", site.What, element, site.Elements)
		}
	}
	x := &part{Part: p, loop: l, site: site}
	ports := p.Device.Ports()
	place := func(name string, bits int, input bool) (int, error) {
		i := slices.IndexFunc(ports, func(q cosim.Port) bool { return q.Name == name })
		if i < 0 || ports[i].Input != input || ports[i].Clock || ports[i].Bits != bits {
			return 0, fmt.Errorf("%s: the device has no %s %s of %d bits, its ports are %v", x.path(0), direction(input), name, bits, ports)
		}
		return ports[i].Word, nil
	}
	for _, port := range site.Ports {
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

// getInputs puts what the machine gives on the inputs and reports whether it is new.
func (p *part) getInputs() (changed bool) {
	inputs := p.Device.Inputs()
	p.asked = append(p.asked[:0], inputs...)
	for i := range p.site.Ports {
		if port := &p.site.Ports[i]; port.Input {
			for k, element := range p.Elements {
				port.Get(element, hw.Pins{Words: inputs, First: p.first[i] + k*port.Bits, Bits: port.Bits})
			}
		}
	}
	return !slices.Equal(p.asked, inputs)
}

// putOutputs shows the machine what the outputs are, but for those that are polled.
func (p *part) putOutputs() {
	for k := range p.Elements {
		p.put(k, false)
	}
}

// put shows the machine what outputs of element k are, polled ones or the others.
func (p *part) put(k int, polled bool) {
	outputs, unknown := p.Device.Outputs(), p.Device.Unknown()
	for i := range p.site.Ports {
		port := &p.site.Ports[i]
		if port.Input || port.Polled != polled {
			continue
		}
		p.wild = hw.Wild{}
		err := port.Put(p.Elements[k], hw.Pins{Words: outputs, First: p.first[i] + k*port.Bits, Bits: port.Bits, Unknown: unknown, Wild: &p.wild})
		var of *hw.ElementError
		switch {
		case p.wild.Mask != 0:
			p.loop.fail(p.path(k), true, fmt.Errorf("output %s has X or Z in the bits %#x from bit %d on", port.Name, p.wild.Mask, p.wild.First))
		case errors.As(err, &of):
			p.loop.fail(of.Path, false, of.Err)
		case err != nil:
			p.loop.fail(p.path(k), false, err)
		}
	}
}

// settle and edge exchange with the device, unless something has failed.

func (p *part) settle() {
	if p.loop.fault == nil {
		p.judge(p.Device.Settle())
	}
}

func (p *part) edge() {
	if p.loop.fault == nil {
		p.judge(p.Device.Edge(1))
	}
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
