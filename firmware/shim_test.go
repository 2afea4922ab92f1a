package firmware

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/nic"
)

// shimSlot is what one slot brings to the processor of TestNativeShim.
type shimSlot struct {
	blocked bool
	frames  []shimFrame
}

type shimFrame struct{ port, kind, source, tag, bytes, a, b uint32 }

// TestNativeShim runs one handler natively, with compiler and sanitizers of the machine, and
// in the sandbox with the NIC of this program: both do the same in every slot, and say the
// same.
func TestNativeShim(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	slots := make([]shimSlot, 60)
	for k := range slots {
		slots[k].blocked = random.IntN(3) == 0
		for range random.IntN(4) {
			slots[k].frames = append(slots[k].frames, shimFrame{
				random.Uint32N(5), random.Uint32N(3), random.Uint32N(9), random.Uint32N(1 << 16), random.Uint32N(9), random.Uint32(), random.Uint32(),
			})
		}
	}
	program := shimProgram(t)
	require.Equal(t, shimInSandbox(t, slots), shimNatively(t, program, slots))
	text := shimNatively(t, program, slots[:9], "depth=1 asserts=7")
	require.Contains(t, text, "native_handler.c:50: on_slot: sl_slot(nic) != (uint32_t)sl_param(nic, 2)\n")
	require.Equal(t, 2, strings.Count(text, "\n0 hears 65535 "), "slots 7 and 8")
}

// shimProgram compiles handler, shim and driver.
func shimProgram(t *testing.T) string {
	t.Helper()
	sdk := filepath.Join(t.TempDir(), "sdk")
	require.NoError(t, WriteSDK(sdk))
	program := filepath.Join(t.TempDir(), "native")
	out, err := exec.Command("cc", "-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-DSTARLOOM_NATIVE", "-fsanitize=address,undefined", "-fno-sanitize-recover",
		"-I", sdk, "-o", program, "testdata/native_handler.c", "testdata/native_driver.c", filepath.Join(sdk, "starloom_native.c")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func shimNatively(t *testing.T, program string, slots []shimSlot, arguments ...string) string {
	t.Helper()
	var input strings.Builder
	for _, s := range slots {
		blocked := 0
		if s.blocked {
			blocked = 1
		}
		fmt.Fprint(&input, blocked, len(s.frames))
		for _, f := range s.frames {
			fmt.Fprint(&input, " ", f.port, f.kind, f.source, f.tag, f.bytes, f.a, f.b)
		}
		fmt.Fprintln(&input)
	}
	run := exec.Command(program, arguments...)
	run.Stdin = strings.NewReader(input.String())
	var text, stderr bytes.Buffer
	run.Stdout, run.Stderr = &text, &stderr
	require.NoError(t, run.Run(), "%s", stderr.String())
	return text.String()
}

func shimInSandbox(t *testing.T, slots []shimSlot) string {
	t.Helper()
	wasm, err := os.ReadFile(build(t, "testdata/native_handler.c"))
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("native_handler.c", wasm)
	require.NoError(t, err)
	in, err := image.NewInstance(nic.BankConfig{
		First: 2, Cells: 1, Processors: 9, Shape: [nic.ShapeWords]uint32{3, 4}, Ports: 5, PayloadBytes: 8, RxFrames: 2, TxFrames: 2, Seed: 7,
		Params: [nic.Params]int32{1, 40, 99},
	})
	require.NoError(t, err)
	var text strings.Builder
	results := map[uint32]uint64{}
	failed := ""
	said := func() {
		log, deliveries := "", ""
		for _, e := range in.TakeEvents() {
			switch e.Kind {
			case EventLog:
				log += " " + e.Text
			case EventDeliver:
				deliveries += fmt.Sprint(" delivers ", e.Origin)
			case EventResult:
				results[e.Word] = e.Value
			case EventFail:
				failed = " failed " + e.Text
			}
		}
		fmt.Fprintln(&text, failed+log+deliveries)
	}
	b := in.Bank()
	in.Start()
	said()
	for slot, s := range slots {
		for _, f := range s.frames {
			frame := make(nic.FrameView, nic.FrameStride(8))
			frame[0] = byte(f.kind)
			le := binary.LittleEndian
			le.PutUint16(frame[2:], uint16(f.bytes))
			le.PutUint32(frame[4:], f.source)
			le.PutUint32(frame[8:], 2)
			le.PutUint16(frame[12:], uint16(f.tag))
			var payload [8]byte
			le.PutUint32(payload[:], f.a)
			le.PutUint32(payload[4:], f.b)
			copy(frame[16:], payload[:f.bytes])
			b.PushRx(0, uint16(f.port), frame)
		}
		runs := !b.Silenced(0)
		if runs {
			in.Slot([]uint32{0}, uint32(slot))
			runs = !b.Silenced(0)
		}
		r := &b.Registers[0]
		ran := 0
		if runs {
			ran = 1
		}
		fmt.Fprint(&text, ran)
		b.ForgetTx(0, 1)
		if runs && r.TxCount > 0 {
			head := b.TxHead(0)
			if s.blocked {
				b.NoteTx(0, head.Port(), nic.TxBlocked, 0)
			} else {
				head.SetSource(2)
				fmt.Fprint(&text, " sends ", uint8(head.Kind()), head.Port(), head.Source(), head.Destination(), head.Tag())
				for _, c := range head.Payload() {
					fmt.Fprint(&text, " ", c)
				}
				b.NoteTx(0, head.Port(), nic.TxSent, head.Destination())
				b.PopTx(0)
			}
		}
		b.ClearRx()
		fmt.Fprint(&text, " hears ", b.Listen(uint32(slot))[0], " registers ", r.Wake, r.RxCount, r.TxCount, r.Held, uint8(r.Flags))
		for _, value := range in.Probes() {
			fmt.Fprint(&text, " ", value)
		}
		said()
	}
	for k := range uint32(4) {
		if value, given := results[k]; given {
			fmt.Fprintln(&text, "result", k, value)
		}
	}
	return text.String()
}
