package inloop

import (
	"errors"
	"fmt"

	"starloom/cosim"
	"starloom/hw"
)

// Part is a device and the elements that it stands for. A device for several has each
// port as often, side by side: Elements[k] has the bits k*width and up of every port, with
// width that of a single one; clock and reset are common.
type Part struct {
	Device   cosim.Device
	Elements []int
}

// Loop is the RTL of a machine. It belongs to the goroutine that runs the machine's kernel.
type Loop struct {
	kernel   *hw.Kernel
	fault    *Fault
	restored error
}

// Fault is how RTL ends a run.
type Fault struct {
	Path    string // of the element
	Cycle   uint64 // 0 before the first cycle, too
	Unknown bool   // an output was X or Z
	Err     error  // what the device said, or what was wrong with an output
}

// New returns the RTL of the machine that a kernel will run. The kernel must have one shard.
func New(kernel *hw.Kernel) (*Loop, error) {
	if n := len(kernel.Shards()); n != 1 {
		return nil, fmt.Errorf("%d shards: RTL needs a machine of one", n)
	}
	return &Loop{kernel: kernel}, nil
}

// Replace takes elements out of a component and returns what the kernel runs in its place,
// with all devices in their reset state. The devices stay the caller's. It refuses devices
// whose ports are not those of the component's Site.
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

// Fault returns how RTL has ended the run, nil if it has not. Then no device exchanges anything any more.
func (l *Loop) Fault() *Fault { return l.fault }

// Broken is how the run ends if a model of the machine finds what cannot be: RTL beside it has sent that.
func (l *Loop) Broken(f *hw.Fault) {
	if l.fault == nil {
		l.fault = &Fault{Path: f.Path, Cycle: f.Cycle, Err: errors.New(f.Text + ": RTL in this network has sent what no model sends")}
	}
}

// Restored returns the error of the last restored state that a device has refused.
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
