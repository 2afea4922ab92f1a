package diff

import (
	"iter"

	"starloom/traces/vcd"
)

type merge struct {
	a, b         *vcd.Sampler
	readA, readB *vcd.Reader
	ofA, ofB     byNet
}

func (d *differ) open(pairs []pair) (m *merge, err error) {
	m = &merge{}
	if m.readA, err = d.files[0].Open(); err != nil {
		return nil, err
	}
	if m.readB, err = d.files[1].Open(); err != nil {
		m.close()
		return nil, err
	}
	if m.readA.FST() || m.readB.FST() {
		m.readA.RoundReals()
		m.readB.RoundReals()
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
	// read-only files
	_ = m.readA.Close()
	if m.readB != nil {
		_ = m.readB.Close()
	}
}

type step struct {
	instant            int64
	changedA, changedB []vcd.NetID
}

// checkEvery is the number of instants between two checks of the context.
const checkEvery = 4096

// instants yields the instants of both files up to last, with samplers at the instant's values. It ends when a file
// ends or is truncated within an instant, and when a file or tick returns an error. tick is called regularly. After a
// break, instants reads no further.
func (m *merge) instants(last int64, tick func() error) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		err := m.load(true, true)
		for count := 0; err == nil; count++ {
			if count%checkEvery == 0 {
				if err = tick(); err != nil {
					break
				}
			}
			instant, fromA, fromB, ok := m.next()
			if !ok || instant > last {
				return
			}
			if !yield(m.commit(instant, fromA, fromB), nil) {
				return
			}
			err = m.load(fromA, fromB)
		}
		yield(step{}, err)
	}
}

// next returns the next instant of either file. ok is false if a file has ended, or is truncated within that instant.
func (m *merge) next() (instant int64, fromA, fromB, ok bool) {
	if !m.a.Loaded || !m.b.Loaded {
		return 0, false, false, false
	}
	instant = min(m.a.Instant, m.b.Instant)
	fromA, fromB = m.a.Instant == instant, m.b.Instant == instant
	return instant, fromA, fromB, !(fromA && m.a.Cut) && !(fromB && m.b.Cut)
}

func (m *merge) commit(instant int64, fromA, fromB bool) step {
	s := step{instant: instant}
	if fromA {
		s.changedA = m.a.Commit()
	}
	if fromB {
		s.changedB = m.b.Commit()
	}
	return s
}

func (m *merge) load(fromA, fromB bool) (err error) {
	if fromA {
		err = m.a.Load()
	}
	if fromB && err == nil {
		err = m.b.Load()
	}
	return err
}

// instant is a cycle, or a time in common units, with the times in both files.
type instant struct {
	number       int64
	timeA, timeB uint64
}

func (d *differ) moment(m *merge, at instant) Moment {
	t := Moment{
		TimeA: m.readA.Duration(at.timeA).String(),
		TimeB: m.readB.Duration(at.timeB).String(),
	}
	if d.o.A.Sampled() {
		t.Cycle = &at.number
	} else {
		t.TimeA = vcd.Duration{Count: uint64(max(at.number, 0)), Unit: d.unit}.String()
	}
	return t
}

func (d *differ) tick(m *merge) error {
	if d.o.Progress != nil {
		readA, sizeA := m.readA.Progress()
		readB, sizeB := m.readB.Progress()
		d.o.Progress(readA+readB, sizeA+sizeB)
	}
	return d.ctx.Err()
}
