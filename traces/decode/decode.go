// Package decode extracts phits from a waveform: the data of each interface in each cycle. It decodes wires and
// frames of bytes; nic.Decoder assembles Starloom's frames from the phits.
//
//	any VCD --> vcd.Sampler --> Reader: lanes of wires --put(lane, cycle, Phit)--> nic.Decoder
//	                            valid and data, or dual-rail light
//	                            bytes of a stream     --put(lane, cycle, Phit)--> Framer: frames of bytes
package decode

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"starloom/traces/input"
	"starloom/traces/vcd"
)

// Phit is the data of an interface in one cycle.
type Phit struct {
	Bits int // 1..64
	// Rail1 holds the bits that are one, Rail0 the bits that are zero. Without dual-rail light, Rail0 is the
	// complement of Rail1.
	Rail1, Rail0 uint64
	Dark         bool // no phit in this cycle
	First, Last  bool // first or last phit of a frame, if the interface marks them
	Unknown      bool // some bits are x or z
	Port         uint64
	Slot         uint32

	// valid bytes of a byte interface, which remain unchanged until the next cycle, and the flag for bad frames
	Octets []byte
	Bad    bool
}

// Lane names the VCD signals of one interface. Data, or Rail1 for dual-rail light, may be a pattern (see
// vcd.Pattern). The other names, and Name, refer to the pattern's stars by $1, $2 ...
//
//	valid, data  (ready, first, last)      a phit in every cycle with valid and ready
//	rail1, rail0                           a phit in every cycle with light
//	axi_stream                             prefix of tdata, tvalid, tready, tlast and tkeep
type Lane struct {
	Name  string // name of the interface, with ${port} for the value of Port
	Place string // place in the map, for errors

	Data, Valid, Ready, First, Last string
	Rail1, Rail0                    string
	Port                            string // port select of the transmitter, "" for none

	// Octets means that the interface carries any number of bytes per cycle, the lowest first, or the highest with
	// HighFirst. Keep has a bit for each valid byte, bit 0 for the lowest byte; Bad marks frames to discard.
	Octets    bool
	HighFirst bool
	Keep, Bad string
	AXIStream string
}

// Options describe the phits in a VCD.
type Options struct {
	// Sampling defines cycles by a clock or a period. With a clock, FirstCycle is the number of the first cycle.
	Sampling   vcd.Sampling
	FirstCycle uint64
	Lanes      []Lane
	// Slot is the signal with the slot number. Without this signal, a slot has SlotCycles cycles; without SlotCycles,
	// all cycles belong to slot 0.
	Slot       string
	SlotCycles uint64
}

// checkEvery is the number of instants between two checks of the context.
const checkEvery = 4096

// LaneID is the number of an interface. A Lane with a pattern can have several interfaces.
type LaneID int32

// Reader reads phits from a VCD in one pass. Memory grows only with the number of interfaces.
type Reader struct {
	// names of the interfaces, and the indices of their Lanes
	Names []string
	Rules []int

	// number of cycles; number of x and z bits on valid, ready or a rail, which count as dark
	Cycles  uint64
	Unknown uint64

	r     *vcd.Reader
	s     *vcd.Sampler
	o     Options
	lanes []laneWires
	slot  *vcd.Part
	users [][]LaneID // lanes by net
	busy  []LaneID   // lanes with a phit in the last cycle
	marks []bool     // lanes in the list of this cycle
}

type laneWires struct {
	data, valid, ready, first, last, rail1, rail0, port *vcd.Part
	keep, bad                                           *vcd.Part
	highFirst                                           bool
	octets                                              []byte // nil unless the interface carries bytes
	now                                                 Phit   // current phit, without Slot
	unknown                                             bool
}

// Open opens a VCD and finds the wires. The caller must close the Reader.
func Open(path string, o Options) (*Reader, error) {
	r, err := vcd.Open(path)
	if err != nil {
		return nil, err
	}
	d := &Reader{r: r, o: o}
	if err := d.prepare(); err != nil {
		_ = r.Close()
		return nil, err
	}
	return d, nil
}

// Name returns the name of the file.
func (d *Reader) Name() string { return d.r.Name() }

func (d *Reader) Close() error { return d.r.Close() }

// Truncated reports whether the file ended in the middle of a line.
func (d *Reader) Truncated() bool { return d.r.Truncated() }

func (d *Reader) prepare() error {
	if d.o.Sampling.Clock == "" && d.o.Sampling.Period.Count == 0 || d.o.Sampling.Clock != "" &&
		d.o.Sampling.Period.Count != 0 {
		return input.Mistake(d.r.Name(), "nothing defines the length of a cycle",
			"give either a clock or a period in the map; Starloom's own files have period: 1 ns")
	}
	index := d.r.Header().Index()
	for i := range d.o.Lanes {
		if err := d.addLanes(i, index); err != nil {
			return err
		}
	}
	if d.o.Slot != "" {
		s, _, ok := d.r.Header().Resolve(index, d.o.Slot)
		if !ok || s.Kind != vcd.KindBits || s.Bits > 64 {
			return d.r.MissingSignal("the slot", d.o.Slot)
		}
		d.slot = &s
	}
	d.marks = make([]bool, len(d.lanes))
	d.users = make([][]LaneID, d.r.Nets())
	var all []vcd.NetID
	for id := range d.lanes {
		for _, wire := range d.lanes[id].wires() {
			if wire == nil {
				continue
			}
			all = append(all, wire.Net)
			if users := &d.users[wire.Net]; len(*users) == 0 || (*users)[len(*users)-1] != LaneID(id) {
				*users = append(*users, LaneID(id))
			}
		}
	}
	if d.slot != nil {
		all = append(all, d.slot.Net)
	}
	unit := d.r.Header().Timescale
	if d.o.Sampling.Period.Count != 0 {
		unit = min(unit, d.o.Sampling.Period.Unit)
	}
	var err error
	d.s, err = vcd.NewSampler(d.r, d.o.Sampling, unit, all)
	return err
}

func (l *laneWires) wires() []*vcd.Part {
	return []*vcd.Part{l.data, l.valid, l.ready, l.first, l.last, l.rail1, l.rail0, l.port, l.keep, l.bad}
}

func (d *Reader) addLanes(rule int, index map[string]int) error {
	l := &d.o.Lanes[rule]
	fail := func(format string, arguments ...any) error {
		return input.Mistake(l.Place, fmt.Sprintf(format, arguments...), d.r.NamesRemedy())
	}
	key := l.key()
	if l.AXIStream == "" &&
		((l.Data == "") == (l.Rail1 == "") || (l.Data == "") != (l.Valid == "") || (l.Rail1 == "") != (l.Rail0 == "")) {
		return input.Mistake(l.Place, "an interface without its wires", "give valid and data, or rail1 and rail0")
	}
	pattern, err := vcd.CompilePattern(key)
	if err != nil {
		return fail("%v", err)
	}
	for _, text := range []string{l.Name, l.Valid, l.Ready, l.First, l.Last, l.Rail0, l.Port, l.Keep, l.Bad} {
		if err := pattern.CheckTemplate(text); err != nil {
			return fail("%v", err)
		}
	}
	found := false
	if !vcd.IsPattern(key) {
		found = true
		if err := d.addLane(rule, key, []string{key}, index, fail); err != nil {
			return err
		}
	} else {
		for i := range d.r.Header().Vars {
			path := d.r.Header().Vars[i].Path
			if parts := pattern.Match(path); parts != nil {
				found = true
				if err := d.addLane(rule, path, parts, index, fail); err != nil {
					return err
				}
			}
		}
	}
	if !found {
		return fail("no signal fits %s", key)
	}
	return nil
}

func (l *Lane) key() string {
	switch {
	case l.AXIStream != "":
		return l.AXIStream + axiData
	case l.Rail1 != "":
		return l.Rail1
	}
	return l.Data
}

const axiData = "tdata"

func (d *Reader) expanded(l *Lane, key string, parts []string, index map[string]int) Lane {
	one := *l
	for _, name := range []*string{&one.Rail0, &one.Valid, &one.Ready, &one.First, &one.Last,
		&one.Port, &one.Keep, &one.Bad} {
		*name = vcd.Expand(*name, parts)
	}
	switch {
	case l.AXIStream != "":
		stream := strings.TrimSuffix(key, axiData)
		one.Data, one.Valid, one.Last = key, stream+"tvalid", stream+"tlast"
		for name, to := range map[string]*string{"tready": &one.Ready, "tkeep": &one.Keep} {
			if _, _, there := d.r.Header().Resolve(index, stream+name); there && *to == "" {
				*to = stream + name
			}
		}
	case l.Rail1 != "":
		one.Rail1 = key
	default:
		one.Data = key
	}
	return one
}

func (d *Reader) addLane(rule int, key string, parts []string, index map[string]int,
	fail func(string, ...any) error) error {
	l := &d.o.Lanes[rule]
	one := d.expanded(l, key, parts, index)
	wires := laneWires{highFirst: l.HighFirst}
	for _, w := range []struct {
		to    **vcd.Part
		name  string
		bits  uint32 // 0 for any width
		field string
	}{
		{&wires.data, one.Data, 0, "data"}, {&wires.rail1, one.Rail1, 0, "rail1"},
		{&wires.rail0, one.Rail0, 0, "rail0"}, {&wires.valid, one.Valid, 1, "valid"},
		{&wires.ready, one.Ready, 1, "ready"}, {&wires.first, one.First, 1, "first"},
		{&wires.last, one.Last, 1, "last"}, {&wires.port, one.Port, 0, "port"},
		{&wires.keep, one.Keep, 0, "keep"}, {&wires.bad, one.Bad, 1, "bad"},
	} {
		if w.name == "" {
			continue
		}
		s, _, ok := d.r.Header().Resolve(index, w.name)
		if !ok {
			return fail("%s: there is no signal %s", w.field, w.name)
		}
		wide := l.Octets && (w.field == "data" || w.field == "keep")
		if s.Kind != vcd.KindBits || s.Bits > 64 && !wide || w.bits != 0 && s.Bits != w.bits {
			return fail("%s: %s has %s, expected %s", w.field, w.name, s.Shape(),
				map[bool]string{true: "1 to 64 bits", false: "1 bit"}[w.bits == 0])
		}
		*w.to = &s
	}
	if l.Octets {
		switch {
		case wires.data.Bits%8 != 0:
			return fail("data: %s has %s, not whole bytes", wires.data.Name, wires.data.Shape())
		case wires.keep != nil && wires.keep.Bits != wires.data.Bits/8:
			return fail("keep: %s has %s; expected one for each of %d bytes", wires.keep.Name,
				wires.keep.Shape(), wires.data.Bits/8)
		}
		wires.octets = make([]byte, 0, wires.data.Bits/8)
	}
	if wires.rail1 != nil && wires.rail1.Bits != wires.rail0.Bits {
		return fail("%s has %d bits, but %s has %d", wires.rail1.Name, wires.rail1.Bits, wires.rail0.Name, wires.rail0.Bits)
	}
	d.Names = append(d.Names, vcd.Expand(l.Name, parts))
	d.Rules = append(d.Rules, rule)
	d.lanes = append(d.lanes, wires)
	return nil
}

// Run reads the whole file. It calls put for every phit, and for the first dark cycle after a phit, cycle by cycle in
// the order of interfaces. A last time stamp without changes marks the end of the file; it is not a cycle.
func (d *Reader) Run(ctx context.Context, put func(id LaneID, cycle uint64, p Phit)) error {
	for count := 0; ; count++ {
		if count%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := d.s.Load(); err != nil {
			return err
		}
		if !d.s.Loaded {
			return nil
		}
		// Without changes, light stays the same.
		if d.s.Committed {
			for cycle := d.s.At + 1; cycle < d.s.Instant && len(d.busy) > 0; cycle++ {
				if cycle%checkEvery == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				d.cycle(cycle, nil, put)
			}
		}
		if d.o.Sampling.Clock == "" && d.s.Unchanged() && !d.r.Next() {
			d.Cycles = uint64(d.s.Instant) + d.o.FirstCycle
			return d.r.Err()
		}
		d.cycle(d.s.Instant, d.s.Commit(), put)
	}
}

// cycle passes the phits of one cycle to put, for lanes with a phit in the previous cycle and lanes with changed
// wires.
func (d *Reader) cycle(instant int64, changed []vcd.NetID, put func(LaneID, uint64, Phit)) {
	number := uint64(instant) + d.o.FirstCycle
	d.Cycles = number + 1
	lanes := d.busy
	for _, id := range lanes {
		d.marks[id] = true
	}
	for _, net := range changed {
		for _, id := range d.users[net] {
			d.lanes[id].read(d.s)
			if !d.marks[id] {
				d.marks[id] = true
				lanes = append(lanes, id)
			}
		}
	}
	slices.Sort(lanes)
	slotNumber := d.slotOf(number)
	kept := lanes[:0]
	for _, id := range lanes {
		d.marks[id] = false
		l := &d.lanes[id]
		p := l.now
		p.Slot = slotNumber
		if l.unknown {
			d.Unknown++
		}
		put(id, number, p)
		if !p.Dark {
			kept = append(kept, id)
		}
	}
	d.busy = kept
}

func (d *Reader) slotOf(cycle uint64) uint32 {
	switch {
	case d.slot != nil:
		number, _ := value(d.s, d.slot)
		return uint32(number)
	case d.o.SlotCycles != 0:
		return uint32(cycle / d.o.SlotCycles)
	}
	return 0
}

func (l *laneWires) read(s *vcd.Sampler) {
	l.now, l.unknown = Phit{}, false
	if l.rail1 != nil {
		l.light(s)
	} else {
		l.handshake(s)
	}
	if l.port != nil {
		l.now.Port, _ = value(s, l.port)
	}
}

// An unknown rail counts as dark.
func (l *laneWires) light(s *vcd.Sampler) {
	rail1, unknown1 := value(s, l.rail1)
	rail0, unknown0 := value(s, l.rail0)
	l.unknown = unknown1|unknown0 != 0
	l.now.Bits = int(l.rail1.Bits)
	l.now.Rail1, l.now.Rail0 = rail1&^unknown1, rail0&^unknown0
	l.now.Dark = l.now.Rail1|l.now.Rail0 == 0
}

// valid and ready must be 1; x and z do not count as 1.
func (l *laneWires) handshake(s *vcd.Sampler) {
	is := func(wire *vcd.Part, missing bool) bool {
		if wire == nil {
			return missing
		}
		bits, unknown := value(s, wire)
		l.unknown = l.unknown || unknown != 0
		return bits == 1 && unknown == 0
	}
	l.now.Bits = int(l.data.Bits)
	valid := is(l.valid, true)
	l.now.Dark = !(is(l.ready, true) && valid)
	if l.now.Dark {
		return
	}
	l.unknown = false // recorded in the phit
	if l.octets != nil {
		l.carried(s)
	} else {
		bits, unknown := value(s, l.data)
		l.now.Rail1, l.now.Unknown = bits&^unknown, unknown != 0
		l.now.Rail0 = ^l.now.Rail1 & (^uint64(0) >> (64 - l.data.Bits))
	}
	l.now.First, l.now.Last, l.now.Bad = is(l.first, false), is(l.last, false), is(l.bad, false)
	l.now.Unknown = l.now.Unknown || l.unknown
	l.unknown = false
}

func (l *laneWires) carried(s *vcd.Sampler) {
	l.octets = l.octets[:0]
	count := l.data.Bits / 8
	for i := range count {
		at := i
		if l.highFirst {
			at = count - 1 - i
		}
		if l.keep != nil {
			keep, unknown := s.Bits(l.keep.Net, l.keep.Low+at, 1)
			l.now.Unknown = l.now.Unknown || unknown != 0
			if keep == 0 || unknown != 0 {
				continue
			}
		}
		octet, unknown := s.Bits(l.data.Net, l.data.Low+8*at, 8)
		l.now.Unknown = l.now.Unknown || unknown != 0
		l.octets = append(l.octets, byte(octet&^unknown))
	}
	l.now.Octets = l.octets
}

func value(s *vcd.Sampler, p *vcd.Part) (value, unknown uint64) {
	return s.Bits(p.Net, p.Low, p.Bits)
}

// PortName inserts a port number into an interface's name.
func PortName(name string, port uint64) string {
	return strings.ReplaceAll(name, "${port}", strconv.FormatUint(port, 10))
}
