package firmware

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// WASI error numbers.
const (
	wasiOK    = 0
	wasiBadFD = 8
	wasiFault = 21
)

// wasiSlotNanoseconds is the step of the clock per slot. Only a language runtime reads the clock; firmware uses
// slots.
const wasiSlotNanoseconds = 1000

// wasiCall implements one import. It writes results after the first to the instance's memory.
type wasiCall struct {
	params []api.ValueType
	answer func(in *wasmInstance, m api.Memory, stack []uint64) (errno uint64)
}

var wasiCalls = map[string]wasiCall{
	"args_sizes_get":    {i32s(2), wasiNone},
	"args_get":          {i32s(2), wasiNothing},
	"environ_sizes_get": {i32s(2), wasiNone},
	"environ_get":       {i32s(2), wasiNothing},
	"sched_yield":       {nil, wasiNothing},
	"clock_time_get":    {[]api.ValueType{api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeI32}, wasiClock},
	"random_get":        {i32s(2), wasiRandom},
	"fd_write":          {i32s(4), wasiWrite},
	"poll_oneoff":       {i32s(4), wasiWait},
	"proc_exit":         {i32s(1), wasiExit},
}

func wasiResults(name string) []api.ValueType {
	if name == "proc_exit" {
		return nil
	}
	return i32s(1)
}

func i32s(count int) []api.ValueType {
	return slices.Repeat([]api.ValueType{api.ValueTypeI32}, count)
}

func (h *Host) exportWASI() error {
	builder := h.runtime.NewHostModuleBuilder(wasiModule)
	for name, call := range wasiCalls {
		results := wasiResults(name)
		builder = builder.NewFunctionBuilder().WithGoModuleFunction(
			api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
				errno := call.answer(caller(ctx), m.Memory(), stack)
				if len(results) > 0 {
					stack[0] = errno
				}
			}), call.params, results).Export(name)
	}
	_, err := builder.Instantiate(h.ctx)
	return err
}

func checkWASI(f api.FunctionDefinition) error {
	_, name, _ := f.Import()
	call, known := wasiCalls[name]
	if !known {
		names := make([]string, 0, len(wasiCalls))
		for name := range wasiCalls {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("imports %s.%s, which firmware may not use: it has no files, sockets or other processes; "+
			"a runtime may import %s",
			wasiModule, name, strings.Join(names, ", "))
	}
	if !slices.Equal(f.ParamTypes(), call.params) || !slices.Equal(f.ResultTypes(), wasiResults(name)) {
		return fmt.Errorf("imports %s.%s as %s; build it for WASI preview 1", wasiModule, name,
			signature(f.ParamTypes(), f.ResultTypes()))
	}
	return nil
}

func wasiNone(_ *wasmInstance, m api.Memory, stack []uint64) uint64 {
	if !m.WriteUint32Le(uint32(stack[0]), 0) || !m.WriteUint32Le(uint32(stack[1]), 0) {
		return wasiFault
	}
	return wasiOK
}

func wasiNothing(*wasmInstance, api.Memory, []uint64) uint64 { return wasiOK }

// wasiClock returns the time of the slot for any clock. The clock starts at one slot, because Go considers a clock at
// 0 broken.
func wasiClock(in *wasmInstance, m api.Memory, stack []uint64) uint64 {
	if !m.WriteUint64Le(uint32(stack[2]), wasiSlotNanoseconds*(1+in.now())) {
		return wasiFault
	}
	return wasiOK
}

// wasiRandom returns bytes that depend only on seed, processor, slot and the number of earlier draws in the slot, so
// that no state must be saved. Before the attachment of a bank, all processors get equal bytes.
func wasiRandom(in *wasmInstance, m api.Memory, stack []uint64) uint64 {
	bytes, ok := m.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		return wasiFault
	}
	var seed uint64
	if in != nil && in.bank != nil {
		seed = mix64(in.bank.Seed+goldenGamma*uint64(in.bank.First)) + goldenGamma*(in.now()+1)
	}
	var word [8]byte
	draw := uint64(0)
	if in != nil {
		draw = in.runtime.draws
		in.runtime.draws += uint64(len(bytes)+7) / 8
	}
	for part := range slices.Chunk(bytes, len(word)) {
		binary.LittleEndian.PutUint64(word[:], mix64(mix64(seed)+goldenGamma*draw))
		copy(part, word[:])
		draw++
	}
	return wasiOK
}

// goldenGamma and mix64 equal the constant and function of sl_random.
const goldenGamma = 0x9E3779B97F4A7C15

func mix64(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func wasiWrite(in *wasmInstance, m api.Memory, stack []uint64) uint64 {
	if fd := uint32(stack[0]); fd != 1 && fd != 2 {
		return wasiBadFD
	}
	written := uint32(0)
	for k := range uint32(stack[2]) {
		at, inside := m.ReadUint64Le(uint32(stack[1]) + 8*k)
		if !inside {
			return wasiFault
		}
		text, inside := m.Read(uint32(at), uint32(at>>32))
		if !inside {
			return wasiFault
		}
		if in != nil {
			in.write(text)
		}
		written += uint32(len(text))
	}
	if !m.WriteUint32Le(uint32(stack[3]), written) {
		return wasiFault
	}
	return wasiOK
}

// wasiWaitsMax is the maximum number of waits in one call; a runtime waits before it reports a fatal error.
const wasiWaitsMax = 100

// wasiWait returns immediately without an event, and ends a handler that waits repeatedly.
func wasiWait(in *wasmInstance, m api.Memory, stack []uint64) uint64 {
	if in != nil {
		if in.runtime.waits++; in.runtime.waits > wasiWaitsMax {
			panic(errors.New("poll_oneoff: the handler waits, but no event occurs before it returns"))
		}
	}
	if !m.WriteUint32Le(uint32(stack[3]), 0) {
		return wasiFault
	}
	return wasiOK
}

func wasiExit(_ *wasmInstance, _ api.Memory, stack []uint64) uint64 {
	panic(fmt.Errorf("proc_exit: the firmware's runtime exits with status %d", int32(uint32(stack[0]))))
}

// panics are the prefixes of lines in which Go's runtime reports the reason for its exit.
var panics = []string{"panic: ", "fatal error: "}

func (in *wasmInstance) now() uint64 {
	if in == nil {
		return 0
	}
	return in.runtime.slot
}

// an unfinished line is kept until the handler returns
func (in *wasmInstance) write(text []byte) {
	for _, c := range text {
		if c == '\n' {
			in.endLine()
		} else if len(in.runtime.line) < logBytesMax {
			in.runtime.line = append(in.runtime.line, c)
		}
	}
}

func (in *wasmInstance) endLine() {
	if len(in.runtime.line) > 0 {
		line := string(in.runtime.line)
		if slices.ContainsFunc(panics, func(start string) bool { return strings.HasPrefix(line, start) }) {
			in.runtime.panic = line
		}
		in.logLine(func() string { return line })
	}
	in.runtime.line = in.runtime.line[:0]
}

func (in *wasmInstance) endRuntimeCall() {
	in.endLine()
	in.runtime.draws, in.runtime.waits = 0, 0
}
