package plant

import "slices"

// noteViolations records the cycle, within the slot, of new violations.
func (t *Front) noteViolations(cycle uint32) {
	for i := range t.shards {
		s := &t.shards[i]
		if !s.exact {
			continue
		}
		violated := t.media.Medium.Violated(i)
		for _, medium := range violated[s.noted:] {
			t.seen.met[medium] = cycle
			if t.datapath != nil {
				t.seen.met[medium] = t.datapath.Met(int(medium), cycle)
			}
		}
		s.noted = len(violated)
	}
}

// noteLate records light at the far ends of links in the last cycle of a slot.
func (t *Front) noteLate() {
	t.seen.late = t.seen.late[:0]
	far := t.media.Far
	for driver := range far.Shards() {
		for reader := range far.Shards() {
			for _, medium := range far.Lit(driver, reader) {
				t.seen.late = append(t.seen.late, int(medium))
			}
		}
	}
	if len(t.seen.late) == 0 {
		return
	}
	slices.Sort(t.seen.late)
	if t.rtl == nil {
		t.clock.Broken(t.names.Link(t.seen.late[0]), "light at the receiving end in the last cycle of a slot")
	}
}

// Late returns, in ascending order, the media with light at the link's far end in the last cycle of the crossed slot.
// Only RTL can be late.
func (t *Front) Late() []int { return t.seen.late }

// countFrames counts the frames of all shards in the crossed slot before any shard begins the next slot; the
// medium and its sender may belong to different shards.
func (t *Front) countFrames(slot uint32) {
	t.seen.counted = slot
	t.workers.Run(len(t.shards), (*countTask)(t))
	if t.tap != nil {
		t.seen.harmed = t.seen.harmed[:0]
		for i := range t.shards {
			t.seen.harmed = append(t.seen.harmed, t.shards[i].harmed...)
		}
		slices.Sort(t.seen.harmed)
	}
}

// countTask implements countFrames for one shard.
type countTask Front

func (t *countTask) Do(shard int) {
	p, s := (*Front)(t), &t.shards[shard]
	s.placed, s.met, s.harmed, p.frames.Wires[shard] = 0, 0, s.harmed[:0], p.frames.Wires[shard][:0]
	first, end := p.transmitters(shard)
	p.access.Placed(shard, first, end)
}

// Collisions implements Transport. A frame has collided if its medium shows a code violation.
func (t *Front) Collisions(shard int, _ uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	s := &t.shards[shard]
	if violated := t.media.Medium.Violated(shard); yield != nil && len(violated) > 0 {
		s.violated = append(s.violated[:0], violated...)
		slices.Sort(s.violated)
		for _, c := range s.violated {
			yield(int(c), t.seen.met[c])
		}
	}
	return s.met, s.placed - s.met
}

// Foreseen reports whether frames of the crossed slot were predicted, so that only their first phits were simulated.
func (t *Front) Foreseen() bool { return t.foreseen }

func (t *Front) forget() {
	t.foreseen = false
	t.deserialisers.Foresee(nil)
}

// foresee predicts undisturbed frames that are alone on their media, unless the machine is watched. It is called when
// the frames of a slot have met: before the first cycle, or after the cycle of the first phits if NICs request their
// outputs or if frames of different media can meet. Receivers take predicted frames at once. With faults of media,
// RTL, or several frames per slot, foresee predicts nothing.
func (t *Front) foresee(slot uint32, watched bool) {
	inherited := t.inherited
	t.inherited = false
	if inherited || !t.media.Whole || t.rtl != nil || t.tap != nil || t.queues() || t.timing.PropagationCycles == 0 ||
		watched || t.deserialisers.Heard() {
		return
	}
	clear(t.frames.GoesOn)
	if t.frames.Mark++; t.frames.Mark == 0 {
		clear(t.frames.Lit)
		t.frames.Mark++
	}
	t.frames.Begins = t.timing.FirstPhitCycle(slot)
	t.looks = true
	t.countFrames(slot)
	t.looks = false
	for i := range t.shards {
		for _, medium := range t.media.Medium.Violated(i) {
			t.frames.GoesOn[t.frames.Carries[medium]] = true
		}
	}
	t.serialisers.Finish(t.frames.GoesOn)
	t.deserialisers.Foresee(&t.frames)
	t.workers.Run(len(t.shards), (*takeTask)(t))
	t.foreseen = true
}

// takeTask gives the predicted frames to the receivers of one shard.
type takeTask Front

func (t *takeTask) Do(shard int) { t.deserialisers.TakeForeseen(t.shards[shard].Shard) }

func (t *Front) calm() bool {
	for i := range t.shards {
		if len(t.media.Medium.Violated(i)) > 0 {
			return false
		}
	}
	return true
}
