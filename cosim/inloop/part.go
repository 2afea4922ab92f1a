package inloop

import (
	"errors"
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/hw"
)

type part struct {
	Part
	loop    *Loop
	site    *hw.Site
	given   []func()
	shown   [][]output
	polled  [][]output
	resetAt int      // word index of reset in the inputs
	asked   []uint64 // inputs of the previous exchange
	dark    bool     // all inputs are 0; the site must report dark inputs
	wild    hw.Wild
	checked cosim.Checked // nil for a device without checks

	base     []byte // state of the device at the first snapshot
	baseHash uint64
}

type output struct {
	name string
	put  func() error
}

func newPart(l *Loop, site *hw.Site, p Part) (*part, error) {
	for _, element := range p.Elements {
		if element < 0 || element >= site.Elements {
			return nil, fmt.Errorf("%s: element %d of %d does not exist", site.What, element, site.Elements)
		}
	}
	x := &part{Part: p, loop: l, site: site}
	x.checked, _ = p.Device.(cosim.Checked)
	if err := x.bind(); err != nil {
		return nil, err
	}
	own := len(site.Ports)
	if site.Clocked {
		own += 2
		var err error
		if x.resetAt, err = x.place("reset", 1, true); err != nil {
			return nil, err
		}
	}
	if ports := p.Device.Ports(); len(ports) != own {
		return nil, fmt.Errorf("%s: the device has %d ports, but %d are needed: %v", x.path(0), len(ports), own, ports)
	}
	return x, nil
}

func (p *part) place(name string, bits int, input bool) (int, error) {
	ports := p.Device.Ports()
	i := slices.IndexFunc(ports, func(q cosim.Port) bool { return q.Name == name })
	if i < 0 || ports[i].Input != input || ports[i].Clock || ports[i].Bits != bits {
		return 0, fmt.Errorf("%s: the device has no %s %s of %d bits; its ports are %v", p.path(0),
			direction(input), name, bits, ports)
	}
	return ports[i].Word, nil
}

func (p *part) bind() error {
	p.given, p.shown, p.polled = nil, make([][]output, len(p.Elements)), make([][]output, len(p.Elements))
	for i := range p.site.Ports {
		port := &p.site.Ports[i]
		word, err := p.place(port.Name, port.Bits*len(p.Elements), port.Input)
		if err != nil {
			return err
		}
		p.bindPort(port, 64*word)
	}
	return nil
}

// bindPort binds the ports of all elements. The ports begin at bit first of the device's inputs or outputs.
func (p *part) bindPort(port *hw.Port, first int) {
	for k, element := range p.Elements {
		pins := hw.Pins{First: first + k*port.Bits, Bits: port.Bits}
		if port.Input {
			pins.Words = p.Device.Inputs()
			p.given = append(p.given, port.Get(element, pins))
			continue
		}
		pins.Words, pins.Unknown, pins.Wild = p.Device.Outputs(), p.Device.Unknown(), &p.wild
		of := p.shown
		if port.Polled {
			of = p.polled
		}
		of[k] = append(of[k], output{port.Name, port.Put(element, pins)})
	}
}

func direction(input bool) string {
	if input {
		return "input"
	}
	return "output"
}

func (p *part) path(k int) string { return p.site.Path(p.Elements[k]) }

func (p *part) clear() {
	clear(p.Device.Inputs())
	p.dark = false
}

func (p *part) reset(on uint64) { p.Device.Inputs()[p.resetAt] = on }

func (p *part) changeInputs(dark bool) (changed bool) {
	if dark && p.dark {
		return false
	}
	inputs := p.Device.Inputs()
	p.asked = append(p.asked[:0], inputs...)
	p.getInputs(dark)
	return !slices.Equal(p.asked, inputs)
}

func (p *part) getInputs(dark bool) {
	if dark && p.dark {
		return
	}
	p.dark = dark
	for _, get := range p.given {
		get()
	}
}

func (p *part) putOutputs() {
	if p.site.Dark != nil && zero(p.Device.Outputs()) && zero(p.Device.Unknown()) {
		return
	}
	for k := range p.shown {
		p.put(k, p.shown[k])
	}
}

func zero(words []uint64) bool {
	any := uint64(0)
	for _, word := range words {
		any |= word
	}
	return any == 0
}

func (p *part) put(k int, outputs []output) {
	for i := range outputs {
		if err := outputs[i].put(); err != nil || p.wild.Mask != 0 {
			p.blame(k, outputs[i].name, err)
		}
	}
}

func (p *part) blame(k int, port string, err error) {
	var of *hw.ElementError
	switch {
	case p.wild.Mask != 0:
		p.loop.fail(p.path(k), true,
			fmt.Errorf("output %s has X or Z in the bits %#x from bit %d on", port, p.wild.Mask, p.wild.First))
	case errors.As(err, &of):
		p.loop.fail(of.Path, false, of.Err)
	default:
		p.loop.fail(p.path(k), false, err)
	}
	p.wild = hw.Wild{}
}

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
