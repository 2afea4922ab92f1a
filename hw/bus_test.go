package hw

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// overlapping are buses of random transmitters, in random order.
func overlapping(random *rand.Rand, transmitters, buses int) (all [][]int) {
	for range buses {
		all = append(all, random.Perm(transmitters)[:2+random.IntN(transmitters-1)])
	}
	return all
}

func TestTaps(t *testing.T) {
	taps := NewTaps(4, [][]int{{3, 0}, {1, 3, 0}})
	require.Equal(t, [][]uint32{{0, 1}, {1}, nil, {0, 1}}, taps.Bus)
	require.Equal(t, [][]uint16{{1, 2}, {0}, nil, {0, 1}}, taps.Tap)
	require.Equal(t, 2, taps.Ports)
	require.Equal(t, 3, taps.Longest)
	require.True(t, taps.Reaches(3, 1, 1))
	require.False(t, taps.Reaches(3, 1, 0))
	require.False(t, taps.Reaches(2, 0, 0))
	require.False(t, taps.Reaches(1, PortNone, 1))
}

// busLamps is lamps at the taps of buses.
type busLamps struct {
	kernel *Kernel
	lamps  *lamps
	buses  *Buses
	asks   *Asks
	busy   *Signal
	index  *Signal
}

// wires drives asks and grants.
type wires struct{ b *busLamps }

func (wires) Path() string        { return "wires" }
func (wires) Reset()              {}
func (wires) State(*StateVisitor) {}
func (w wires) Drives() []Wire    { return []Wire{w.b.asks, w.b.busy, w.b.index} }
func (wires) Drive(Shard)         {}

// lineReader reads request lines like an arbiter.
type lineReader struct{ lines *Requests }

func (lineReader) Path() string        { return "arbiters" }
func (lineReader) Reset()              {}
func (lineReader) State(*StateVisitor) {}
func (r lineReader) Latches() []Wire   { return []Wire{r.lines} }
func (lineReader) Latch(Shard)         {}

func newBusLamps(t testing.TB, taps *Taps, bits int, arbitrated bool) *busLamps {
	shards := Shards(1, 1)
	workers := NewWorkers(1)
	t.Cleanup(workers.Close)
	n := len(taps.Bus)
	in, err := NewLight(Bank{Name: "net.nic", Part: "tx", Units: 1, PerUnit: n}, "light", bits, shards, nil)
	require.NoError(t, err)
	bank := Bank{Name: "net.bus", Units: 1, PerUnit: len(taps.Members)}
	out, err := NewLight(bank, "light", bits, shards, nil)
	require.NoError(t, err)
	b := &busLamps{kernel: NewKernel(workers, shards)}
	b.lamps = &lamps{light: in, ports: NewPortSelect(in.Bank(), "port"), rail1: make([]uint64, n), rail0: make([]uint64, n)}
	c := BusConfig{In: in, Out: out, Taps: taps, Ports: b.lamps.ports}
	b.kernel.Add(b.lamps)
	if arbitrated {
		c.Ports, c.Asks = nil, NewAsks(in.Bank(), "ask", 1)
		c.Request, err = NewRequests(bank, "request", taps.Longest, shards)
		require.NoError(t, err)
		c.Busy, err = NewSignal(bank, "busy", 1)
		require.NoError(t, err)
		c.Index, err = NewSignal(bank, "index", ArbiterIndexBits(taps.Longest))
		require.NoError(t, err)
		b.asks, b.busy, b.index = c.Asks, c.Busy, c.Index
		b.kernel.Add(wires{b}, lineReader{c.Request})
	}
	b.buses, err = NewBuses(c)
	require.NoError(t, err)
	b.kernel.Add(b.buses)
	require.NoError(t, b.kernel.Build())
	b.kernel.BeforeCycle0()
	return b
}

// light puts random light, mostly whole phits, on some transmitters.
func (b *busLamps) light(random *rand.Rand) {
	all := ^uint64(0) >> (64 - b.lamps.light.Bits())
	for i := range b.lamps.rail1 {
		b.lamps.rail1[i], b.lamps.rail0[i] = 0, 0
		if random.IntN(3) > 0 {
			b.lamps.rail1[i] = random.Uint64() & all
			b.lamps.rail0[i] = ^b.lamps.rail1[i] & all
		}
	}
}

// TestBusesAdd: without an arbiter a bus shows the light of all transmitters switched to it, and a violation where
// two differ.
func TestBusesAdd(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	taps := NewTaps(9, overlapping(random, 9, 6))
	b := newBusLamps(t, taps, 13, false)
	met := 0
	for range 400 {
		b.light(random)
		for i := range b.lamps.ports.Value {
			if b.lamps.ports.Value[i] = uint16(random.IntN(len(taps.Bus[i]) + 1)); int(b.lamps.ports.Value[i]) == len(
				taps.Bus[i]) {
				b.lamps.ports.Value[i] = PortNone
			}
		}
		b.buses.ClearSlot(0)
		b.kernel.DriveAndSettle()
		for bus, members := range taps.Members {
			var rail1, rail0 uint64
			for _, i := range members {
				if port := b.lamps.ports.Value[i]; port != PortNone && int(taps.Bus[i][port]) == bus {
					rail1, rail0 = rail1|b.lamps.rail1[i], rail0|b.lamps.rail0[i]
				}
			}
			require.Equal(t, rail1, b.buses.Out.Rail1[bus])
			require.Equal(t, rail0, b.buses.Out.Rail0[bus])
			require.Equal(t, rail1&rail0 != 0, b.buses.Met(bus))
			if b.buses.Met(bus) {
				require.Contains(t, b.buses.Violated(0), uint32(bus))
				met++
			}
		}
		state := saved(t, b.kernel)
		b.kernel.Latch()
		require.NoError(t, Restore(bytes.NewReader(state), b.kernel))
		require.Equal(t, state, saved(t, b.kernel))
		b.kernel.DriveAndSettle()
		b.kernel.Latch()
	}
	require.Greater(t, met, 100)
}

// TestBusesServe: with an arbiter a requester's line is high, and only the light of the granted tap passes.
func TestBusesServe(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	taps := NewTaps(8, overlapping(random, 8, 5))
	b := newBusLamps(t, taps, 7, true)
	served := 0
	for range 400 {
		b.light(random)
		b.asks.Clear(0)
		asked := map[Request]bool{}
		for i, buses := range taps.Bus {
			if len(buses) == 0 || b.lamps.rail1[i]|b.lamps.rail0[i] == 0 {
				continue
			}
			port := random.IntN(len(buses))
			b.asks.Raise(0, uint32(i), uint16(port), 0)
			asked[Request{buses[port], uint32(taps.Tap[i][port])}] = true
		}
		for bus, members := range taps.Members {
			b.busy.Value[bus], b.index.Value[bus] = uint64(random.IntN(3)&1), uint64(random.IntN(len(members)))
		}
		b.kernel.DriveAndSettle()
		lines := b.buses.Request.High(0, 0)
		require.Len(t, lines, len(asked))
		for _, line := range lines {
			require.True(t, asked[line])
		}
		told := map[int]uint16{}
		for bus, members := range taps.Members {
			var rail1, rail0 uint64
			if tap := b.index.Value[bus]; b.busy.Value[bus] != 0 && asked[Request{uint32(bus), uint32(tap)}] {
				i := members[tap]
				rail1, rail0 = b.lamps.rail1[i], b.lamps.rail0[i]
				told[i] = b.asks.To[i]
				served++
			}
			require.Equal(t, rail1, b.buses.Out.Rail1[bus])
			require.Equal(t, rail0, b.buses.Out.Rail0[bus])
		}
		for i, to := range b.buses.To().Value {
			if port, ok := told[i]; ok {
				require.Equal(t, port, to)
			} else {
				require.EqualValues(t, PortNone, to)
			}
		}
		b.kernel.Latch()
	}
	require.Greater(t, served, 100)
	require.Zero(t, testing.AllocsPerRun(50, func() {
		b.kernel.DriveAndSettle()
		b.kernel.Latch()
	}))
}

// TestBusesAreRefused: wiring that cannot be.
func TestBusesAreRefused(t *testing.T) {
	shards := Shards(2, 1)
	light := func(name string, units, perUnit, bits int) *Light {
		l, err := NewLight(Bank{Name: name, Units: units, PerUnit: perUnit}, "light", bits, shards[:units], nil)
		require.NoError(t, err)
		return l
	}
	taps := NewTaps(3, [][]int{{0, 1}, {2, 1, 0}})
	lines, err := NewRequests(Bank{Name: "bus", Units: 1, PerUnit: 2}, "request", 2, shards[:1])
	require.NoError(t, err)
	in := light("tx", 1, 3, 8)
	for says, c := range map[string]BusConfig{
		"8 bits in, 4 bits out":                                          {In: in, Out: light("bus", 1, 2, 4), Taps: taps},
		"transmitters in 2 units and":                                    {In: light("tx", 2, 3, 8), Out: light("bus", 1, 2, 8), Taps: taps},
		"taps of 3 transmitters on 2 buses, but the machine has 3 and 4": {In: in, Out: light("bus", 1, 4, 8), Taps: taps},
		"the request lines are of 2 arbiters and 2 requesters":           {In: in, Out: light("bus", 1, 2, 8), Taps: taps, Asks: NewAsks(in.Bank(), "ask", 1), Request: lines},
	} {
		_, err := NewBuses(c)
		require.ErrorContains(t, err, says)
	}
}
