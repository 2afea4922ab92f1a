package emulator

import (
	"context"
	"errors"
	"sync/atomic"
)

// Close releases firmware, workers and RTL. An open recording is dropped, which is an error. Further calls do
// nothing.
func (m *Machine) Close() error {
	if m.closed {
		return nil
	}
	if err := m.Enter("closing"); err != nil {
		return err
	}
	defer m.Leave()
	m.final = m.Sum()
	var err error
	if m.observer != nil {
		err = m.observer.Dropped()
	}
	return errors.Join(err, m.Release())
}

// Step runs the next slot and the boundary in its last cycle (deliver, handlers, send), up to the edge that ends the
// slot. The first Step also runs the boundary of slot 0. Step does nothing after the end of the run. A handler that
// never returns blocks Step forever; Run has a context.
//
// Step returns errors of a recording, which then ends, or of Watch; the step itself is complete, and the run can
// continue. Failing firmware is not an error; see Violations.
func (m *Machine) Step() error {
	if err := m.enterWhole("stepping"); err != nil {
		return err
	}
	defer m.Leave()
	var err error
	if !m.started {
		err = m.Start(context.Background(), nil)
	}
	if !m.ended {
		err = errors.Join(err, m.step(context.Background(), nil))
	}
	return err
}

// Start runs the boundary of slot 0, in the last cycle of reset.
func (m *Machine) Start(ctx context.Context, each func() error) error {
	m.started = true
	m.transport.Start()
	return m.turn(ctx, each)
}

func (m *Machine) step(ctx context.Context, each func() error) error {
	m.Cross()
	if m.ended {
		return nil
	}
	return m.turn(ctx, each)
}

// turn runs the boundary of a slot and the edge after it. The boundary at the slot limit is the last. After the end
// of ctx, turn calls no handlers; it interrupts running handlers and omits the edge.
func (m *Machine) turn(ctx context.Context, each func() error) (err error) {
	over := ctx.Err() != nil
	if over {
		m.Stop.Store(true)
	}
	whole := m.Boundary(m.slot >= m.Config.Slots)
	if m.observer != nil {
		err = m.observer.Boundary()
	}
	if err == nil {
		err = m.watchError
	}
	m.watchError = nil
	if err == nil && each != nil {
		err = each()
	}
	if whole || over {
		m.transport.Latch()
		m.endByRTL()
	}
	return err
}

// Cross runs a slot up to the boundary in its last cycle.
func (m *Machine) Cross() {
	if m.rxPorts != nil {
		for i := range m.Shards {
			for _, instance := range m.Shards[i].Instances {
				bank := instance.Bank()
				copy(m.rxPorts[bank.First:], bank.Listen(m.slot))
			}
		}
	}
	m.slot = m.cross()
	m.endByRTL()
}

func (m *Machine) cross() (slots uint32) {
	if m.bare == nil {
		m.transport.Cross(m.slot)
		return m.slot + 1
	}
	until := m.Config.Slots
	for _, look := range []uint64{uint64(m.Until), m.Config.FinishBy} {
		if look > uint64(m.slot) && look < uint64(until) {
			until = uint32(look)
		}
	}
	m.bare.Until(until)
	m.transport.Cross(m.slot)
	return m.bare.Slots()
}

// Run steps until the run finishes, reaches its slot limit, or ctx ends. Afterwards the run has ended, and another
// Run does nothing. each, unless nil, is called at every boundary, after the handlers; it may call everything that is
// permitted between steps for reading. If each returns an error, Run returns that error after the edge that ends the
// boundary, and the next Run or Step continues from there. If ctx ends while handlers run, the handlers are
// interrupted and their boundary is discarded. An interruption is not an error; the report shows it.
func (m *Machine) Run(ctx context.Context, each func() error) error {
	if err := m.enterWhole("running"); err != nil {
		return err
	}
	defer m.Leave()
	stop := new(atomic.Bool)
	m.Stop = stop
	m.until(ctx)
	defer func() {
		m.Stop = new(atomic.Bool)
		m.until(context.Background())
	}()
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	if !m.started {
		if err := m.Start(ctx, each); err != nil {
			return err
		}
	}
	for !m.ended {
		if err := m.step(ctx, each); err != nil {
			return err
		}
	}
	return nil
}
