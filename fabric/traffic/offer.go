package traffic

import "starloom/nic"

// Offer implements fabric.Offering: it takes back the words that firmware has cleared, and shows packets of those sources of the
// bank that wait.
func (r *Referee) Offer(shard int, bank *nic.Bank, _ uint32) {
	s := &r.sources[shard]
	if bank.Cells < s.end-s.first { // one of many banks
		for cell := range bank.Cells {
			if source := uint32(bank.First + cell); r.created[source] > r.next[source] {
				r.offerOne(bank, cell, shard, source)
			}
		}
		return
	}
	kept := s.waiting[:0]
	for _, source := range s.waiting {
		if r.offerOne(bank, int(source)-bank.First, shard, source) {
			kept = append(kept, source)
		}
	}
	s.waiting = kept
}

// offerOne is offer for a source that has created what was not taken, and reports whether that is still so.
func (r *Referee) offerOne(bank *nic.Bank, cell, shard int, source uint32) (waits bool) {
	if r.shown[source] != 0 {
		if bank.Schedule[cell] != 0 {
			return true
		}
		r.shown[source] = 0
		r.next[source]++
		r.due[source] = r.draws.Next(source, r.next[source], r.due[source])
	}
	if r.created[source] == r.next[source] {
		return false
	}
	if r.open != nil {
		if int(r.open[source]) >= r.spec.Closed {
			return true
		}
		r.open[source]++
	}
	number := r.next[source]
	destination, size := r.draws.Packet(source, number)
	r.shown[source] = 1
	r.flights[shard].add(source, flight{number: number, created: r.due[source], sent: never, destination: destination, size: size, expects: size})
	bank.SetScheduleWord(cell, word(destination, size, number))
	return true
}
