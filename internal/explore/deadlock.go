package explore

import (
	"bytes"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

// longSleep is the minimum number of slots of a sleep that counts as waiting for a frame rather than for a slot.
const longSleep = 1 << 14

// deadlock replays the schedule of an unfinished run. It returns the slot after which no state changes, or nil if the
// state changes until the end or a handler would be called later.
func (s *search) deadlock() (*outcome.ExploredDeadlock, error) {
	f := s.failed
	if f == nil || f.violations[0].Subject.Kind != fabric.FindUnfinished {
		return nil, nil
	}
	d := &outcome.ExploredDeadlock{}
	for i := range f.violations {
		switch v := &f.violations[i]; {
		case v.Subject.Kind != fabric.FindUnfinished:
		case len(d.Waiting) == outcome.WaitingMax:
			d.More++
		default:
			d.Waiting = append(d.Waiting, v.Path)
		}
	}
	if f.never != nil {
		if f.never.Period > 1 {
			return nil, nil
		}
		d.Since = f.never.First
		return d, nil
	}
	steps := s.nodes.path(f.parent)
	var before, now []byte
	since := -1
	w := s.workers[0]
	untimed := w.WithoutSlot()
	err := s.walk(f, steps[1:], func(step int) {
		if now, _ = untimed.Save(now[:0], nil, w.Slots()); !bytes.Equal(before, now) {
			since = step
		}
		before = append(before[:0], now...)
	})
	if err != nil || since < 0 || since >= len(steps)-2 || len(faultsOf(f.choice)) > 0 || w.SleepsWithin(longSleep) {
		return nil, err
	}
	d.Since = uint32(since)
	return d, nil
}
