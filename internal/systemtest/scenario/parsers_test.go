package scenario

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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim/lockstep"
	"starloom/fabric/crossbar/gossip"
	"starloom/firmware/check"
	"starloom/firmware/wasm"
	"starloom/internal/inside"
	"starloom/internal/maps"
	"starloom/internal/systemtest"
	"starloom/nic"
	"starloom/traces/diff"
	"starloom/traces/input/strict"
	"starloom/traces/pcapng"
	"starloom/traces/vcd"
)

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
	text, raw := (*mutator).Text, (*mutator).Raw
	return []parser{
		{"scenario", 1_000_000, append(scenarioSeeds(t), slices.Repeat(filesOf(t, math.MaxInt, goodScenarioFiles(t)...), 8)...), text,
			func(testing.TB) func([]byte) error { return tryScenario }},
		{"image", 800_000, imageSeeds(t), (*mutator).Image, func(testing.TB) func([]byte) error { return tryImage }},
		{"ABI descriptor", 2_500_000, descriptorSeeds(t), raw, newTryDescriptor},
		{"VCD", 1_200_000, filesOf(t, 1024, "traces/vcd/testdata/icarus.vcd", "traces/vcd/testdata/verilator.vcd",
			"traces/vcd/testdata/ghdl.vcd", "traces/vcd/testdata/small.vcd"), text, func(testing.TB) func([]byte) error { return tryVCD }},
		{"pcapng", 1_500_000, captureSeeds(t), (*mutator).Capture, func(testing.TB) func([]byte) error { return tryCapture }},
		{"pin map", 1_000_000, texts(systemtest.PinMapSeeds()...), text, func(t testing.TB) func([]byte) error {
			path := filepath.Join(t.TempDir(), "m.yml")
			return func(data []byte) error { return systemtest.TryPinMap(path, data) }
		}},
		{"maps of traces", 500_000, slices.Concat(filesOf(t, 4096, "examples/traces/pops-lanes.yml"),
			texts("signals: {a.**: b.$1}\na: {clock: tb.clk}\nb: {period: 10 ns}\nonly: [b.**]\nignore: ['**.debug_*']\nalign: tb.rst\noffset_cycles: 2\n")), text, func(testing.TB) func([]byte) error { return tryMaps }},
		{"permutation", 750_000, texts("0\n1\n2\n", "destination\n3\n0\n", "\ufeff1\n\n"), text, func(testing.TB) func([]byte) error {
			return func(data []byte) error {
				_, _, err := strict.Permutation("p.csv", data)
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
		{"saved state", 50_000, stateSeeds(t), (*mutator).State, newTryState},
	}
}

// given is refused, for what may be accepted.
func given(prefix string, err error) error {
	if err == nil {
		return nil
	}
	return systemtest.Refused(prefix, err)
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
		return systemtest.Unexpected(fmt.Errorf("rewritten, but not with a meter: %w", err))
	}
	if _, err = wasm.Analyse(data, unit, nil); err != nil {
		return systemtest.Unexpected(fmt.Errorf("rewritten, but not analysed: %w", err))
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
		Sizes: nic.Sizes{PayloadBytes: 12, RxFrames: 2, TxFrames: 3}, Seed: 5,
	}
}

func descriptorSeeds(t testing.TB) [][]byte {
	memory, err := nic.PlaceBank(descriptorAt, descriptorBank(), 20, 3)
	require.NoError(t, err)
	return [][]byte{memory[descriptorAt : descriptorAt+descriptorBytes]}
}

// newTryDescriptor attaches banks and uses the valid ones.
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
					return systemtest.Unexpected(errors.New("illegal without a reason"))
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
		return systemtest.Refused("t.vcd", err)
	}
	bits := 0
	for net := range r.Nets() {
		_, n := r.Net(vcd.NetID(net))
		bits += n
	}
	if bits > 1<<24 { // memory grows with the declarations
		return nil
	}
	if err := r.WatchAll(); err != nil {
		return systemtest.Unexpected(err)
	}
	for r.Next() {
		changed, err := r.Step()
		if err != nil {
			return systemtest.Refused("t.vcd", err)
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
		require.NoError(t,
			w.Packet(id, &pcapng.Header{Direction: pcapng.Direction(k % 2), Status: uint8(k % 16), Slot: k,
				Cycle: uint64(k)}, frame))
	}
	require.NoError(t, w.Close())
	return append(filesOf(t, math.MaxInt, "traces/pcapng/testdata/small.pcapng"), b.Bytes())
}

// tryCapture reads a capture and the contents of its packets.
func tryCapture(data []byte) error {
	r := pcapng.NewReader(bytes.NewReader(data), "c.pcapng")
	for {
		block, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return systemtest.Refused("c.pcapng", err)
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
	} else if errors.As(systemtest.Refused("m.yml", other), new(systemtest.UnexpectedError)) {
		return systemtest.Refused("m.yml", other)
	}
	return systemtest.Refused("m.yml", err)
}

// written returns what gives try the path of a file with the input.
func written(t testing.TB, name string, try func(path string) error) func([]byte) error {
	path := filepath.Join(t.TempDir(), name)
	return func(data []byte) error {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return systemtest.Unexpected(err)
		}
		return given(path, try(path))
	}
}

func newTryStimulus(t testing.TB) func([]byte) error {
	m, err := maps.ParsePin("m.yml", []byte("model: fifo\nparameters: {DEPTH: 4, WIDTH: 8, COUNT_BITS: 16}\ntop: fifo\nsources: [fifo.v]\n"), inside.Library())
	require.NoError(t, err)
	return written(t, "s.csv", func(path string) error {
		_, err := lockstep.ReadStimulus(m, path)
		return err
	})
}

func newTryHandlerInput(t testing.TB) func([]byte) error {
	s, err := starloom.ParseScenario("", []byte(systemtest.Small))
	require.NoError(t, err)
	return written(t, "input.json", func(path string) error {
		_, err := check.ReadInput(path, systemtest.Elaborated(t, s))
		return err
	})
}

// stateMachine is a small machine in the middle of a run.
func stateMachine(t testing.TB) *starloom.Machine {
	s, err := starloom.ParseScenario("", []byte(systemtest.Small))
	require.NoError(t, err)
	m, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{})
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

// newTryState restores states and continues from the valid ones.
func newTryState(t testing.TB) func([]byte) error {
	m := stateMachine(t)
	return func(data []byte) error {
		err := m.Restore(bytes.NewReader(data))
		for slot := 0; slot < 3 && err == nil; slot++ {
			err = m.Step()
		}
		if err := m.Reset(1); err != nil {
			return systemtest.Unexpected(err)
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

// TestTenMillionInputs gives changed seeds to every parser of users' input. No input may cause a panic, a hang or
// more memory than allowed; refusals must have the proper form. Images are parsed, not compiled. Each input follows
// from the parser and its number.
func TestTenMillionInputs(t *testing.T) {
	// Inputs leave little memory in use, but buffers are large.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(heapBytes))
	debug.FreeOSMemory() // what tests before have left
	total, given := 0, 0
	for _, p := range parsers(t) {
		count := p.count
		if !*systemtest.Full {
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
	if *systemtest.Full {
		require.GreaterOrEqual(t, total, 10_000_000)
	}
	require.Less(t, memoryBytes(), uint64(2*heapBytes))
}

// memoryBytes is what Go has of the system, without what it has given back.
func memoryBytes() uint64 {
	return metric("/memory/classes/total:bytes") - metric("/memory/classes/heap/released:bytes")
}

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
				case errors.As(err, new(systemtest.UnexpectedError)):
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
	t.Logf("%d inputs, %d accepted, %d kinds of refusals, %d MiB for one input at most, %.1f s", count, accepted.Load(), refusals,
		largest.Load()>>20, time.Since(start).Seconds())
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
			err = systemtest.Unexpected(fmt.Errorf("panic: %v\n%s", value, stack[:runtime.Stack(stack, false)]))
		}
	}()
	return try(slices.Clone(input))
}

var values = regexp.MustCompile(`"[^"]*"|[0-9]+|0x[0-9a-f]+`)

// kindOfRefusal is the reason of a refusal without places and values.
func kindOfRefusal(err error) string {
	var bad *starloom.InputError
	text := err.Error()
	if errors.As(err, &bad) {
		text = bad.Reason
	}
	return values.ReplaceAllString(text[:min(len(text), 60)], "_")
}

// TestKeysHaveOneLine: input 670204 of the pin maps, whose error had two lines.
func TestKeysHaveOneLine(t *testing.T) {
	_, err := maps.ParsePin("m.yml", []byte("model: lfsr\nties: {halt_i\n\n0}\n"), inside.Library())
	require.EqualError(t, err, "m.yml:2:8: the key \"halt_i...\" of ties has control characters; write the key as a "+
		"name on one line")
	_, err = starloom.ParseScenario("s.yaml", []byte(systemtest.Small+"workload: {? \"a\\nb\" : 1}\n"))
	require.EqualError(t, err, "s.yaml:4:14: the key \"a...\" of workload has control characters; write the key as a "+
		"name on one line")
}

// TestRestoreRefusesLaterDigest: input 6780 of the saved states, whose digest had slots that the
// machine had not come to.
func TestRestoreRefusesLaterDigest(t *testing.T) {
	const column = "machine.digest.next_slot"
	m, state := stateMachine(t), stateSeeds(t)[0]
	at := bytes.Index(state, []byte(column)) + len(column) + 1 + 8 // kind, elements
	for value, want := range map[uint64]string{1 << 48: "281474976710656 is after slot 1, the last slot of the " +
		"digest", 0: ""} {
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
