package hw

import "fmt"

// Requests is a bank of request lines, one from every requester to each arbiter. Lists of high lines limit the work
// per cycle to the requests.
//
// A Requests is stateless: in every cycle, the driver's shards call Clear, then Raise at most once per line, in the
// driver's phase.
type Requests struct {
	bank       Bank
	path       string
	requesters int

	high   [][]Request // [driver*len(shards)+reader]
	shards int
	owner  []uint16 // by arbiter: shard of the arbiter
}

// Request is a high request line.
type Request struct{ Arbiter, Requester uint32 }

// NewRequests returns a bank of low lines. bank names the arbiters, and name the lines of an arbiter. requesters is
// 1..RequestersMax. shards are the machine's shards and cover bank.Units.
func NewRequests(bank Bank, name string, requesters int, shards []Shard) (*Requests, error) {
	if err := bank.Check(); err != nil {
		return nil, err
	}
	path := Join(bank.Path(), name)
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if requesters < 1 || requesters > RequestersMax {
		return nil, fmt.Errorf("%s: %d requesters; allowed: 1 to %d", path, requesters, RequestersMax)
	}
	if err := CheckShards(shards, bank.Units); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	owner := make([]uint16, bank.Size())
	for _, s := range shards {
		first, end := bank.Cells(s)
		for i := first; i < end; i++ {
			owner[i] = uint16(s.Index)
		}
	}
	return &Requests{
		bank: bank, path: path, requesters: requesters,
		high: make([][]Request, len(shards)*len(shards)), shards: len(shards), owner: owner,
	}, nil
}

func (r *Requests) Path() string { return r.path }

// Requesters returns the number of lines per arbiter.
func (r *Requests) Requesters() int { return r.requesters }

// Owner returns the shard that reads the lines of an arbiter.
func (r *Requests) Owner(arbiter uint32) int { return int(r.owner[arbiter]) }

// Clear lowers the lines that the driver's shard raised in the previous cycle.
func (r *Requests) Clear(driver int) {
	for reader := range r.shards {
		list := &r.high[driver*r.shards+reader]
		*list = (*list)[:0]
	}
}

// Raise raises a line. driver is the caller's shard.
func (r *Requests) Raise(driver int, arbiter, requester uint32) {
	list := &r.high[driver*r.shards+r.Owner(arbiter)]
	*list = append(*list, Request{arbiter, requester})
}

// High returns the high lines from the driver's shard to the reader's shard, in order.
func (r *Requests) High(driver, reader int) []Request { return r.high[driver*r.shards+reader] }

// all returns the high lines of the reader's shard. It merges the lines of several drivers in scratch.
func (r *Requests) all(reader int, scratch *[]Request) []Request {
	if r.shards == 1 {
		return r.high[0]
	}
	*scratch = (*scratch)[:0]
	for driver := range r.shards {
		*scratch = append(*scratch, r.High(driver, reader)...)
	}
	return *scratch
}

// Of returns the request lines of an arbiter; bit r belongs to requester r.
func (r *Requests) Of(arbiter int) Line { return Line{r, "", arbiter, r.requesters} }

// Port returns the request lines of an arbiter as a port; bit r belongs to requester r.
func (r *Requests) Port(name string) Port {
	return Port{
		Name: name, Bits: r.requesters, Input: true,
		From:  func(arbiter int) Expression { return Carried(r.Of(arbiter)) },
		Lines: func(arbiter int) []Line { return []Line{r.Of(arbiter)} },
		Get: GetPins(func(arbiter int, to Pins) {
			to.Clear()
			reader := r.Owner(uint32(arbiter))
			for driver := range r.shards {
				for _, q := range r.High(driver, reader) {
					if q.Arbiter == uint32(arbiter) {
						to.SetBits(int(q.Requester), 1, 1)
					}
				}
			}
		}),
		Put: PutPins(func(arbiter int, from Pins) error {
			from.Ones(func(bit int) { r.Raise(r.Owner(uint32(arbiter)), uint32(arbiter), uint32(bit)) })
			return nil
		}),
	}
}
