package firmware

import (
	"embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"

	"starloom/nic"
	"starloom/traces/input"
)

// NativeProgram is firmware written in Go over the same ABI, with the same states, columns and draws, without a
// sandbox. It is used to measure the cost of the sandbox and to cross-check the images. It never runs a user's code.
type NativeProgram struct {
	Name        string
	StateBytes  int
	ListenSlots int
	Start       func(b *NativeBank, cells []uint32)
	Slot        func(b *NativeBank, cells []uint32, slot uint32)
}

// SleepLong is SL_LONG of the SDK.
const SleepLong = 0xFFFF

// NativeBank is the bank of a native program.
type NativeBank struct {
	*nic.Bank
	Stream uint64 // seed of the bank, the start of the random stream
}

type nativeInstance struct {
	program NativeProgram
	bank    NativeBank
	memory  []byte
}

// NewInstance creates an instance in Go memory with the SDK's layout.
func (p NativeProgram) NewInstance(c nic.BankConfig) (Instance, error) {
	const descriptor = 64
	memory, err := nic.PlaceBank(descriptor, c, p.StateBytes, p.ListenSlots)
	if err != nil {
		return nil, err
	}
	bank, err := nic.AttachBank(memory, descriptor, c)
	if err != nil {
		return nil, err
	}
	return &nativeInstance{program: p, bank: NativeBank{bank, c.Seed}, memory: memory}, nil
}

func (in *nativeInstance) Bank() *nic.Bank { return in.bank.Bank }

func (in *nativeInstance) Start() { in.program.Start(&in.bank, allCells(in.bank.Cells)) }

func (in *nativeInstance) Restart(cells []uint32) {
	for _, cell := range cells {
		in.bank.Restart(int(cell), nil) // states start as zeros
	}
	in.program.Start(&in.bank, cells)
}

func (in *nativeInstance) Slot(cells []uint32, slot uint32) {
	number, restore := in.bank.Number(cells, slot)
	in.program.Slot(&in.bank, cells, number)
	restore()
}

func (in *nativeInstance) Reset(seed uint64) {
	in.bank.Stream = seed
	in.bank.Clear()
	in.bank.Reset(seed)
}

func (in *nativeInstance) Costs() []uint32 { return nil }

func (in *nativeInstance) TakeEvents() []Event { return nil }

func (in *nativeInstance) Probes() []uint64 { return nil }

func (in *nativeInstance) Memory() []byte { return in.memory }

func (in *nativeInstance) Globals() []uint64 { return nil }

func (in *nativeInstance) SetState(memory []byte, _ []uint64) error {
	if len(memory) != len(in.memory) {
		return fmt.Errorf("the bank has %d bytes, not %d", len(in.memory), len(memory))
	}
	copy(in.memory, memory)
	in.bank.Restored()
	return nil
}

// NativePacket reads the packet header at the start of a received frame's payload.
func NativePacket(frame nic.FrameView) (origin, destination uint32) {
	payload := frame.Payload()
	return binary.LittleEndian.Uint32(payload), binary.LittleEndian.Uint32(payload[4:])
}

//go:embed images
var images embed.FS

//go:embed programs
var sources embed.FS

// Programs lists the built-in programs: net/router is images/net/router.wasm and programs/net/router.c.
func Programs() []string {
	var names []string
	// walking an embedded file system cannot fail
	_ = fs.WalkDir(images, "images", func(path string, _ fs.DirEntry, _ error) error {
		if name, ok := strings.CutSuffix(path, ".wasm"); ok {
			names = append(names, strings.TrimPrefix(name, "images/"))
		}
		return nil
	})
	return names
}

// ProgramImage returns the image of a built-in program.
func ProgramImage(name string) ([]byte, error) {
	wasm, err := images.ReadFile("images/" + name + ".wasm")
	if err != nil {
		return nil, unknown(name)
	}
	return wasm, nil
}

func unknown(name string) error {
	return &input.Error{Place: "--program", Reason: fmt.Sprintf("%q is not a built-in program", name),
		Remedy: input.RemedyOf(name, Programs())}
}
