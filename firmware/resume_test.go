package firmware

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
	"starloom/nic"
)

// follower is a debugger that lets all instructions of some processors pass, and notes the cycles before each.
type follower struct {
	follows func(processor int) bool
	cycles  map[int][]uint64 // by processor, of the present turn
}

func (f *follower) Follows(processor int) bool { return f.follows(processor) }
func (f *follower) Before(processor int, p *rv32.Processor) error {
	f.cycles[processor] = append(f.cycles[processor], p.Cycles)
	return nil
}
func (f *follower) Trapped(int, *rv32.Processor, error) error { return nil }

// resuming is a bank whose processors are interrupted, under one way of execution.
type resuming struct {
	name string
	Instance
	image    *Image
	follower *follower // nil without a debugger
	moves    bool      // every slot, the state goes to another instance
}

// newResuming returns a bank for each way to execute a program.
func newResuming(t *testing.T, elf []byte, core *rv32.Core, window uint64) (ways []*resuming) {
	meter := &wasm.Meter{Core: core.Model, Parameters: core.Parameters, Limit: LimitDefault, Window: window}
	for _, name := range []string{"translated", "moved", "interpreted", "one interpreted"} {
		w := &resuming{name: name, moves: name == "moved"}
		host := newHost(t, "compiler")
		if strings.HasSuffix(name, "interpreted") {
			w.follower = &follower{func(processor int) bool { return name == "interpreted" || processor == 1 }, map[int][]uint64{}}
			host.Debug(w.follower)
		}
		var err error
		w.image, err = host.LoadMetered("resumes", elf, meter)
		require.NoError(t, err)
		w.Instance, err = w.image.NewInstance(config(3))
		require.NoError(t, err)
		ways = append(ways, w)
	}
	return ways
}

// arrive gives each processor a frame in every second slot, and takes the frame that it sends first.
func arrive(t *testing.T, b *nic.Bank, slot uint32) {
	for cell := range b.Cells {
		if slot%2 == 0 {
			frame := make(nic.FrameView, nic.FrameStride(b.PayloadBytes))
			frame[2], frame[16], frame[17] = 8, byte(slot+1), byte(cell+1) // payload bytes, payload
			b.PushRx(cell, 0, frame)
		}
		if b.Registers[cell].TxCount > 0 {
			payload := b.TxHead(cell)[16:]
			require.Equal(t, binary.LittleEndian.Uint32(payload)+1, binary.LittleEndian.Uint32(payload[4:]), "whole frames")
			b.PopTx(cell)
		}
	}
}

func (w *resuming) slot(t *testing.T, slot uint32) {
	arrive(t, w.Bank(), slot)
	cells, _ := w.Bank().ListAwake(make([]uint32, 0, 8), 0, 3, slot)
	if w.moves {
		other, err := w.image.NewInstance(config(3))
		require.NoError(t, err)
		require.NoError(t, other.SetState(bytes.Clone(w.Memory()), w.Globals()))
		w.Instance = other
	}
	if w.follower != nil {
		clear(w.follower.cycles)
	}
	w.Slot(cells, slot)
}

// shape is all that the ways must agree on after a slot.
func (w *resuming) shape() string {
	var s strings.Builder
	for cell := range w.Bank().Cells {
		fmt.Fprintf(&s, "%x\n%+v\n%v\n", w.Bank().State(cell), w.Bank().Cell(cell), w.Bank().Registers[cell])
	}
	fmt.Fprintf(&s, "%v %v", w.Costs(), w.TakeEvents())
	return s.String()
}

func resumingELF(t *testing.T, target string, macros ...string) []byte {
	output := filepath.Join(t.TempDir(), "resumes.elf")
	require.NoError(t, Build(context.Background(),
		BuildOptions{Source: "testdata/resumes.c", Output: output, Target: target, Define: macros}))
	elf, err := os.ReadFile(output)
	require.NoError(t, err)
	return elf
}

// TestResumeAfterEachCycle ends the turns of a handler after every number of cycles. Translation, interpreter and
// debugger leave the same state, and the processor stands before the first instruction that would end later.
func TestResumeAfterEachCycle(t *testing.T)     { resumeAfter(t, 6, 3) }
func TestLongResumeAfterEachCycle(t *testing.T) { resumeAfter(t, 1<<20, 20) }

// resumeAfter tries numbers of windows for the first Ibex and for other cores, evenly up to the longest handler.
func resumeAfter(t *testing.T, ibex, others uint64) {
	for n, core := range rv32.Cores() {
		target, windows := []string{"rv32imc", "rv32im"}[n%2], others
		if core.Model == "rv32-multicycle" {
			target = "rv32ic"
		}
		if n == 1 {
			windows = ibex
		}
		elf := resumingELF(t, target)
		longest := resumeWindow(t, elf, &core, 1<<30)
		require.Greater(t, longest, uint64(50))
		by := max(1, longest/windows)
		for window := uint64(n); window <= longest+by; window += by {
			resumeWindow(t, elf, &core, max(window, 1))
		}
	}
	large := resumingELF(t, "rv32imc", "LARGE")
	for _, window := range []uint64{3, 77} {
		resumeWindow(t, large, &rv32.Cores()[1], window)
	}
}

// resumeWindow compares the ways in a compute window, and returns the cost of the longest handler.
func resumeWindow(t *testing.T, elf []byte, core *rv32.Core, window uint64) (longest uint64) {
	ways := newResuming(t, elf, core, window)
	for _, w := range ways {
		w.Start()
	}
	stops := make([]stop, 3)
	for slot := range uint32(24) {
		place := fmt.Sprintf("%s, window %d, slot %d", core.Model, window, slot)
		want := ""
		for _, w := range ways {
			w.slot(t, slot)
			if got := w.shape(); want == "" {
				want = got
			} else {
				require.Equal(t, want, got, "%s, %s", place, w.name)
			}
			if !w.moves { // probes are not state
				require.Equal(t, ways[0].Probes(), w.Probes(), "%s, %s", place, w.name)
			}
		}
		for _, cost := range ways[0].Costs() {
			if cost != CostGoesOn {
				longest = max(longest, uint64(cost))
			}
		}
		ways[2].check(t, window, stops, place)
	}
	return longest
}

// stop is a processor between two instructions.
type stop struct{ spent, end uint64 }

// check compares the turns of a slot with the cycles of instructions: a turn ends at most at the end of its window, and
// the instruction after it would end later.
func (w *resuming) check(t *testing.T, window uint64, stops []stop, place string) {
	for cell := range stops {
		turns := rv32.TurnsOf(w.Bank().State(cell))
		if cycles := w.follower.cycles[cell]; len(cycles) > 1 {
			if before := stops[cell]; before.end > 0 {
				require.Greater(t, before.spent+cycles[1], before.end, place)
			}
			stops[cell] = stop{}
		}
		if turns.Interrupted {
			stops[cell] = stop{turns.Spent, uint64(turns.Count) * window}
			require.LessOrEqual(t, turns.Spent, stops[cell].end, place)
		}
	}
}
