package firmware

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/hw"
	"starloom/nic"
)

// shimCase is a number of processors and the inputs of their slots.
type shimCase struct {
	processors int
	allPorts   bool
	listed     int // words of each request list
	slots      []shimSlot
}

type shimSlot struct {
	blocked uint32 // a bit for each processor
	met     uint32 // likewise, whether its frames meet others
	taken   uint32 // a bit for each output, with request lists
	frames  []shimFrame
}

type shimFrame struct{ to, port, kind, source, tag, bytes, a, b uint32 }

const shimFirst, shimPorts, shimProcessors, shimROM = 2, 5, 9, 80

func (c *shimCase) frames() int {
	if c.allPorts {
		return 2 * shimPorts
	}
	return 2
}

// ports is the number of a NIC's ports, 1 if frames go to the output of a processor.
func (c *shimCase) ports() int {
	if c.listed > 0 {
		return 1
	}
	return shimPorts
}

func randomShimCase(processors int, allPorts bool, listed int) shimCase {
	random := rand.New(rand.NewPCG(1, 2))
	c := shimCase{processors, allPorts, listed, make([]shimSlot, 60)}
	for k := range c.slots {
		slot := &c.slots[k]
		slot.taken = random.Uint32N(1<<shimProcessors) | random.Uint32N(1<<shimProcessors)
		for p := range processors {
			if random.IntN(3) == 0 {
				slot.blocked |= 1 << p
			}
			if random.IntN(5) == 0 {
				slot.met |= 1 << p
			}
		}
		for range random.IntN(4 * processors) {
			slot.frames = append(slot.frames, shimFrame{
				shimFirst + random.Uint32N(uint32(processors)), random.Uint32N(uint32(c.ports())),
				random.Uint32N(3), random.Uint32N(9), random.Uint32N(1 << 16), random.Uint32N(9),
				random.Uint32(), random.Uint32(),
			})
		}
	}
	return c
}

// TestNativeShim runs handlers natively, with the machine's compiler and sanitizers, and in the sandbox with this
// program's NIC: both have equal results in every slot, for one and several processors, at one port and at all, and
// with request lists.
func TestNativeShim(t *testing.T) {
	program := shimProgram(t)
	for _, processors := range []int{1, 3} {
		for _, kind := range []struct {
			allPorts bool
			listed   int
		}{{}, {allPorts: true}, {listed: 3}, {listed: 70}} {
			c := randomShimCase(processors, kind.allPorts, kind.listed)
			text := shimNatively(t, program, c)
			require.Equal(t, shimInSandbox(t, c), text)
			require.Contains(t, text, " failed -5")
			require.Contains(t, text, "delivers")
		}
	}
	c := randomShimCase(1, false, 0)
	c.slots = c.slots[:9]
	text := shimNatively(t, program, c, "depth=1 asserts=7")
	require.Regexp(t, `native_handler\.c:\d+: on_slot: sl_slot\(nic\) != \(uint32_t\)sl_param\(nic, 2\)\n`, text)
	require.Equal(t, 2, strings.Count(text, "\n0 hears 65535 "), "slots 7 and 8")
}

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

func shimNatively(t *testing.T, program string, c shimCase, arguments ...string) string {
	t.Helper()
	bit := map[bool]int{true: 1}
	var input strings.Builder
	fmt.Fprintln(&input, c.processors, bit[c.allPorts], c.listed)
	for _, s := range c.slots {
		fmt.Fprint(&input, s.blocked, " ", s.met, " ", s.taken, " ", len(s.frames))
		for _, f := range s.frames {
			fmt.Fprint(&input, " ", f.to, f.port, f.kind, f.source, f.tag, f.bytes, f.a, f.b)
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

// shimSaid is the output of a processor to the host.
type shimSaid struct {
	log, deliveries, failed string
	results                 map[uint32]uint64
}

func shimInSandbox(t *testing.T, c shimCase) string {
	t.Helper()
	wasm, err := os.ReadFile(build(t, "testdata/native_handler.c"))
	require.NoError(t, err)
	image, err := newHost(t, "compiler").Load("native_handler.c", wasm)
	require.NoError(t, err)
	config := nic.BankConfig{
		First: shimFirst, Cells: c.processors, Processors: shimProcessors, Shape: [nic.ShapeWords]uint32{3, 4},
		Ports: c.ports(), Discipline: nic.Discipline{AllPorts: c.allPorts},
		Sizes: nic.Sizes{PayloadBytes: 8, RxFrames: c.frames(), TxFrames: c.frames()}, Seed: 7,
		Params: [nic.Params]int32{1, 40, 99},
	}
	if c.listed > 0 {
		config.Addressed, config.ListWords, config.ROMWords = true, c.listed, shimROM
	}
	in, err := image.NewInstance(config)
	require.NoError(t, err)
	b := in.Bank()
	for k := range b.ROM {
		b.ROM[k] = uint32(k * 7 % (shimProcessors + 1))
	}
	said := make([]shimSaid, c.processors)
	for cell := range said {
		b.Workload[cell] = uint32(70 + cell)
		said[cell].results = map[uint32]uint64{}
	}
	listen := func() {
		for cell := range said {
			said[cell].log, said[cell].deliveries = "", ""
		}
		for _, e := range in.TakeEvents() {
			s := &said[e.Cell]
			switch e.Kind {
			case EventLog:
				s.log += " " + e.Text
			case EventDeliver:
				s.deliveries += fmt.Sprint(" delivers ", e.Origin)
			case EventResult:
				s.results[e.Word] = e.Value
			case EventFail:
				s.failed = " failed " + e.Text
			}
		}
	}
	var text strings.Builder
	in.Start()
	listen()
	for cell := range said {
		fmt.Fprintln(&text, said[cell].log+said[cell].deliveries)
	}
	for slot, s := range c.slots {
		for _, f := range s.frames {
			b.PushRx(int(f.to)-shimFirst, uint16(f.port), f.view())
		}
		var awake []uint32
		for cell := range said {
			if !b.Silenced(cell) {
				awake = append(awake, uint32(cell))
			}
		}
		in.Slot(awake, uint32(slot))
		listen()
		b.ForgetTx(0, c.processors)
		sends := make([]string, c.processors)
		for cell := range said {
			if !b.Silenced(cell) {
				sends[cell] = shimSends(t, b, cell, s)
			}
		}
		b.ClearRx()
		for cell := range said {
			r, ran := &b.Registers[cell], 1
			if b.Silenced(cell) {
				ran = 0
			}
			fmt.Fprint(&text, ran, sends[cell], " hears ", b.Listen(uint32(slot))[cell], " registers ", r.Wake, r.RxCount, r.TxCount, r.Held, uint8(r.Flags))
			for _, value := range in.Probes()[4*cell : 4*cell+4] {
				fmt.Fprint(&text, " ", value)
			}
			fmt.Fprintln(&text, said[cell].failed+said[cell].log+said[cell].deliveries)
		}
	}
	for cell := range said {
		for k := range uint32(4) {
			if value, given := said[cell].results[k]; given {
				fmt.Fprintln(&text, "result", k, value)
			}
		}
	}
	return text.String()
}

func (f *shimFrame) view() nic.FrameView {
	frame := make(nic.FrameView, nic.FrameStride(8))
	frame[0] = byte(f.kind)
	le := binary.LittleEndian
	le.PutUint16(frame[2:], uint16(f.bytes))
	le.PutUint32(frame[4:], f.source)
	le.PutUint32(frame[8:], f.to)
	le.PutUint16(frame[12:], uint16(f.tag))
	var payload [8]byte
	le.PutUint32(payload[:], f.a)
	le.PutUint32(payload[4:], f.b)
	copy(frame[16:], payload[:f.bytes])
	return frame
}

// shimClaims makes an output take the frame at the head of a TX FIFO, like the allocator of a network with request
// lists.
func shimClaims(b *nic.Bank, cell int, taken uint32) bool {
	listeners := make([]hw.Listener, shimProcessors)
	for output := range listeners {
		listeners[output].Listening = taken>>output&1 == 0
	}
	request := hw.ListRequest{List: []uint32{b.TxHead(cell).Destination()}, Valid: []uint64{1}}
	listed := request.List[0] == nic.ListedDestination
	if listed {
		request.List, request.Valid, request.First = b.Requests(cell)
	}
	claims := (&hw.ListMatching{}).Slot([]uint32{0}, []hw.ListRequest{request}, listeners)
	if listed && len(claims) > 0 {
		b.SentListed(cell, int(claims[0].Position))
	}
	return len(claims) > 0
}

// shimSends makes a NIC send all it can, and lists the frames in the order of ports.
func shimSends(t *testing.T, b *nic.Bank, cell int, s shimSlot) (text string) {
	sent := map[uint16]string{}
	illegal := b.SendAll(cell, func(frame nic.FrameView) bool {
		if s.met>>cell&1 != 0 {
			b.NoteTx(cell, frame.Port(), nic.TxCollided, frame.Destination())
			return false
		}
		if s.blocked>>cell&1 != 0 || b.Addressed && !shimClaims(b, cell, s.taken) {
			b.NoteTx(cell, frame.Port(), nic.TxBlocked, frame.Destination())
			return false
		}
		frame.SetSource(uint32(shimFirst + cell))
		line := fmt.Sprint(" sends ", uint8(frame.Kind()), frame.Port(), frame.Source(), frame.Destination(), frame.Tag())
		for _, c := range frame.Payload() {
			line += fmt.Sprint(" ", c)
		}
		sent[frame.Port()] = line
		return true
	})
	require.Nil(t, illegal)
	for _, port := range slices.Sorted(maps.Keys(sent)) {
		text += sent[port]
	}
	return text
}
