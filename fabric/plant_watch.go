package fabric

import "slices"

// noteViolations notes the cycle of the slot for media whose violation has just shown.
func (t *Plant) noteViolations(cycle uint32) {
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

// noteLate looks for light at the far ends of the links in the last cycle of a slot.
func (t *Plant) noteLate() {
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
		t.Clock().Broken(t.names.Link(t.seen.late[0]), "light at the far end in the last cycle of a slot")
	}
}

// Late returns the media, in ascending order, whose links had light at the far end in
// the last cycle of the slot that has crossed. Only RTL can be late.
func (t *Plant) Late() []int { return t.seen.late }

// countFrames counts the frames of each shard in the slot that has crossed, while no shard's
// next slot has begun: their media may belong to other shards.
func (t *Plant) countFrames(slot uint32) {
	t.seen.counted = slot
	t.kernel.Workers().Run(len(t.shards), (*countTask)(t))
	if t.tap != nil {
		t.seen.harmed = t.seen.harmed[:0]
		for i := range t.shards {
			t.seen.harmed = append(t.seen.harmed, t.shards[i].harmed...)
		}
		slices.Sort(t.seen.harmed)
	}
}

// countTask is the plant as a hw.Task: countFrames for one shard.
type countTask Plant

func (t *countTask) Do(shard int) {
	p, s := (*Plant)(t), &t.shards[shard]
	s.placed, s.met, s.harmed = 0, 0, s.harmed[:0]
	first, end := p.transmitters(shard)
	p.access.Placed(shard, first, end)
}

// Placed counts a frame that a transmitter of a shard has sent to a port, in the slot that has
// crossed: it is called by Access.Placed.
func (t *Plant) Placed(shard, transmitter, port int) {
	s, media := &t.shards[shard], t.media.Medium
	s.placed++
	if medium := media.Reached(transmitter, port); media.Met(medium) {
		s.met++
	} else if t.tap != nil {
		if effect, _ := t.faults.OnMedium(medium, t.seen.counted); effect != Unharmed {
			s.harmed = append(s.harmed, uint32(medium))
		}
	}
}

// Collisions implements Transport: a frame has met another one when its medium
// shows a code violation.
func (t *Plant) Collisions(shard int, _ uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
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
