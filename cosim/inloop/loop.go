// Package inloop runs RTL in place of elements of a machine's components. A component is represented by its hw.Site,
// RTL by a cosim.Device.
//
//	machine --wires--> [ model | device, device, ... ] --wires--> machine
package inloop

import (
	"errors"
	"fmt"

	"starloom/cosim"
	"starloom/hw"
)

// Part is a device and the elements that it replaces. Each port of a device for several elements consists of the
// elements' ports side by side: Elements[k] has bits k*width to (k+1)*width-1, where width is the width of a single
// element's port. The elements share clock and reset.
type Part struct {
	Device   cosim.Device
	Elements []int
}

// Loop is the RTL of a machine. Only the goroutine that runs the machine's kernel may use it.
type Loop struct {
	kernel   *hw.Kernel
	fault    *Fault
	restored error
}

// Fault describes why RTL ended a run.
type Fault struct {
	Path    string
	Cycle   uint64 // cycle of the fault; 0 before the first cycle
	Unknown bool   // an output was X or Z
	Err     error  // error of the device or of an output
}

// New returns the loop for the machine that a kernel will run. The kernel must have one shard.
func New(kernel *hw.Kernel) (*Loop, error) {
	if n := len(kernel.Shards()); n != 1 {
		return nil, fmt.Errorf("%d shards: RTL needs a machine with a single shard", n)
	}
	return &Loop{kernel: kernel}, nil
}

// Replace replaces elements of a component and returns the component for the kernel, with all devices in reset state.
// The caller keeps ownership of the devices. It returns an error if the ports of a device differ from those of the
// component's Site.
func (l *Loop) Replace(model hw.Sited, parts ...Part) (hw.Component, error) {
	site := model.Site()
	if err := site.Check(); err != nil {
		return nil, err
	}
	c := &replaced{Sited: model, loop: l, site: site}
	c.driver, _ = model.(hw.Driver)
	c.combinational, _ = model.(hw.Combinational)
	c.latcher, _ = model.(hw.Latcher)
	taken := make([]bool, site.Elements)
	for _, p := range parts {
		placed, err := newPart(l, site, p)
		if err != nil {
			return nil, err
		}
		for k, element := range p.Elements {
			if taken[element] {
				return nil, fmt.Errorf("%s: element %d is replaced already", model.Path(), element)
			}
			taken[element] = true
			if site.Replace != nil {
				site.Replace(element, func() bool {
					if l.fault == nil {
						placed.put(k, placed.polled[k])
					}
					return l.fault == nil
				})
			}
		}
		c.parts = append(c.parts, placed)
	}
	c.resetDevices()
	return c, nil
}

// Fault returns the reason why RTL ended the run, nil for none. After a fault, devices no longer run.
func (l *Loop) Fault() *Fault { return l.fault }

// Broken ends the run because a model has found an impossible input from adjacent RTL.
func (l *Loop) Broken(f *hw.Fault) {
	if l.fault == nil {
		l.fault = &Fault{Path: f.Path, Cycle: f.Cycle, Err: errors.New(f.Text + ": RTL in this network has sent bits that " +
			"no " +
			"model sends")}
	}
}

// Restored returns the error of a device that rejected the latest restored state.
func (l *Loop) Restored() error { return l.restored }

func (l *Loop) fail(path string, unknown bool, err error) {
	if l.fault != nil {
		return
	}
	l.fault = &Fault{Path: path, Unknown: unknown, Err: err}
	if cycle := l.kernel.Cycle(); cycle != hw.CycleOfReset {
		l.fault.Cycle = cycle
	}
}
