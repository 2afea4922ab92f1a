package lockstep

import (
	"starloom/cosim"
	"starloom/cosim/coverage"
	"starloom/cosim/pinmap"
	"starloom/hw"
)

type covered struct {
	coverage.Coverage
	kernel *hw.Kernel
	device cosim.Device
	last   []uint64 // the device's counts at the previous add
	first  []uint64 // counts at the first settling of the inputs; nil before
}

func newCovered(name string, kernel *hw.Kernel) *covered {
	cells, _ := modelCells(kernel)
	return &covered{Coverage: coverage.Coverage{Model: coverage.NewModel(name, cells)}, kernel: kernel}
}

func (c *covered) see(reset bool) {
	if c == nil || reset {
		return
	}
	hw.Collect(c.kernel)
	c.Model.See()
}

// settled saves the counts when the inputs have settled for the first time, because a bit's first value is not a
// toggle.
func (c *covered) settled(cycle uint64, rtl cosim.Device, err error) error {
	if c == nil || cycle > 0 || err != nil || c.first != nil {
		return err
	}
	counts, err := counted(rtl)
	if err != nil {
		return err
	}
	c.enter(rtl)
	c.first = make([]uint64, len(counts))
	for i, count := range counts {
		c.first[i] = count - c.last[i]
	}
	return nil
}

// enter starts counting a device. The device's counters are cumulative; restoring a snapshot does not clear them.
func (c *covered) enter(rtl cosim.Device) {
	if c.device == rtl {
		return
	}
	c.device, c.last = rtl, make([]uint64, len(c.points(rtl)))
}

// add adds the points covered since the last call. rtl is nil if it failed at power-on.
func (c *covered) add(rtl cosim.Device) error {
	if c == nil || rtl == nil {
		return nil
	}
	counts, err := counted(rtl)
	if err != nil {
		return err
	}
	c.enter(rtl)
	points, since := c.points(rtl), make([]uint64, len(counts))
	for i, count := range counts {
		since[i] = count - c.last[i]
		if c.first != nil && points[i].Kind == cosim.PointToggle {
			since[i] -= c.first[i]
		}
	}
	c.last, c.first = counts, nil
	c.RTL.Add(points, since)
	return nil
}

func (c *covered) points(rtl cosim.Device) []cosim.Point {
	points, _ := rtl.(*pinmap.Device).Counter().Points() // Counted was successful before
	return points
}

func counted(rtl cosim.Device) ([]uint64, error) {
	counter := rtl.(*pinmap.Device).Counter()
	if _, err := counter.Points(); err != nil {
		return nil, err
	}
	return counter.Counts()
}
