package diff

import (
	"starloom/traces/vcd"
)

// merge walks over two files, instant by instant.
type merge struct {
	a, b         *vcd.Sampler
	readA, readB *vcd.Reader
	ofA, ofB     byNet
}

// open opens both files and watches the pairs.
func (d *differ) open(pairs []pair) (m *merge, err error) {
	m = &merge{}
	if m.readA, err = vcd.Open(d.paths[0]); err != nil {
		return nil, err
	}
	if m.readB, err = vcd.Open(d.paths[1]); err != nil {
		m.close()
		return nil, err
	}
	m.a, err = vcd.NewSampler(m.readA, d.o.A, d.unit, nets(pairs, sideA))
	if err == nil {
		m.b, err = vcd.NewSampler(m.readB, d.o.B, d.unit, nets(pairs, sideB))
	}
	if err != nil {
		m.close()
		return nil, err
	}
	m.b.Shift = d.shift
	m.ofA = newByNet(m.readA.Nets(), pairs, sideA)
	m.ofB = newByNet(m.readB.Nets(), pairs, sideB)
	return m, nil
}

func (m *merge) close() {
	// Files that were read only.
	_ = m.readA.Close()
	if m.readB != nil {
		_ = m.readB.Close()
	}
}

// start loads the first instant of both files.
func (m *merge) start() error {
	if err := m.a.Load(); err != nil {
		return err
	}
	return m.b.Load()
}

// next commits the next instant, of one file or of both. It returns false when one
// file has ended, or is cut off within that instant.
func (m *merge) next() (instant int64, fromA, fromB, ok bool) {
	if !m.a.Loaded || !m.b.Loaded {
		return 0, false, false, false
	}
	instant = min(m.a.Instant, m.b.Instant)
	fromA, fromB = m.a.Instant == instant, m.b.Instant == instant
	return instant, fromA, fromB, !(fromA && m.a.Cut) && !(fromB && m.b.Cut)
}
