package starloom

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim/lockstep"
	"starloom/fabric/crossbar/gossip"
	"starloom/firmware/wasm"
	"starloom/internal/maps"
	"starloom/nic"
	"starloom/traces/diff"
	"starloom/traces/pcapng"
	"starloom/traces/vcd"
)

// An unexpectedError is what no input may lead to.
type unexpectedError struct{ error }

func unexpected(err error) error { return unexpectedError{err} }

// refused is err if it is an error for users, about a place that begins with prefix, in one line.
func refused(prefix string, err error) error {
	var bad *InputError
	switch {
	case !errors.As(err, &bad):
		return unexpected(fmt.Errorf("%T: %w", err, err))
	case bad.Place == "", bad.Reason == "", bad.Remedy == "", !strings.HasPrefix(bad.Place, prefix), strings.Contains(err.Error(), "\n"):
		return unexpected(fmt.Errorf("an error without place, reason or remedy, or of more than one line: %#v", bad))
	}
	return err
}

func requireExpected(t *testing.T, err error) {
	if errors.As(err, new(unexpectedError)) {
		t.Fatal(err)
	}
}

// parser is a way in for what users give.
type parser struct {
	name  string
	count int // inputs under -full
	seeds [][]byte
	// mutate makes an input of one of the seeds.
	mutate func(m *mutator, seed int) []byte
	// open returns what parses an input, for one goroutine: nil if it is accepted, an
	// unexpectedError for what may not happen, else why it is refused.
	open func(t testing.TB) func(input []byte) error
}

// mutator draws changes. The same numbers give the same input.
type mutator struct {
	*rand.Rand
	seeds [][]byte
	words [][]byte // of all seeds
	split [][][]byte
}

var (
	wordPattern = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[ \t]+|(?s:.)`)
	edges       = []string{
		"0", "1", "-1", "2", "7", "8", "255", "256", "65535", "65536", "2147483647", "2147483648", "4294967294", "4294967295", "4294967296",
		"9223372036854775807", "18446744073709551615", "18446744073709551616", "1e9", "0x10", "08", "1.5", ".inf", "true", "null", "~", "''", "{}", "[]", "&a", "*a", "!!str", "<<", "\x00", "\xff", "\u00e9",
	}
)

func newMutator(seeds [][]byte) *mutator {
	m := &mutator{seeds: seeds}
	known := map[string]bool{}
	for _, seed := range seeds {
		words := wordPattern.FindAll(seed, -1)
		m.split = append(m.split, words)
		for _, word := range words {
			if !known[string(word)] {
				known[string(word)] = true
				m.words = append(m.words, word)
			}
		}
	}
	return m
}

// text changes some words or lines of a seed.
func (m *mutator) text(seed int) []byte {
	if m.IntN(4) == 0 {
		return m.lines(seed)
	}
	words := slices.Clone(m.split[seed])
	for n := 1 + m.IntN(3); n > 0 && len(words) > 0; n-- {
		at := m.IntN(len(words))
		end := min(at+1+m.IntN(4), len(words))
		switch m.IntN(8) {
		case 0, 1:
			words[at] = m.words[m.IntN(len(m.words))]
		case 2, 3:
			words[at] = []byte(edges[m.IntN(len(edges))])
		case 4:
			words = slices.Delete(words, at, end)
		case 5:
			words = slices.Insert(words, m.IntN(len(words)+1), words[at:end]...)
		case 6:
			words[at] = []byte{byte(m.Uint32())}
		case 7:
			if m.IntN(8) == 0 {
				words = words[:at]
			} else {
				other := m.IntN(len(words))
				words[at], words[other] = words[other], words[at]
			}
		}
	}
	return bytes.Join(words, nil)
}

// lines swaps, repeats or drops lines of a seed, or puts in those of another one.
func (m *mutator) lines(seed int) []byte {
	lines := bytes.SplitAfter(m.seeds[seed], []byte("\n"))
	for n := 1 + m.IntN(3); n > 0 && len(lines) > 0; n-- {
		at := m.IntN(len(lines))
		other := bytes.SplitAfter(m.seeds[m.IntN(len(m.seeds))], []byte("\n"))
		switch m.IntN(4) {
		case 0:
			lines[at] = other[m.IntN(len(other))]
		case 1:
			lines = slices.Insert(lines, at, other[m.IntN(len(other))])
		case 2:
			lines = slices.Delete(lines, at, at+1)
		case 3:
			to := m.IntN(len(lines))
			lines[at], lines[to] = lines[to], lines[at]
		}
	}
	return bytes.Join(lines, nil)
}

// bytes changes some bytes or words of data, in place.
func (m *mutator) bytes(data []byte) {
	for n := 1 + m.IntN(3); n > 0 && len(data) > 0; n-- {
		at := m.IntN(len(data))
		switch m.IntN(4) {
		case 0:
			data[at] ^= 1 << m.IntN(8)
		case 1:
			data[at] = []byte{0, 1, 0x40, 0x7F, 0x80, 0xFE, 0xFF}[m.IntN(7)]
		case 2:
			data[at] = byte(m.Uint32())
		case 3:
			if at &^= 3; at+4 <= len(data) {
				value := []uint32{0, 1, 2, 4, 8, 1 << 16, math.MaxInt32, 1 << 31, math.MaxUint32 - 7, math.MaxUint32, m.Uint32()}[m.IntN(11)]
				binary.LittleEndian.PutUint32(data[at:], value+[]uint32{0, 0, binary.LittleEndian.Uint32(data[at:])}[m.IntN(3)])
			}
		}
	}
}

// resize cuts a piece of data out, or puts one in, of a multiple of unit bytes.
func (m *mutator) resize(data []byte, unit int) []byte {
	at := m.IntN(len(data)/unit+1) * unit
	size := (1 + m.IntN(4)) * unit
	if m.IntN(2) == 0 {
		return slices.Delete(data, at, min(at+size, len(data)))
	}
	piece := make([]byte, size)
	if from := m.IntN(len(data) + 1); from+size <= len(data) {
		copy(piece, data[from:])
	}
	return slices.Insert(data, at, piece...)
}

// raw changes a seed as if it had no structure.
func (m *mutator) raw(seed int) []byte {
	data := slices.Clone(m.seeds[seed])
	m.bytes(data)
	switch m.IntN(4) {
	case 0:
		data = m.resize(data, 1)
	case 1:
		data = data[:m.IntN(len(data)+1)]
	}
	return data
}

// capture changes blocks of a packet capture, whose lengths stay right.
func (m *mutator) capture(seed int) []byte {
	if m.IntN(4) == 0 {
		return m.raw(seed)
	}
	var blocks [][]byte
	for rest := m.seeds[seed]; len(rest) >= 12; {
		size := binary.LittleEndian.Uint32(rest[4:])
		blocks = append(blocks, slices.Clone(rest[:size]))
		rest = rest[size:]
	}
	for n := 1 + m.IntN(2); n > 0 && len(blocks) > 0; n-- {
		at := m.IntN(len(blocks))
		switch m.IntN(5) {
		case 0:
			blocks = slices.Delete(blocks, at, at+1)
		case 1:
			blocks = slices.Insert(blocks, at, slices.Clone(blocks[m.IntN(len(blocks))]))
		default:
			body := blocks[at][8 : len(blocks[at])-4]
			m.bytes(body)
			if m.IntN(3) == 0 {
				body = m.resize(body, 4)
			}
			length := binary.LittleEndian.AppendUint32(nil, uint32(len(body)+12))
			blocks[at] = slices.Concat(blocks[at][:4], length, body, length)
		}
	}
	return bytes.Join(blocks, nil)
}

// image changes the inside of a section of an image, or of a function; lengths stay right.
func (m *mutator) image(seed int) []byte {
	if m.IntN(4) == 0 {
		return m.raw(seed)
	}
	data := m.seeds[seed]
	out := slices.Clone(data[:8])
	type part struct {
		id      byte
		content []byte
	}
	var parts []part
	for at := 8; at < len(data); {
		size, n := binary.Uvarint(data[at+1:])
		at += 1 + n
		parts = append(parts, part{data[at-1-n], slices.Clone(data[at : at+int(size)])})
		at += int(size)
	}
	chosen := &parts[m.IntN(len(parts))]
	if code := slices.IndexFunc(parts, func(p part) bool { return p.id == 10 }); code >= 0 && m.IntN(2) == 0 {
		chosen = &parts[code]
	}
	if chosen.id == 10 && m.IntN(8) > 0 {
		chosen.content = m.code(chosen.content)
	} else {
		m.bytes(chosen.content)
		if m.IntN(3) == 0 {
			chosen.content = m.resize(chosen.content, 1)
		}
	}
	for _, p := range parts {
		out = append(binary.AppendUvarint(append(out, p.id), uint64(len(p.content))), p.content...)
	}
	return out
}

// code changes one function of a code section.
func (m *mutator) code(content []byte) []byte {
	count, n := binary.Uvarint(content)
	out := slices.Clone(content[:n])
	chosen := m.IntN(int(count))
	for k, rest := 0, content[n:]; k < int(count); k++ {
		size, n := binary.Uvarint(rest)
		body := slices.Clone(rest[n : n+int(size)])
		if k == chosen {
			m.bytes(body)
			if m.IntN(2) == 0 {
				body = m.resize(body, 1)
			}
		}
		out = append(binary.AppendUvarint(out, uint64(len(body))), body...)
		rest = rest[n+int(size):]
	}
	return out
}

// state changes a saved state, whose checksum stays right most of the time.
func (m *mutator) state(seed int) []byte {
	data := slices.Clone(m.seeds[seed])
	switch m.IntN(4) { // the memory of the firmware is most of it
	case 0:
		data = m.raw(seed)
	case 1:
		m.bytes(data)
	case 2:
		m.bytes(data[:min(len(data), 4096)])
	case 3:
		m.bytes(data[max(0, len(data)-6144):])
	}
	if len(data) > 4 && m.IntN(8) > 0 {
		end := len(data) - 4
		binary.LittleEndian.PutUint32(data[end:], crc32.ChecksumIEEE(data[:end]))
	}
	return data
}

func filesOf(t testing.TB, bytesMax int, paths ...string) (all [][]byte) {
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(all, data[:min(len(data), bytesMax)])
	}
	return all
}

func texts(all ...string) (seeds [][]byte) {
	for _, text := range all {
		seeds = append(seeds, []byte(text))
	}
	return seeds
}

// parsers are all ways in, with ten million inputs together.
func parsers(t testing.TB) []parser {
	text, raw := (*mutator).text, (*mutator).raw
	return []parser{
		{"scenario", 1_000_000, append(scenarioSeeds(t), slices.Repeat(filesOf(t, math.MaxInt, goodScenarioFiles(t)...), 8)...), text, func(testing.TB) func([]byte) error { return tryScenario }},
		{"image", 800_000, imageSeeds(t), (*mutator).image, func(testing.TB) func([]byte) error { return tryImage }},
		{"ABI descriptor", 2_500_000, descriptorSeeds(t), raw, newTryDescriptor},
		{"VCD", 1_200_000, filesOf(t, 1024, "traces/vcd/testdata/icarus.vcd", "traces/vcd/testdata/verilator.vcd", "traces/vcd/testdata/ghdl.vcd", "traces/vcd/testdata/small.vcd"), text, func(testing.TB) func([]byte) error { return tryVCD }},
		{"pcapng", 1_500_000, captureSeeds(t), (*mutator).capture, func(testing.TB) func([]byte) error { return tryCapture }},
		{"pin map", 1_000_000, texts(pinMapSeeds()...), text, func(t testing.TB) func([]byte) error {
			path := filepath.Join(t.TempDir(), "m.yml")
			return func(data []byte) error { return tryPinMap(path, data) }
		}},
		{"maps of traces", 500_000, slices.Concat(filesOf(t, 4096, "examples/traces/pops-lanes.yml"),
			texts("signals: {a.**: b.$1}\na: {clock: tb.clk}\nb: {period: 10 ns}\nonly: [b.**]\nignore: ['**.debug_*']\nalign: tb.rst\noffset_cycles: 2\n")), text, func(testing.TB) func([]byte) error { return tryMaps }},
		{"permutation", 750_000, texts("0\n1\n2\n", "destination\n3\n0\n", "\ufeff1\n\n"), text, func(testing.TB) func([]byte) error {
			return func(data []byte) error {
				_, _, err := parsePermutation("p.csv", data)
				return given("p.csv", err)
			}
		}},
		{"orders", 600_000, texts("1,2\n0,2\n0,1\n", " 2, 1\n0,2\n1,\"0\"\n"), text, func(testing.TB) func([]byte) error {
			return func(data []byte) error {
				_, err := gossip.Parse("o.csv", data, 2)
				return given("o.csv", err)
			}
		}},
		{"stimulus", 100_000, texts("cycle,reset,push_i,data_i,pop_i\n0,1,0,0x1f,0\n5,0,1,0b11,1\n", "reset\n1\n"), text, newTryStimulus},
		{"input of a handler", 100_000, texts(`{"seed": 1, "slots": 1, "processor": 3, "steps": [{"state": "00ff", "frames": [{"port": 1, "kind": 0, "payload": "0011"}], "statuses": [{"port": 0, "status": 1}]}, {}]}`), text, newTryHandlerInput},
		{"saved state", 50_000, stateSeeds(t), (*mutator).state, newTryState},
	}
}

// given is refused, for what may be accepted.
func given(prefix string, err error) error {
	if err == nil {
		return nil
	}
	return refused(prefix, err)
}

// imageSeeds are small images: without debug information, but for one.
func imageSeeds(t testing.TB) (seeds [][]byte) {
	paths, err := filepath.Glob("firmware/images/*/*.wasm")
	require.NoError(t, err)
	for k, data := range filesOf(t, math.MaxInt, paths...) {
		if k == 0 {
			seeds = append(seeds, data)
		}
		small := slices.Clone(data[:8])
		for at := 8; at < len(data); {
			size, n := binary.Uvarint(data[at+1:])
			end := at + 1 + n + int(size)
			if data[at] != 0 {
				small = append(small, data[at:end]...)
			}
			at = end
		}
		seeds = append(seeds, small)
	}
	return seeds
}

// tryImage does all with an image that comes before it is compiled.
func tryImage(data []byte) error {
	c, err := wasm.Rewrite(data)
	if err != nil {
		return err
	}
	c.Places().Frames(0x20)
	unit, _ := wasm.Model("unit")
	if _, err = wasm.RewriteMetered(data, wasm.Meter{Costs: unit, Limit: 1000}); err != nil {
		return unexpected(fmt.Errorf("rewritten, but not with a meter: %w", err))
	}
	if _, err = wasm.Analyse(data, unit, nil); err != nil {
		return unexpected(fmt.Errorf("rewritten, but not analysed: %w", err))
	}
	return nil
}

// The bank of the descriptors.
const (
	descriptorAt    = 64
	descriptorBytes = 240
)

func descriptorBank() nic.BankConfig {
	return nic.BankConfig{
		First: 8, Cells: 4, Processors: 16, Shape: [nic.ShapeWords]uint32{4, 4}, Ports: 4,
		PayloadBytes: 12, RxFrames: 2, TxFrames: 3, Seed: 5,
	}
}

func descriptorSeeds(t testing.TB) [][]byte {
	memory, err := nic.PlaceBank(descriptorAt, descriptorBank(), 20, 3)
	require.NoError(t, err)
	return [][]byte{memory[descriptorAt : descriptorAt+descriptorBytes]}
}

// newTryDescriptor attaches banks, and uses those that can be.
func newTryDescriptor(t testing.TB) func([]byte) error {
	config := descriptorBank()
	fresh, err := nic.PlaceBank(descriptorAt, config, 20, 3)
	require.NoError(t, err)
	memory := slices.Clone(fresh)
	frame := make(nic.FrameView, nic.FrameStride(config.PayloadBytes))
	return func(data []byte) error {
		copy(memory, fresh)
		copy(memory[descriptorAt:], data[:min(len(data), descriptorBytes)])
		bank, err := nic.AttachBank(memory, descriptorAt, config)
		if err != nil {
			return err
		}
		copy(memory[descriptorAt:], data[:min(len(data), descriptorBytes)])
		for cell := range bank.Cells {
			if bank.Registers[cell].TxCount > 0 {
				if sent := bank.TxHead(cell); bank.Legal(cell, sent) {
					bank.PopTx(cell)
				} else if bank.Refusal(cell, sent) == "" {
					return unexpected(errors.New("illegal without a reason"))
				}
			}
			bank.PushRx(cell, 1, frame)
		}
		bank.Current()
		bank.ListAwake(make([]uint32, 0, bank.Cells), 0, bank.Cells, 3)
		bank.Listen(3)
		return nil
	}
}

// tryVCD reads a waveform to its end.
func tryVCD(data []byte) error {
	r, err := vcd.NewReader(bytes.NewReader(data), "t.vcd")
	if err != nil {
		return refused("t.vcd", err)
	}
	bits := 0
	for net := range r.Nets() {
		_, n := r.Net(vcd.NetID(net))
		bits += n
	}
	if bits > 1<<24 { // memory is what is declared
		return nil
	}
	if err := r.WatchAll(); err != nil {
		return unexpected(err)
	}
	for r.Next() {
		changed, err := r.Step()
		if err != nil {
			return refused("t.vcd", err)
		}
		for _, net := range changed {
			_ = r.Value(net).String()
		}
	}
	return given("t.vcd", r.Err())
}

func captureSeeds(t testing.TB) [][]byte {
	var b bytes.Buffer
	w, err := pcapng.NewWriter(&b, "a comment")
	require.NoError(t, err)
	id, err := w.Interface("pops.group[0]")
	require.NoError(t, err)
	frame := nic.Marshal(make([]byte, 20), nic.Header{Source: 7}, []byte{1, 2, 3, 4})
	for k := range uint32(3) {
		require.NoError(t, w.Packet(id, pcapng.Direction(k%2), uint8(k), k, uint64(k), frame))
	}
	require.NoError(t, w.Close())
	return append(filesOf(t, math.MaxInt, "traces/pcapng/testdata/small.pcapng"), b.Bytes())
}

// tryCapture reads a capture and what is in its packets.
func tryCapture(data []byte) error {
	r := pcapng.NewReader(bytes.NewReader(data), "c.pcapng")
	for {
		block, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refused("c.pcapng", err)
		}
		if header, err := pcapng.ParsePseudoHeader(block.Data); block.Kind == pcapng.BlockPacket && err == nil {
			_, _ = nic.Parse(header.Frame()) // frames with errors are in captures, too
		}
	}
}

func tryMaps(data []byte) error {
	_, err := maps.ParseDecode("m.yml", data)
	if other := maps.ParseDiff("m.yml", data, &diff.Options{}); other == nil || err == nil {
		return nil
	} else if errors.As(refused("m.yml", other), new(unexpectedError)) {
		return refused("m.yml", other)
	}
	return refused("m.yml", err)
}

// written returns what gives try the path of a file with the input.
func written(t testing.TB, name string, try func(path string) error) func([]byte) error {
	path := filepath.Join(t.TempDir(), name)
	return func(data []byte) error {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return unexpected(err)
		}
		return given(path, try(path))
	}
}

func newTryStimulus(t testing.TB) func([]byte) error {
	m, err := maps.ParsePin("m.yml", []byte("model: fifo\nparameters: {DEPTH: 4, WIDTH: 8, COUNT_BITS: 16}\ntop: fifo\nsources: [fifo.v]\n"), rtlLibrary())
	require.NoError(t, err)
	return written(t, "s.csv", func(path string) error {
		_, err := lockstep.ReadStimulus(m, path)
		return err
	})
}

func newTryHandlerInput(t testing.TB) func([]byte) error {
	s, err := ParseScenario("", []byte(small))
	require.NoError(t, err)
	return written(t, "input.json", func(path string) error {
		_, err := readFuzzInput(path, elaborated(t, s))
		return err
	})
}

// stateMachine is a small machine in the middle of a run.
func stateMachine(t testing.TB) *Machine {
	s, err := ParseScenario("", []byte(small))
	require.NoError(t, err)
	m, err := NewMachine(context.Background(), s, MachineOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func stateSeeds(t testing.TB) [][]byte {
	m := stateMachine(t)
	var b bytes.Buffer
	require.NoError(t, m.Save(&b))
	return [][]byte{b.Bytes()}
}

// newTryState restores states, and runs on from those that can be.
func newTryState(t testing.TB) func([]byte) error {
	m := stateMachine(t)
	return func(data []byte) error {
		err := m.Restore(bytes.NewReader(data))
		for slot := 0; slot < 3 && err == nil; slot++ {
			err = m.Step()
		}
		if err := m.Reset(1); err != nil {
			return unexpected(err)
		}
		return err
	}
}

// What an input may take, on a machine that has other things to do, too.
const (
	inputSecondsMax = 20
	inputBytesMax   = 512 << 20
	allocated       = "/gc/heap/allocs:bytes"
	heapBytes       = 512 << 20 // collected then
)

// TestTenMillionInputs gives changed seeds to everything that reads what users give. Nothing may
// panic, hang or take more memory than it may; what is refused is refused as it should. Images are
// parsed, not compiled. Each input follows from the parser and its number.
func TestTenMillionInputs(t *testing.T) {
	// Inputs leave little behind, but buffers are large.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(heapBytes))
	total, given := 0, 0
	for _, p := range parsers(t) {
		count := p.count
		if !*full {
			count = max(p.count/10_000, 50)
		}
		total += count
		t.Run(p.name, func(t *testing.T) {
			p.run(t, count)
			given += count
		})
	}
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	t.Logf("%d inputs, %d MiB of memory at most, %d s of the cores", given, memoryBytes()>>20, usage.Utime.Sec+usage.Stime.Sec)
	if *full {
		require.GreaterOrEqual(t, total, 10_000_000)
	}
	require.Less(t, memoryBytes(), uint64(2*heapBytes))
}

// memoryBytes is what Go has taken of the system.
func memoryBytes() uint64 { return metric("/memory/classes/total:bytes") }

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// run gives a parser so many inputs.
func (p *parser) run(t *testing.T, count int) {
	var next, accepted, largest atomic.Int64
	var kinds sync.Map // of refusals
	start := time.Now()
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		try := p.open(t)
		workers.Go(func() {
			m := newMutator(p.seeds)
			for !t.Failed() {
				n := next.Add(1) - 1
				if n >= int64(count) {
					return
				}
				input := p.input(m, n)
				hang := time.AfterFunc(inputSecondsMax*time.Second, func() { panic(fmt.Sprintf("%s: input %d hangs: %q", p.name, n, input)) })
				before := metric(allocated)
				err := p.attempt(try, input)
				took := int64(metric(allocated) - before) // by the other workers, too
				hang.Stop()
				for old := largest.Load(); took > old && !largest.CompareAndSwap(old, took); old = largest.Load() {
				}
				if took > inputBytesMax {
					t.Errorf("%s: input %d takes %d MiB: %q", p.name, n, took>>20, input)
				}
				switch {
				case err == nil:
					accepted.Add(1)
				case errors.As(err, new(unexpectedError)):
					t.Errorf("%s: input %d: %v: %q", p.name, n, err, input)
				default:
					kinds.LoadOrStore(kindOfRefusal(err), true)
				}
			}
		})
	}
	workers.Wait()
	refusals := 0
	kinds.Range(func(_, _ any) bool { refusals++; return true })
	t.Logf("%d inputs, %d accepted, %d kinds of refusals, %d MiB for one input at most, %.1f s", count, accepted.Load(), refusals, largest.Load()>>20, time.Since(start).Seconds())
	require.Positive(t, accepted.Load(), "changed so much that nothing is right")
	require.Positive(t, refusals)
}

// input makes input n.
func (p *parser) input(m *mutator, n int64) []byte {
	m.Rand = rand.New(rand.NewPCG(uint64(n), uint64(len(p.name))))
	return p.mutate(m, m.IntN(len(p.seeds)))
}

func (p *parser) attempt(try func([]byte) error, input []byte) (err error) {
	defer func() {
		if value := recover(); value != nil {
			stack := make([]byte, 4096)
			err = unexpected(fmt.Errorf("panic: %v\n%s", value, stack[:runtime.Stack(stack, false)]))
		}
	}()
	return try(slices.Clone(input))
}

var values = regexp.MustCompile(`"[^"]*"|[0-9]+|0x[0-9a-f]+`)

// kindOfRefusal is the reason of a refusal without places and values.
func kindOfRefusal(err error) string {
	var bad *InputError
	text := err.Error()
	if errors.As(err, &bad) {
		text = bad.Reason
	}
	return values.ReplaceAllString(text[:min(len(text), 60)], "_")
}

// TestKeysHaveOneLine: input 670204 of the pin maps, whose error had two lines.
func TestKeysHaveOneLine(t *testing.T) {
	_, err := maps.ParsePin("m.yml", []byte("model: lfsr\nties: {halt_i\n\n0}\n"), rtlLibrary())
	require.EqualError(t, err, "m.yml:2:8: the key \"halt_i\\n0\" of ties has control characters; write a name in one line as key")
	_, err = ParseScenario("s.yaml", []byte(small+"workload: {? \"a\\nb\" : 1}\n"))
	require.EqualError(t, err, "s.yaml:4:14: the key \"a\\nb\" of workload has control characters; write a name in one line as key")
}

// TestRestoreRefusesLaterDigest: input 6780 of the saved states, whose digest had slots that the
// machine had not come to.
func TestRestoreRefusesLaterDigest(t *testing.T) {
	const column = "machine.digest.next_slot"
	m, state := stateMachine(t), stateSeeds(t)[0]
	at := bytes.Index(state, []byte(column)) + len(column) + 1 + 8 // kind, elements
	for value, want := range map[uint64]string{1 << 48: "281474976710656 is after slot 1, which the digest may go on with", 0: ""} {
		binary.LittleEndian.PutUint64(state[at:], value)
		binary.LittleEndian.PutUint32(state[len(state)-4:], crc32.ChecksumIEEE(state[:len(state)-4]))
		err := m.Restore(bytes.NewReader(state))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
		require.NoError(t, m.Reset(1))
	}
}
