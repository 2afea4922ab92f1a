package ej

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"starloom/fabric"
	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

func (e Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	stride := nic.FrameStride(c.PayloadBytes)
	t := &slotTransport{
		net: e, torus: e.torus(), ports: e.ports(), half: e.Duplex != DuplexFull, stride: stride,
		payloadBytes: c.PayloadBytes,
		timing:       c.Timing, shards: c.Shards, work: make([]slotWork, len(c.Shards)),
		pool: chunks{bytes: min(max(chunkBytes/stride, chunkFramesMin), chunkFrames) * stride},
	}
	var err error
	if t.credits, err = flow.CreditsOf(e, c.Shards); err != nil {
		return nil, err
	}
	t.perShard = c.Shards[0].End // all shards except the last have equal size
	first := 0
	for _, s := range c.Shards {
		t.firstBin = append(t.firstBin, first)
		first += (s.End - s.First + binNodes - 1) / binNodes
	}
	for i := range t.bins {
		t.bins[i] = make([]bin, first)
	}
	return t, nil
}

const binNodes = fabric.BlockUnits

// slotTransport is the network in the slot engine. It has a list of frames for each slot and each few thousand nodes,
// so that work and memory grow with the traffic; idle links take no memory. Latency: one slot. Two frames on a
// half-duplex link in one slot are lost, and both ends get StatusCollision.
type slotTransport struct {
	net          Network
	torus        *eisenstein.Torus
	ports        int
	half         bool
	stride       int
	payloadBytes int
	timing       nic.Timing
	shards       []hw.Shard
	perShard     int
	firstBin     []int // first bin of each shard
	bins         [2][]bin
	work         []slotWork
	tables       sync.Pool
	pool         chunks
	credits      *flow.Credits // nil if no port ever waits
}

// bin holds the frames of a group of nodes in a slot, and the ports that send them.
type bin struct {
	lock   sync.Mutex
	chunks []*chunk
	frames int

	// indices of complete frames by node and port, computed on first use
	order  []uint32
	sorted bool
	met    []uint32 // ports, node*ports+port, at which frames of opposite directions collided

	sent []uint32 // sending ports, node*ports+port within the bin, for half-duplex links
}

type chunk struct {
	at     []uint32 // node within the bin * ports + port
	starts []uint16 // start of each frame in words of 8 bytes
	frames []byte
	used   int
}

// A chunk has about chunkBytes, so that a bin with few frames is small. It has room for at least chunkFramesMin of
// the largest frames, to limit the unused rest, and for at most chunkFrames.
const (
	chunkBytes     = 4 << 10
	chunkFramesMin = 8
	chunkFrames    = 1 << chunkBits
	chunkBits      = 7
)

// the starts of frames fit into 16 bits
const _ = math.MaxUint16 - uint(chunkFramesMin*(nic.PayloadBytesMax+16)/8)

type chunks struct {
	bytes int
	lock  sync.Mutex
	free  []*chunk
}

func (p *chunks) get() *chunk {
	p.lock.Lock()
	defer p.lock.Unlock()
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c
	}
	return &chunk{at: make([]uint32, 0, chunkFrames), starts: make([]uint16, 0, chunkFrames),
		frames: make([]byte, p.bytes)}
}

func (p *chunks) put(used []*chunk) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for _, c := range used {
		c.at, c.starts, c.used = c.at[:0], c.starts[:0], 0
		p.free = append(p.free, c)
	}
}

// portTable is a worker's buffer to order a bin: the frame index of each port, and a bit for each port with a frame.
type portTable struct {
	index []uint32
	taken []uint64
}

type slotWork struct {
	placed [2]uint64
}

func (t *slotTransport) place(node int) (bin, number int) {
	shard := node / t.perShard
	number = node - shard*t.perShard
	return t.firstBin[shard] + number/binNodes, number % binNodes
}

func (t *slotTransport) put(slot uint32, node, port int, frame nic.FrameView) {
	k, number := t.place(node)
	b := &t.bins[slot&1][k]
	b.lock.Lock()
	t.store(b, uint32(number*t.ports+port), frame)
	b.lock.Unlock()
}

func (t *slotTransport) store(b *bin, to uint32, frame nic.FrameView) {
	bytes := frame.Used()
	if last := len(b.chunks) - 1; last < 0 || !b.chunks[last].fits(bytes) {
		b.chunks = append(b.chunks, t.pool.get())
	}
	c := b.chunks[len(b.chunks)-1]
	c.at, c.starts = append(c.at, to), append(c.starts, uint16(c.used/8))
	frame.CopyTo(c.frames[c.used : c.used+bytes])
	c.used += bytes
	b.frames, b.sorted = b.frames+1, false
}

func (c *chunk) fits(bytes int) bool { return len(c.at) < chunkFrames && c.used+bytes <= len(c.frames) }

func (t *slotTransport) empty(b *bin) {
	t.pool.put(b.chunks)
	b.chunks, b.frames, b.sorted = b.chunks[:0], 0, false
}

func (b *bin) find(index uint32) (c *chunk, place uint32) {
	return b.chunks[index>>chunkBits], index & (chunkFrames - 1)
}

func (b *bin) at(index uint32) uint32 {
	c, place := b.find(index)
	return c.at[place]
}

func (t *slotTransport) frame(b *bin, index uint32) (at uint32, frame nic.FrameView) {
	c, place := b.find(index)
	start := int(c.starts[place]) * 8
	frame = c.frames[start:min(start+t.stride, c.used)]
	return c.at[place], frame[:frame.Used()]
}

// sort orders the frames of a bin and finds collisions. It enters the frame index of each port into a table, and sets
// a bit per entry. The sending order is lost, but a port gets only one frame in a slot.
func (t *slotTransport) sort(b *bin) {
	if b.sorted {
		return
	}
	b.sorted = true
	w, _ := t.tables.Get().(*portTable)
	if w == nil {
		w = &portTable{make([]uint32, binNodes*t.ports), make([]uint64, (binNodes*t.ports+63)/64)}
	}
	defer t.tables.Put(w)
	for k, c := range b.chunks {
		for i, at := range c.at {
			w.index[at] = uint32(k<<chunkBits + i)
			w.taken[at>>6] |= 1 << (at & 63)
		}
	}
	b.met = b.met[:0]
	if t.half {
		for _, sent := range b.sent {
			if w.taken[sent>>6]>>(sent&63)&1 != 0 {
				b.met = append(b.met, sent)
			}
		}
		slices.Sort(b.met)
	}
	b.order = slices.Grow(b.order[:0], b.frames)
	for k, word := range w.taken {
		for ; word != 0; word &= word - 1 {
			b.order = append(b.order, w.index[k<<6+bits.TrailingZeros64(word)])
		}
		w.taken[k] = 0
	}
}

func (t *slotTransport) own(shard int, slot uint32, yield func(b *bin, first int)) {
	s := t.shards[shard]
	for k, first := t.firstBin[shard], s.First; first < s.End; k, first = k+1, first+binNodes {
		yield(&t.bins[slot&1][k], first)
	}
}

// Still implements fabric.Stillness. It reports whether the nodes first to end-1 receive no frames.
func (t *slotTransport) Still(first, end int, slot uint32) bool {
	for node := first; node < end; node += binNodes {
		k, _ := t.place(node)
		if t.bins[slot&1][k].frames > 0 {
			return false
		}
	}
	return true
}

func (t *slotTransport) Begin(shard int, slot uint32, _ bool) {
	t.work[shard].placed[slot&1] = 0
	t.own(shard, slot, func(b *bin, _ int) { b.sent = b.sent[:0] })
}

func (t *slotTransport) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	window fabric.Window, cells []uint32) {
	w := &t.work[shard]
	var cell, node int
	if t.credits != nil {
		t.credits.Free(shard, bank, ledger, slot, window)
	}
	put := func(frame nic.FrameView) (taken bool) {
		frame.SetSource(uint32(node))
		if t.credits != nil {
			if t.credits.Blocks(node, frame.Port()) {
				ledger.NoteBlocked(bank, cell, frame, slot)
				return false
			}
			t.credits.Sent(node, frame.Port(), slot)
		}
		first, end := int(frame.Port()), int(frame.Port())+1
		if frame.Port() == nic.PortAll {
			first, end = 0, t.ports
		}
		for port := first; port < end; port++ {
			t.put(slot, t.torus.Neighbour(node, port/directions+1, port%directions), opposite(port), frame)
			if t.half {
				k, number := t.place(node)
				b := &t.bins[slot&1][k]
				b.sent = append(b.sent, uint32(number*t.ports+port))
			}
			w.placed[slot&1]++
		}
		ledger.NoteSent(node, frame, slot)
		return true
	}
	for _, c := range cells {
		if bank.Registers[c].TxCount == 0 {
			continue
		}
		cell, node = int(c), bank.First+int(c)
		if illegal := bank.SendAll(cell, put); illegal != nil {
			fabric.SilenceIllegal(bank, cell, illegal, ledger, slot)
		}
	}
}

func (t *slotTransport) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	bank.ForgetRx(window.First, window.End)
	for node, end := bank.First+window.First, bank.First+window.End; node < end; {
		k, number := t.place(node)
		b := &t.bins[slot&1][k]
		nodes := min(binNodes-number, end-node)
		if b.frames > 0 {
			t.sort(b)
			t.hear(shard, b, node-number, number, number+nodes, bank, ledger, slot)
			if number+nodes == binNodes || node+nodes == t.shards[shard].End {
				t.empty(b)
			}
		}
		node += nodes
	}
	ledger.Judge(slot)
}

func (t *slotTransport) hear(shard int, b *bin, first, from, to int, bank *nic.Bank,
	ledger *fabric.Ledger, slot uint32) {
	start, _ := slices.BinarySearchFunc(b.order, uint32(from*t.ports), func(index, at uint32) int {
		return cmp.Compare(b.at(index), at)
	})
	met, _ := slices.BinarySearch(b.met, uint32(from*t.ports))
	for _, index := range b.order[start:] {
		at, frame := t.frame(b, index)
		node, port := first+int(at)/t.ports, uint16(int(at)%t.ports)
		if node >= first+to {
			break
		}
		cell := node - bank.First
		collided := t.half && met < len(b.met) && b.met[met] == at
		if collided {
			met++
		}
		hears, effect := bank.Hears(cell, port, slot), fabric.Unharmed
		if hears {
			effect = ledger.Harm(bank, cell, port, slot, collided)
		}
		switch {
		case !hears:
		case effect != fabric.Unharmed:
			if !collided {
				ledger.Frames.NoteHarmed(effect, 1)
			}
		case collided:
			bank.SetRx(cell, port, nic.StatusCollision)
			ledger.NoteHeard(node, port, nic.StatusCollision, nil, slot)
		default:
			ledger.Frames.Heard++
			ledger.NoteHeard(node, port, bank.PushRx(cell, port, frame), frame, slot)
		}
		if t.credits != nil {
			t.credits.Heard(shard, bank, cell, port, ledger, slot)
		}
	}
}

// Start and Cross implement Transport. The frames are already in the bins.

func (t *slotTransport) Start()       {}
func (t *slotTransport) Cross(uint32) {}

func (t *slotTransport) Latch() {
	if t.credits != nil {
		t.credits.Latch(t.shards)
	}
}

// Collisions implements Transport. A link with senders at both ends shows the collision immediately, in both
// directions.
func (t *slotTransport) Collisions(shard int, slot uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	w := &t.work[shard]
	var links []int
	if t.half {
		t.own(shard, slot, func(b *bin, first int) {
			if b.frames == 0 || len(b.sent) == 0 {
				return
			}
			t.sort(b)
			met += uint64(len(b.met))
			for _, at := range b.met {
				if medium := first*t.ports + int(at); int(at)%directions < directions/2 {
					links = append(links, medium, medium+directions/2)
				}
			}
		})
	}
	if yield != nil {
		slices.Sort(links)
		for _, medium := range links {
			yield(medium, uint32(t.timing.ComputeCycles))
		}
	}
	return met, w.placed[slot&1] - met
}

func (t *slotTransport) Reset(uint64) {
	for i := range t.bins {
		for k := range t.bins[i] {
			b := &t.bins[i][k]
			t.empty(b)
			b.sent = b.sent[:0]
		}
	}
	for i := range t.work {
		t.work[i].placed = [2]uint64{}
	}
	if t.credits != nil {
		t.credits.Restart()
	}
}

func (t *slotTransport) Credits() *flow.Credits { return t.credits }

func (t *slotTransport) Path() string { return "fabric" }

// Timeless implements fabric.Timeless: credits depend on the slot.
func (t *slotTransport) Timeless() bool { return t.credits == nil }

func (t *slotTransport) saveCrossing(to []byte, slot uint32) []byte {
	le := binary.LittleEndian
	for shard := range t.work {
		to = le.AppendUint64(to, t.work[shard].placed[slot&1])
	}
	for k := range t.bins[slot&1] {
		b := &t.bins[slot&1][k]
		t.sort(b)
		to = le.AppendUint32(le.AppendUint32(to, uint32(len(b.order))), uint32(len(b.sent)))
		for _, index := range b.order {
			at, frame := t.frame(b, index)
			to = append(le.AppendUint32(to, at), frame...)
		}
		for _, port := range b.sent {
			to = le.AppendUint32(to, port)
		}
	}
	return to
}

func (t *slotTransport) returnCrossing(from []byte, slot uint32) []byte {
	le, frame := binary.LittleEndian, make(nic.FrameView, t.stride)
	for i := range t.bins {
		for k := range t.bins[i] {
			t.empty(&t.bins[i][k])
			t.bins[i][k].sent = t.bins[i][k].sent[:0]
		}
	}
	for shard := range t.work {
		t.work[shard].placed[slot&1] = le.Uint64(from)
		from = from[8:]
	}
	for k := range t.bins[slot&1] {
		b := &t.bins[slot&1][k]
		frames, sent := le.Uint32(from), le.Uint32(from[4:])
		from = from[8:]
		for range frames {
			at := le.Uint32(from)
			from = from[4:]
			from = from[frame.Return(from):]
			t.store(b, at, frame)
		}
		for range sent {
			b.sent = append(b.sent, le.Uint32(from))
			from = from[4:]
		}
	}
	return from
}

// State implements hw.Stateful. It saves frames in the order of nodes and ports, independently of the order of
// arrival.
func (t *slotTransport) State(v *hw.StateVisitor) {
	if t.credits != nil {
		t.credits.StateWhole(v)
	}
	if v.Snapshots() {
		v.Live(hw.Live{Save: t.saveCrossing, Return: t.returnCrossing})
		return
	}
	for i, name := range []string{"even", "odd"} {
		placed := make([]uint64, len(t.work))
		for shard := range t.work {
			placed[shard] = t.work[shard].placed[i]
		}
		hw.StateColumn(v, hw.Future, name+".placed", placed)
		var bins, at, sentBins, sent []uint32
		var frames []byte
		for k := range t.bins[i] {
			b := &t.bins[i][k]
			t.sort(b)
			for _, index := range b.order {
				to, frame := t.frame(b, index)
				bins, at, frames = append(bins, uint32(k)), append(at, to), append(frames, frame...)
				frames = append(frames, make([]byte, t.stride-len(frame))...)
			}
			for _, port := range b.sent {
				sentBins, sent = append(sentBins, uint32(k)), append(sent, port)
			}
		}
		last := hw.AtMost(uint32(len(t.bins[i]) - 1))
		lastPort := hw.AtMost(uint32(binNodes*t.ports - 1))
		var rows [2]int
		count := func(k int) func(int, uint32) error {
			return func(i int, _ uint32) error { rows[k] = i + 1; return nil }
		}
		var read [2][]uint32 // bins and ports of all frames
		keep := func(k int) func(int, uint32) error {
			return func(_ int, value uint32) error { read[k] = append(read[k], value); return nil }
		}
		hw.StateList(v, hw.Future, name+".bin", &bins, last, keep(0))
		hw.StateList(v, hw.Future, name+".at", &at, lastPort, keep(1))
		nic.StateFrames(v, name+".frames", &frames, t.stride, t.payloadBytes, t.net.nodes())
		hw.StateList(v, hw.Future, name+".sent.bin", &sentBins, last, count(0))
		hw.StateList(v, hw.Future, name+".sent.port", &sent, lastPort, count(1))
		v.Verify(func() error {
			if len(read[0]) != len(read[1]) || rows[0] != rows[1] {
				return fmt.Errorf("%s: %d bins of %d frames, %d bins of %d senders", name, len(read[0]),
					len(read[1]), rows[0], rows[1])
			}
			for n := 1; n < len(read[0]); n++ {
				if read[0][n] == read[0][n-1] && read[1][n] <= read[1][n-1] {
					return fmt.Errorf("%s: frame %d is not after frame %d in the order of ports", name, n, n-1)
				}
			}
			return nil
		})
		v.AfterRestore(func() {
			for k := range t.bins[i] {
				b := &t.bins[i][k]
				t.empty(b)
				b.sent = b.sent[:0]
			}
			for shard := range t.work {
				t.work[shard].placed[i] = placed[shard]
			}
			for n := range min(len(bins), len(at), len(frames)/t.stride) {
				t.store(&t.bins[i][bins[n]], at[n], frames[n*t.stride:(n+1)*t.stride])
			}
			for n := range min(len(sentBins), len(sent)) {
				b := &t.bins[i][sentBins[n]]
				b.sent = append(b.sent, sent[n])
			}
		})
	}
}
