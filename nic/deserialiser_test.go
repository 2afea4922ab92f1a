package nic

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/hw"
)

// link is serialisers -> couplers -> fibre -> deserialisers, wired as a
// POPS(d,g): the smallest machine in which every bank does its work.
type link struct {
	d, g     int
	timing   Timing
	kernel   *hw.Kernel
	workers  *hw.Workers
	tx       *Serialisers
	couplers *hw.StarCouplers
	fibre    *hw.Fibre
	rx       *Deserialisers
}

type linkConfig struct {
	d, g, phitBits, payloadBytes, compute, propagation, guard int
	workers, unitsPerShard                                    int
	// order of components and shards, nil for the plain one
	shuffle *rand.Rand
}

func newLink(t testing.TB, c linkConfig) *link {
	t.Helper()
	timing, err := NewTiming(c.phitBits, c.payloadBytes, c.compute, c.propagation, c.guard)
	require.NoError(t, err)
	l := &link{d: c.d, g: c.g, timing: timing, workers: hw.NewWorkers(max(1, c.workers))}
	t.Cleanup(l.workers.Close)
	shards := hw.Shards(c.g, max(1, c.unitsPerShard))
	if c.shuffle != nil {
		c.shuffle.Shuffle(len(shards), func(i, j int) { shards[i], shards[j] = shards[j], shards[i] })
	}
	l.kernel = hw.NewKernel(l.workers, shards)
	clock := l.kernel.Clock()
	bank := func(name string, perUnit int) hw.Bank {
		return hw.Bank{Unit: "pops.group", Name: name, Units: c.g, PerUnit: perUnit}
	}

	l.tx, err = NewSerialisers(SerialiserConfig{
		Bank: bank("transmitter", c.d), Clock: clock, Shards: shards,
		PhitBits: c.phitBits, FrameBytesMax: FrameBytes(c.payloadBytes), ComputeCycles: c.compute,
	})
	require.NoError(t, err)
	base := make([]uint32, c.d*c.g)
	for i := range base {
		base[i] = uint32(i / c.d * c.g)
	}
	near, err := hw.NewLight(bank("coupler", c.g), "light", c.phitBits, shards, nil)
	require.NoError(t, err)
	l.couplers, err = hw.NewStarCouplers(l.tx.Light(), l.tx.Ports(), near, base, c.g)
	require.NoError(t, err)
	hears := hw.Gather{Inputs: c.g}
	for to := range c.g {
		for from := range c.g {
			hears.Wires = append(hears.Wires, uint32(from*c.g+to))
		}
	}
	heardBy, err := hears.Readers(c.g * c.g)
	require.NoError(t, err)
	far, err := hw.NewLight(bank("fibre", c.g), "light", c.phitBits, shards, heardBy)
	require.NoError(t, err)
	l.fibre, err = hw.NewFibre("pops.group.fibre", clock, near, far, c.propagation)
	require.NoError(t, err)
	l.rx, err = NewDeserialisers(DeserialiserConfig{
		Bank: bank("receiver", c.d), Clock: clock, Shards: shards,
		PhitBits: c.phitBits, FrameBytesMax: FrameBytes(c.payloadBytes), In: far, Hears: hears,
	})
	require.NoError(t, err)

	components := []hw.Component{l.tx, l.couplers, l.fibre, l.rx}
	if c.shuffle != nil {
		c.shuffle.Shuffle(len(components), func(i, j int) { components[i], components[j] = components[j], components[i] })
	}
	l.kernel.Add(components...)
	require.NoError(t, l.kernel.Build())
	l.start()
	return l
}

// start goes into the boundary of slot 0, the last cycle of reset.
func (l *link) start() {
	l.kernel.BeforeCycle0()
	l.boundary()
}

// boundary is the last cycle of a slot up to where inputs are given.
func (l *link) boundary() {
	l.kernel.DriveAndSettle()
	for shard := range l.kernel.Shards() {
		l.rx.EndSlot(shard)
	}
}

func (l *link) cycle() {
	l.kernel.DriveAndSettle()
	l.kernel.Latch()
}

// hear makes a cell listen to a group from the next slot on.
func (l *link) hear(cell, fromGroup int) { l.rx.Listen(cell, uint32(fromGroup)) }

// endSlot ends the last cycle of a slot, in which inputs have been given.
func (l *link) endSlot() {
	for shard := range l.kernel.Shards() {
		l.couplers.ClearSlot(shard)
	}
	l.kernel.Latch()
}

func makeFrame(r *rand.Rand, source, payloadBytes int) Frame {
	payload := make([]byte, payloadBytes)
	for i := range payload {
		payload[i] = byte(r.Uint32())
	}
	return Marshal(make([]byte, FrameBytes(payloadBytes)), Header{
		Kind: Kind(r.IntN(KindCount)), Flags: uint8(r.Uint32()), Source: uint32(source),
		Destination: r.Uint32(), Tag: uint16(r.Uint32()),
	}, payload)
}

// TestLinkTiming sends frames of every length over every phit width and delay, and checks that each
// is complete exactly after the Latch of the cycle that Timing gives for the arrival of its last
// phit.
func TestLinkTiming(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	for phitBits := 1; phitBits <= PhitBitsMax; phitBits++ {
		propagation, payload := r.IntN(6), r.IntN(12)
		c := linkConfig{
			d: 2, g: 3, phitBits: phitBits, payloadBytes: 11,
			compute: r.IntN(4), propagation: propagation, guard: 1 + r.IntN(3), unitsPerShard: 1 + r.IntN(3),
		}
		l := newLink(t, c)
		for slot := range uint32(2) {
			frame := makeFrame(r, 3, payload)
			longest := makeFrame(r, 0, 11)
			l.tx.Load(3, frame, 2) // group 1 to group 2
			l.tx.Load(0, longest, 0)
			l.hear(4, 1)
			l.hear(5, 1)
			l.hear(1, 0)
			l.endSlot()
			whole := l.timing.FirstPhitCycle(slot) + uint64(Phits(len(frame), phitBits)-1+propagation)
			for {
				now := l.kernel.Cycle()
				l.kernel.DriveAndSettle()
				text := fmt.Sprintf("seed %d, %+v, slot %d, cycle %d", seed, c, slot, now)
				for _, cell := range []int{4, 5} {
					require.Equal(t, now > whole, l.rx.Status(cell) == StatusOK, text)
				}
				require.Equal(t, now > l.timing.LastPhitCycle(slot), l.rx.Status(1) == StatusOK, text)
				if now == l.timing.BoundaryCycle(slot) {
					l.boundary()
					break
				}
				l.kernel.Latch()
			}
			require.Equal(t, frame, l.rx.Frame(4))
			require.Equal(t, frame, l.rx.Frame(5))
			require.Equal(t, longest, l.rx.Frame(1))
			require.Equal(t, StatusIdle, l.rx.Status(0))
			require.Empty(t, l.tx.shards[0].active)
			require.EqualValues(t, 7, l.fibre.QuietFor(7))
		}
	}
}

// runSlot accepts the loaded frames and runs up to the boundary in the slot's last cycle.
func (l *link) runSlot(slot uint32) {
	l.endSlot()
	l.runOn(slot)
}

// runOn runs up to the boundary in the slot's last cycle.
func (l *link) runOn(slot uint32) {
	for l.kernel.Cycle() < l.timing.BoundaryCycle(slot) {
		l.cycle()
	}
	l.boundary()
}

func TestLinkCollision(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for phitBits := 1; phitBits <= PhitBitsMax; phitBits += 7 {
		for propagation := range 6 {
			l := newLink(t, linkConfig{d: 3, g: 2, phitBits: phitBits, payloadBytes: 8, propagation: propagation,
				guard: 1, unitsPerShard: 1})
			payload := make([]byte, 8)
			// The frames differ in nothing but their source.
			for cell := range 2 {
				l.tx.Load(cell, Marshal(make([]byte, 24), Header{Source: uint32(cell)}, payload), 1)
			}
			own := makeFrame(r, 2, 3)
			l.tx.Load(2, own, 0)
			for cell := 3; cell < 6; cell++ {
				l.hear(cell, 0)
			}
			l.hear(0, 0)
			l.runSlot(0)
			for cell := 3; cell < 6; cell++ {
				require.Equal(t, StatusCollision, l.rx.Status(cell))
			}
			require.Equal(t, StatusOK, l.rx.Status(0))
			require.Equal(t, own, l.rx.Frame(0))
			require.Equal(t, []uint8{0, 1, 0, 0}, l.couplers.Violation)
			require.Equal(t, []uint32{1}, l.couplers.Violated(0))
			l.endSlot()
			require.Equal(t, []uint8{0, 0, 0, 0}, l.couplers.Violation)
			require.Equal(t, StatusIdle, l.rx.Status(3))
		}
	}
}

func TestLinkPortAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	l := newLink(t, linkConfig{d: 2, g: 4, phitBits: 13, payloadBytes: 5, propagation: 2, guard: 1, unitsPerShard: 2})
	frame := makeFrame(r, 5, 5)
	for slot := range uint32(3) {
		l.tx.Load(5, frame, hw.PortAll)
		l.tx.Load(0, frame, hw.PortNone)
		for cell := range 8 {
			l.hear(cell, 2)
		}
		l.runSlot(slot)
		for cell := range 8 {
			require.Equal(t, StatusOK, l.rx.Status(cell))
			require.Equal(t, frame, l.rx.Frame(cell))
		}
	}
}

func TestLinkDamagedFrames(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	good := makeFrame(r, 1, 6)
	change := func(edit func(f []byte) []byte) []byte { return edit(bytes.Clone(good)) }
	cases := map[string][]byte{
		"crc":          change(func(f []byte) []byte { f[len(f)-1] ^= 1; return f }),
		"payload":      change(func(f []byte) []byte { f[HeaderBytes] ^= 0x80; return f }),
		"cut short":    good[:len(good)-1],
		"only start":   good[:2],
		"trailing":     append(bytes.Clone(good), 0),
		"length small": change(func(f []byte) []byte { f[3]--; return f }),
		"length large": change(func(f []byte) []byte { f[3]++; return f }),
		"length huge":  change(func(f []byte) []byte { f[2] = 0xFF; return f }),
		"version": change(func(f []byte) []byte {
			f[0] = 0x20
			crc := Checksum(f[:len(f)-2])
			f[len(f)-2], f[len(f)-1] = byte(crc>>8), byte(crc)
			return f
		}),
		"kind": change(func(f []byte) []byte {
			f[0] = Version<<4 | KindCount
			crc := Checksum(f[:len(f)-2])
			f[len(f)-2], f[len(f)-1] = byte(crc>>8), byte(crc)
			return f
		}),
	}
	for name, frame := range cases {
		for phitBits := 1; phitBits <= PhitBitsMax; phitBits++ {
			l := newLink(t, linkConfig{d: 2, g: 1, phitBits: phitBits, payloadBytes: 9, propagation: 1, guard: 2})
			l.tx.Load(0, frame, 0)
			l.hear(1, 0)
			l.runSlot(0)
			require.Equal(t, StatusCRC, l.rx.Status(1), "%s, phit of %d bits", name, phitBits)
			// And the next frame is heard as if nothing had been.
			l.tx.Load(0, good, 0)
			l.runSlot(1)
			require.Equal(t, StatusOK, l.rx.Status(1), "%s, phit of %d bits", name, phitBits)
			require.Equal(t, Frame(good), l.rx.Frame(1))
		}
	}
}

// TestReceiverGap darkens a phit in the middle, which no transmitter does.
func TestReceiverGap(t *testing.T) {
	l := newLink(t, linkConfig{d: 2, g: 1, phitBits: 8, payloadBytes: 0, guard: 1})
	l.tx.Load(0, makeFrame(rand.New(rand.NewPCG(5, 0)), 0, 0), 0)
	l.hear(1, 0)
	l.endSlot()
	for range 5 {
		l.cycle()
	}
	l.kernel.DriveAndSettle()
	l.rx.in.Clear(0)
	l.kernel.Latch()
	l.runOn(0)
	assert.Equal(t, StatusCRC, l.rx.Status(1))
}

// TestReceiverEndsTheSlot: light in the last cycle of a slot counts for no slot, and only
// there a receiver is switched.
func TestReceiverEndsTheSlot(t *testing.T) {
	l := newLink(t, linkConfig{d: 2, g: 1, phitBits: 8, payloadBytes: 0, guard: 1})
	frame := makeFrame(rand.New(rand.NewPCG(6, 0)), 0, 0)
	l.tx.Load(0, frame, 0)
	l.hear(1, 0)
	l.endSlot()
	assert.PanicsWithError(t, "pops.group[0].receiver[1]: cycle 0: switched in the middle of a slot", func() { l.rx.Listen(1, NoInput) })
	l.runOn(0)
	l.rx.Listen(1, NoInput)
	l.rx.in.Put(0, 0, 1, 1)
	require.Equal(t, frame, l.rx.Frame(1))
	l.endSlot()
	assert.Equal(t, StatusIdle, l.rx.Status(1))
	assert.Empty(t, l.rx.heard[0])
	assert.Equal(t, NoInput, l.rx.port[1])
}

// script plays random traffic and returns a log of everything that can be seen.
// at(cycle) is called before every cycle and may replace the link.
func script(t *testing.T, l *link, seed uint64, from, slots uint32, at func(*link) *link) []byte {
	t.Helper()
	var log bytes.Buffer
	for slot := from; slot < slots; slot++ {
		// One stream per slot, so that a test can start in the middle.
		r := rand.New(rand.NewPCG(seed, uint64(slot)))
		for cell := range l.d * l.g {
			port := uint16(r.IntN(l.g))
			if r.IntN(10) == 0 {
				port = hw.PortAll
			}
			frame := makeFrame(r, cell, r.IntN(9))
			if r.IntN(3) == 0 {
				l.tx.Load(cell, frame, port)
			}
			switch from := r.IntN(2 * l.g); {
			case from < l.g:
				l.hear(cell, from)
			case from == l.g:
				l.rx.Listen(cell, NoInput)
			}
		}
		l.endSlot()
		for {
			if at != nil {
				l = at(l)
			}
			l.kernel.DriveAndSettle()
			l.kernel.Probes(func(p hw.Probe) { fmt.Fprintf(&log, "%x ", p.Value()) })
			log.WriteByte('\n')
			if l.kernel.Cycle() == l.timing.BoundaryCycle(slot) {
				l.boundary()
				break
			}
			l.kernel.Latch()
		}
		for cell := range l.d * l.g {
			status := l.rx.Status(cell)
			fmt.Fprint(&log, slot, cell, status)
			if status == StatusOK {
				fmt.Fprintf(&log, "%x", []byte(l.rx.Frame(cell)))
			}
		}
	}
	require.NoError(t, hw.Save(&log, l.kernel))
	return log.Bytes()
}

func TestLinkAnyShardsOrderAndWorkers(t *testing.T) {
	const seed = 6
	shuffle := rand.New(rand.NewPCG(seed, 99))
	for _, propagation := range []int{0, 3} {
		c := linkConfig{d: 3, g: 5, phitBits: 11, payloadBytes: 8, compute: 2, propagation: propagation, guard: 1,
			workers: 1, unitsPerShard: 5}
		want := script(t, newLink(t, c), seed, 0, 3, nil)
		for _, c.workers = range []int{1, 2} {
			for _, c.unitsPerShard = range []int{1, 2, 5} {
				c.shuffle = nil
				require.True(t, bytes.Equal(want, script(t, newLink(t, c), seed, 0, 3, nil)), "%+v", c)
				c.shuffle = shuffle
				require.True(t, bytes.Equal(want, script(t, newLink(t, c), seed, 0, 3, nil)), "%+v shuffled", c)
			}
		}
	}
}

// TestLinkSaveRestore saves in every cycle of a slot, restores into a new machine
// with other shards and runs on.
func TestLinkSaveRestore(t *testing.T) {
	const seed = 7
	c := linkConfig{d: 2, g: 3, phitBits: 17, payloadBytes: 8, compute: 1, propagation: 4, guard: 1,
		workers: 1, unitsPerShard: 3}
	want := script(t, newLink(t, c), seed, 0, 3, nil)
	other := c
	other.unitsPerShard, other.workers = 1, 2
	slotCycles := uint64(newLink(t, c).timing.SlotCycles())
	for offset := range slotCycles {
		got := script(t, newLink(t, c), seed, 0, 3, func(l *link) *link {
			if l.kernel.Cycle() != slotCycles+offset {
				return l
			}
			var saved bytes.Buffer
			require.NoError(t, hw.Save(&saved, l.kernel))
			again := newLink(t, other)
			// A machine in the middle of something else must forget it.
			again.tx.Load(1, makeFrame(rand.New(rand.NewPCG(8, 0)), 1, 4), 1)
			again.hear(3, 0)
			again.endSlot()
			for range 5 {
				again.cycle()
			}
			require.NoError(t, hw.Restore(&saved, again.kernel))
			require.Zero(t, saved.Len())
			return again
		})
		require.True(t, bytes.Equal(want, got), "saved in cycle %d of the slot", offset)
	}
}

func TestLinkResetInFlight(t *testing.T) {
	const seed = 9
	c := linkConfig{d: 2, g: 3, phitBits: 17, payloadBytes: 8, compute: 1, propagation: 4, guard: 1, unitsPerShard: 2}
	want := script(t, newLink(t, c), seed, 0, 2, nil)
	for cycles := range newLink(t, c).timing.SlotCycles() {
		l := newLink(t, c)
		for cell := range 6 {
			l.tx.Load(cell, makeFrame(rand.New(rand.NewPCG(seed, 1)), cell, 8), 1)
			l.hear(cell, cell/2)
		}
		if cycles > 0 { // else with inputs that were not taken
			l.endSlot()
		}
		for range cycles {
			l.cycle()
		}
		l.kernel.Reset()
		l.start()
		require.True(t, bytes.Equal(want, script(t, l, seed, 0, 2, nil)), "reset after %d cycles", cycles)
	}
}

func TestLinkAllocatesNothing(t *testing.T) {
	for _, workers := range []int{1, 2} {
		l := newLink(t, linkConfig{d: 4, g: 4, phitBits: 32, payloadBytes: 8, propagation: 2, guard: 1,
			workers: workers, unitsPerShard: 1})
		frame := makeFrame(rand.New(rand.NewPCG(10, 0)), 0, 8)
		slot := uint32(0)
		play := func() {
			for cell := range 16 {
				l.tx.Load(cell, frame, uint16((cell+int(slot))%4))
				l.hear(cell, (cell+1+int(slot))%4)
			}
			l.runSlot(slot)
			slot++
		}
		for range 20 {
			play()
		}
		assert.Zero(t, testing.AllocsPerRun(20, play), "%d workers", workers)
	}
}

// TestLinkSkip skips all cycles that the kernel reports as quiet: visible signals do not change in
// them, and the state is the same as after stepping.
func TestLinkSkip(t *testing.T) {
	for propagation := range 4 {
		c := linkConfig{d: 2, g: 2, phitBits: 16, payloadBytes: 4, compute: 50, propagation: propagation,
			guard: 20, unitsPerShard: 1}
		stepped, skipped := newLink(t, c), newLink(t, c)
		shown := func(l *link) (values []uint64) {
			l.kernel.Probes(func(p hw.Probe) { values = append(values, p.Value()) })
			return values
		}
		for slot := range uint32(4) {
			r := rand.New(rand.NewPCG(12, uint64(slot)))
			short, long := makeFrame(r, 1, 1), makeFrame(r, 3, 4)
			for _, l := range []*link{stepped, skipped} {
				if slot != 2 { // a dark one
					l.tx.Load(1, short, 1)
					l.tx.Load(3, long, 0)
				}
				l.hear(2, 0)
				l.hear(0, 1)
				require.Zero(t, l.kernel.QuietFor(100), "the slot ends")
				l.endSlot()
			}
			boundary, executed := stepped.timing.BoundaryCycle(slot), 0
			for skipped.kernel.Cycle() < boundary {
				quiet := skipped.kernel.QuietFor(boundary - skipped.kernel.Cycle())
				if quiet == 0 {
					skipped.cycle()
					stepped.cycle()
					executed++
					continue
				}
				before := shown(stepped)
				for range quiet {
					stepped.kernel.DriveAndSettle()
					require.Equal(t, before, shown(stepped), "cycle %d, quiet for %d", stepped.kernel.Cycle(), quiet)
					stepped.kernel.Latch()
				}
				skipped.kernel.Skip(quiet)
				var a, b bytes.Buffer
				require.NoError(t, hw.Save(&a, stepped.kernel))
				require.NoError(t, hw.Save(&b, skipped.kernel))
				require.Equal(t, a.Bytes(), b.Bytes())
			}
			busy := Phits(len(long), c.phitBits) + propagation + 1 // the last one darkens the wires
			if slot == 2 {
				busy = 0
			}
			require.Equal(t, busy, executed, "slot %d, propagation %d", slot, propagation)
			for _, l := range []*link{stepped, skipped} {
				l.boundary()
				if slot != 2 {
					require.Equal(t, short, l.rx.Frame(2))
					require.Equal(t, long, l.rx.Frame(0))
				}
			}
		}
		skipped.tx.Load(1, makeFrame(rand.New(rand.NewPCG(12, 9)), 1, 4), 1)
		skipped.endSlot()
		require.Empty(t, skipped.rx.heard[1])
		skipped.kernel.Skip(100)
		assert.Panics(t, skipped.kernel.DriveAndSettle, "over the middle of a frame")
	}
}

func TestLinkProbes(t *testing.T) {
	l := newLink(t, linkConfig{d: 2, g: 2, phitBits: 16, payloadBytes: 4, compute: 0, propagation: 1, guard: 1})
	l.tx.Load(3, makeFrame(rand.New(rand.NewPCG(13, 0)), 3, 4), 0)
	l.hear(0, 1)
	l.endSlot()
	probes := map[string]hw.Probe{}
	l.kernel.Probes(func(p hw.Probe) {
		require.NoError(t, hw.CheckPath(p.Path))
		require.NotContains(t, probes, p.Path)
		probes[p.Path] = p
	})
	value := func(path string) uint64 {
		require.Contains(t, probes, path)
		p := probes[path]
		return p.Value()
	}
	l.cycle()
	l.kernel.DriveAndSettle()
	assert.EqualValues(t, 0, value("pops.group[1].transmitter[1].port"))
	assert.EqualValues(t, 20, value("pops.group[1].transmitter[1].length"))
	assert.NotZero(t, value("pops.group[1].coupler[0].light.rail0"))
	assert.NotZero(t, value("pops.group[1].fibre[0].light.rail0"))
	l.kernel.Latch()
	state := probes["pops.group[0].receiver[0].state"]
	assert.Equal(t, "receiving", state.States[state.Value()])
	assert.EqualValues(t, 16, value("pops.group[0].receiver[0].bits"))
}

func TestListen(t *testing.T) {
	l := newLink(t, linkConfig{d: 9, g: 2, phitBits: 8, payloadBytes: 0, guard: 1})
	r := rand.New(rand.NewPCG(11, 0))
	for range 2000 {
		cell := r.IntN(18)
		switch from := r.IntN(5); {
		case from < 2:
			l.hear(cell, from)
		case from == 2:
			l.rx.Listen(cell, NoInput)
		default:
			first := cell / l.d * l.d // of the unit
			l.rx.ListenEach(int(l.rx.owner[cell]), first, []uint32{0, uint32(cell - first)}, []uint32{NoInput, uint32(from - 3)})
		}
		if r.IntN(4) > 0 {
			continue
		}
		l.endSlot()
		// The lists, built when light arrives, agree with the column and contain each cell once.
		for i, s := range l.kernel.Shards() {
			if !l.rx.listed[i] {
				l.rx.list(s)
			}
		}
		want := map[int][]int{}
		for cell := range 18 {
			if port := l.rx.port[cell]; port != NoInput {
				coupler := int(port)*l.g + cell/l.d
				want[coupler] = append(want[coupler], cell)
			}
		}
		for coupler, head := range l.rx.head {
			var got []int
			for cell := head; cell != noOne; cell = l.rx.next[cell] {
				got = append(got, int(cell))
			}
			require.ElementsMatch(t, want[coupler], got)
		}
		l.boundary()
	}
	l.start()
	assert.PanicsWithError(t, "pops.group[0].receiver[0]: last cycle of reset: switched to port 2 of 2", func() { l.rx.Listen(0, 2) })
	assert.Panics(t, func() { l.rx.Listen(0, hw.PortAll) })
	assert.PanicsWithError(t, "pops.group.receiver: last cycle of reset: switched to port 2 of 2",
		func() { l.rx.ListenEach(0, 0, []uint32{0, 1}, []uint32{0, 2}) })
}

func TestDeserialisersRefuseBrokenState(t *testing.T) {
	l := newLink(t, linkConfig{d: 1, g: 2, phitBits: 8, payloadBytes: 0, guard: 1})
	for _, breakIt := range []func(){
		func() { l.rx.port[0] = 2 },
		func() { l.rx.port[0] = hw.PortAll },
		func() { l.rx.state[0] = receiverStates },
		func() { l.rx.bits[0] = 1 << 20 },
		func() { l.tx.length[0] = 999 },
		func() { l.couplers.Violation[0] = 2 },
	} {
		l.kernel.Reset()
		breakIt()
		var saved bytes.Buffer
		require.NoError(t, hw.Save(&saved, l.kernel))
		l.kernel.Reset()
		assert.Error(t, hw.Restore(&saved, l.kernel))
	}
}

func TestDeserialiserConfigRefused(t *testing.T) {
	shards := hw.Shards(2, 1)
	hears, heardBy := hw.Gather{Inputs: 2, Wires: []uint32{0, 2, 1, 3}}, []uint32{0, 1, 0, 1}
	bank := func(name string, perUnit int) hw.Bank {
		return hw.Bank{Unit: "pops.group", Name: name, Units: 2, PerUnit: perUnit}
	}
	in, err := hw.NewLight(bank("fibre", 2), "light", 8, shards, heardBy)
	require.NoError(t, err)
	good := DeserialiserConfig{
		Bank: bank("receiver", 3), Clock: new(hw.Clock), Shards: shards,
		PhitBits: 8, FrameBytesMax: 20, In: in, Hears: hears,
	}
	_, err = NewDeserialisers(good)
	require.NoError(t, err)
	unrouted, err := hw.NewLight(bank("fibre", 2), "light", 8, shards, nil)
	require.NoError(t, err)
	for name, edit := range map[string]func(c *DeserialiserConfig){
		"no cells":     func(c *DeserialiserConfig) { c.Bank.PerUnit = 0 },
		"name":         func(c *DeserialiserConfig) { c.Bank.Name = "a b" },
		"phit":         func(c *DeserialiserConfig) { c.PhitBits = 0 },
		"other phit":   func(c *DeserialiserConfig) { c.PhitBits = 9 },
		"frame short":  func(c *DeserialiserConfig) { c.FrameBytesMax = FrameBytesMin - 1 },
		"frame long":   func(c *DeserialiserConfig) { c.FrameBytesMax = 1 << 20 },
		"shards":       func(c *DeserialiserConfig) { c.Shards = hw.Shards(2, 2) },
		"few hear":     func(c *DeserialiserConfig) { c.Hears.Wires = hears.Wires[:3] },
		"other hear":   func(c *DeserialiserConfig) { c.Hears.Wires = []uint32{0, 1, 2, 3} },
		"unknown wire": func(c *DeserialiserConfig) { c.Hears.Wires = []uint32{0, 2, 1, 4} },
		"other units":  func(c *DeserialiserConfig) { c.Hears.Inputs = 4 },
		"unrouted":     func(c *DeserialiserConfig) { c.In = unrouted },
	} {
		c := good
		edit(&c)
		_, err := NewDeserialisers(c)
		assert.Error(t, err, name)
	}
}
