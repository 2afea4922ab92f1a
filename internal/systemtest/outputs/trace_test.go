package outputs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/systemtest"
	"starloom/nic"
	"starloom/traces/diff"
	"starloom/traces/pcapng"
)

// popsLanes finds the transmitters and the couplers of a POPS network.
const popsLanes = `period: 1 ns
slot: pops.slot
interfaces:
  - name: "pops.group[$1].nic[$2].port[${port}]"
    rail1: "pops.group[*].nic[*].tx.light.rail1"
    rail0: "pops.group[$1].nic[$2].tx.light.rail0"
    port: "pops.group[$1].nic[$2].tx.port"
    ports: 4
  - name: "pops.group[$1].coupler[$2]"
    direction: received
    rail1: "pops.group[*].coupler[*].fibre.light.rail1"
    rail0: "pops.group[$1].coupler[$2].fibre.light.rail0"
`

// TestDecodedPacketsAreThoseOfTheRun takes the frames out of a run's waveform and
// compares them with the capture of the same run: all that was sent, port by port,
// and what every coupler delivered or lost.
func TestDecodedPacketsAreThoseOfTheRun(t *testing.T) {
	for _, c := range []struct {
		program  string
		phitBits int
	}{{"pops/random", 64}, {"pops/random-corrected", 24}, {"pops/random", 1}, {"pops/one-to-all", 7}} {
		t.Run(fmt.Sprintf("%s-%d", filepath.Base(c.program), c.phitBits), func(t *testing.T) {
			dir := t.TempDir()
			file := func(name string) string { return filepath.Join(dir, name) }
			s := systemtest.Routing(4, 4)
			s.Firmware.Program, s.Link.PhitBits = c.program, c.phitBits
			if c.program == "pops/one-to-all" {
				s = oneToAll(t, c.phitBits)
			}
			s.Traces.PCAPNG = &starloom.PCAPNGTrace{Interfaces: "port"}
			ran, err := starloom.Run(context.Background(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: starloom.EngineCycle}, Record: starloom.RecordOptions{VCD: starloom.File(file("run.vcd")),
					PCAPNG: starloom.File(file("run.pcapng"))}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file("map.yaml"), []byte(popsLanes), 0o666))
			m, err := starloom.LoadDecodeMap(file("map.yaml"))
			require.NoError(t, err)
			report, err := starloom.TraceDecode(context.Background(), file("run.vcd"), m,
				starloom.DecodeOutputs{PCAPNG: starloom.File(file("decoded.pcapng")), JSON: starloom.File(file("decoded.json"))})
			require.NoError(t, err)
			require.Zero(t, report.Damaged)
			require.Zero(t, report.Unknown)
			require.Equal(t, ran.Cycles, report.Cycles)

			run, err := os.ReadFile(file("run.pcapng"))
			require.NoError(t, err)
			found, err := os.ReadFile(file("decoded.pcapng"))
			require.NoError(t, err)
			want, got := systemtest.PacketsOf(t, run), systemtest.PacketsOf(t, found)
			received := map[string]systemtest.Packet{} // by bytes and slot: what some NIC got
			sent := 0
			for name, packets := range want {
				var only []systemtest.Packet
				for _, p := range packets {
					if p.Direction == pcapng.Sent {
						only = append(only, p)
					} else if p.Status == nic.StatusOK {
						received[fmt.Sprintf("%d %s", p.Slot, p.Bytes)] = p
					}
				}
				sent += len(only)
				require.Equal(t, only, got[name], name)
			}
			require.NotZero(t, sent)
			delivered := map[string]bool{} // a frame to all ports passes several couplers
			for name, packets := range got {
				if _, port := want[name]; port {
					continue
				}
				for _, p := range packets {
					require.Equal(t, pcapng.Received, p.Direction, "%s is not a port of the run", name)
					if p.Status == nic.StatusCollision {
						require.Empty(t, p.Bytes)
						continue
					}
					key := fmt.Sprintf("%d %s", p.Slot, p.Bytes)
					if heard, ok := received[key]; ok {
						delivered[key] = true
						// A receiver is asked when the longest frame would be there.
						early := nic.Phits(nic.FrameBytes(s.NIC.PayloadBytes), c.phitBits) - nic.Phits(len(p.Bytes), c.phitBits)
						p.Cycle += uint64(early)
						require.EqualValues(t, pcapng.PortNone, p.Port, "a coupler has none")
						p.Port = heard.Port
						require.Equal(t, heard, p)
					}
				}
			}
			require.Len(t, delivered, len(received), "every frame that was heard is found after a coupler")
		})
	}
}

func oneToAll(t *testing.T, phitBits int) *starloom.Scenario {
	s, err := starloom.ParseScenario("one.yaml", []byte(fmt.Sprintf(`starloom: 1
fabric: {pops: {groups: 4, group_size: 4}}
link: {phit_bits: %d}
firmware: {program: pops/one-to-all}
workload: {one_to_all: {source: 0}}
`, phitBits)))
	require.NoError(t, err)
	return s
}

// handshakeVCD is a VCD of two links with valid, data, ready, first and last: words
// are given as "valid ready first last data", one per clock cycle.
func handshakeVCD(t *testing.T, path string, words []string) {
	text := "$timescale 100 ps $end\n$scope module TOP $end\n$var wire 1 c clk $end\n$scope module link[3] $end\n" +
		"$var wire 1 v valid $end\n$var wire 1 r ready $end\n$var wire 1 f first $end\n$var wire 1 l last $end\n$var wire 16 d data [15:0] $end\n" +
		"$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n0c\n"
	for i, word := range words {
		w := strings.Fields(word)
		text += fmt.Sprintf("#%d\n0c\n%sv\n%sr\n%sf\n%sl\nb%s d\n#%d\n1c\n", 100*i+50, w[0], w[1], w[2], w[3], w[4], 100*i+100)
	}
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// TestDecodeOfHandshakes takes frames out of a link with valid and ready: phits that
// wait, pauses, frames cut short, bits that are not known.
func TestDecodeOfHandshakes(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	frame := nic.Marshal(make([]byte, 18), nic.Header{Source: 7, Destination: 9, Tag: 3}, []byte{0xAB, 0xCD})
	var words []string
	phit := func(k int, handshake string, first, last bool) {
		words = append(words, fmt.Sprintf("%s %d %d %08b%08b", handshake, bit(first), bit(last), frame[2*k], frame[2*k+1]))
	}
	words = append(words, "x x x x x", "0 1 0 0 1")
	for k := range 9 { // cycles 2 to 28: each phit waits for ready, then pauses
		phit(k, "1 0", k == 0, k == 8)
		phit(k, "1 1", k == 0, k == 8)
		words = append(words, "0 1 0 0 0")
	}
	for k := range 4 { // cycles 29 to 32, and no end
		phit(k, "1 1", k == 0, false)
	}
	for k := range 9 { // cycles 33 to 41, with an unknown bit
		phit(k, "1 1", k == 0, k == 8)
	}
	words[len(words)-3] = "1 1 0 0 x"
	for k := range 9 { // cycles 42 to 50
		phit(k, "1 1", k == 0, k == 8)
	}
	words = append(words, "x 1 0 0 0")
	handshakeVCD(t, file("links.vcd"), words)
	require.NoError(t, os.WriteFile(file("map.yaml"), []byte(`clock: TOP.clk
first_cycle: 1000
slot_cycles: 100
interfaces:
  - {name: "out.$1", data: "TOP.link[*].data", valid: "TOP.link[$1].valid", ready: "TOP.link[$1].ready", first: "TOP.link[$1].first", last: "TOP.link[$1].last"}
`), 0o666))
	m, err := starloom.LoadDecodeMap(file("map.yaml"))
	require.NoError(t, err)
	var out bytes.Buffer
	report, err := starloom.TraceDecode(context.Background(), file("links.vcd"), m, starloom.DecodeOutputs{PCAPNG: starloom.Writer(&out)})
	require.NoError(t, err)
	got := systemtest.PacketsOf(t, out.Bytes())
	whole := string(frame)
	damaged := whole[:12] + "\x00\x00" + whole[14:]
	require.Equal(t, map[string][]systemtest.Packet{"out.3": {
		{Direction: pcapng.Sent, Status: 0, Port: pcapng.PortNone, Slot: 10, Cycle: 1003,
			Bytes: whole}, {Direction: pcapng.Sent,
			Status: 0, Port: pcapng.PortNone, Slot: 10, Cycle: 1029, Bytes: whole[:8]},
		{Direction: pcapng.Sent, Status: 0, Port: pcapng.PortNone, Slot: 10, Cycle: 1033,
			Bytes: damaged}, {Direction: pcapng.Sent,
			Status: 0, Port: pcapng.PortNone, Slot: 10, Cycle: 1042, Bytes: whole},
	}}, got)
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Equal(t, file("links.vcd")+`
  cycles      1052
  interfaces  1 in the waveform, 1 in the capture
  frames      4: 2 ok, 2 damaged, 0 collided
  note        x or z occurred on valid, ready or a rail 1 time and was read as no phit
`, text.String())
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestTraceMapsRefuse: every error has file, line and column, and a remedy.
func TestTraceMapsRefuse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.yaml")
	refused := func(text string, load func() error, want string) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		err := load()
		var input *starloom.InputError
		require.ErrorAs(t, err, &input, text)
		require.NotEmpty(t, input.Remedy)
		require.Contains(t, strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)), want)
	}
	diffMap := func() error { return starloom.LoadDiffMap(path, &diff.Options{}) }
	decodeMap := func() error { _, err := starloom.LoadDecodeMap(path); return err }
	for _, c := range []struct{ text, want string }{
		{"", "m.yaml:1:1: the map is empty"},
		{"[1]", "m.yaml:1:1: the map is a list; write an object"},
		{"signal: {}", `m.yaml:1:1: unknown key "signal" in the map; did you mean "signals"? leave it out, or write one of a, align, b, ignore, offset, offset_cycles, only, signals`},
		{"signals: [a]", "m.yaml:1:10: signals is a list; write an object: {NAME_IN_A: NAME_IN_B}"},
		{"signals: {a: 1}", "m.yaml:1:14: a is 1; write a text"},
		{"signals:\n  a: b\n  a: c", `m.yaml:3:3: key "a" is given twice in signals`},
		{"a: {clock: 5}", "m.yaml:1:12: clock is 5; write a text"},
		{"a: {edge: both}", `m.yaml:1:11: edge is the text "both"; write rising or falling`},
		{"a: {period: 10}", "m.yaml:1:13: period is 10; write a text"},
		{"a: {period: 10 days}", `m.yaml:1:13: period: "10 days" is not a time`},
		{"a: {period: 0 ns}", "m.yaml:1:13: period is 0"},
		{"ignore: x", `m.yaml:1:9: ignore is the text "x"; write a list`},
		{"ignore: [3]", "m.yaml:1:10: ignore[0] is 3; write a text"},
		{"offset_cycles: much", "m.yaml:1:16: offset_cycles is the text"},
		{"a: [", "m.yaml:"},
	} {
		refused(c.text, diffMap, c.want)
	}
	for _, c := range []struct{ text, want string }{
		{"clock: c", "m.yaml:1:1: the map has no interfaces; add interfaces: "},
		{"interfaces: {}", "m.yaml:1:13: interfaces is an object; write a list"},
		{"interfaces: [{data: d}]", "m.yaml:1:14: interfaces[0] has no name"},
		{"interfaces: [{name: n, ports: 3}]", "m.yaml:1:14: interfaces[0] has ports, but no port; add the signal"},
		{"interfaces: [{name: n, direction: up}]", `m.yaml:1:35: direction is the text "up"; write sent or received`},
		{"interfaces: [{name: n, gaps: 1}]", "m.yaml:1:30: gaps is 1; write true or false"},
		{"slot_cycles: -1", "m.yaml:1:14: slot_cycles is -1"},
	} {
		refused(c.text, decodeMap, c.want)
	}
	require.ErrorContains(t, starloom.LoadDiffMap(filepath.Join(dir, "none.yaml"), &diff.Options{}),
		"none.yaml: cannot be read: no such file or directory; give the path of a map")

	handshakeVCD(t, filepath.Join(dir, "t.vcd"), []string{"0 0 0 0 0"})
	run := func() error {
		m, err := starloom.LoadDecodeMap(path)
		require.NoError(t, err)
		_, err = starloom.TraceDecode(context.Background(), filepath.Join(dir, "t.vcd"), m, starloom.DecodeOutputs{})
		return err
	}
	for _, c := range []struct{ text, want string }{
		{"interfaces: [{name: n, data: d, valid: v}]", "t.vcd: nothing defines the length of a cycle; give either a clock " +
			"or a period"},
		{"clock: TOP.none\ninterfaces: [{name: n, data: 'TOP.link[3].data', valid: 'TOP.link[3].valid'}]", "the clock TOP.none is not in the file"},
		{"clock: TOP.clk\nslot: TOP.s\ninterfaces: [{name: n, data: 'TOP.link[3].data', valid: 'TOP.link[3].valid'}]", "the slot TOP.s is not in the file"},
		{"clock: TOP.clk\ninterfaces:\n  - {name: n, data: d}", "m.yaml:3:5: an interface without its wires; give valid and data, or rail1 and rail0"},
		{"clock: TOP.clk\ninterfaces:\n  - {name: n, data: d, valid: v}", "m.yaml:3:5: data: there is no signal d; `starloom trace info"},
		{"clock: TOP.clk\ninterfaces:\n  - {name: n, data: 'd*', valid: v}", "m.yaml:3:5: no signal fits d*"},
		{"clock: TOP.clk\ninterfaces:\n  - {name: n$1, data: d, valid: v}", `m.yaml:3:5: "n$1" refers to $1, but "d" has 0 stars`},
		{"clock: TOP.clk\ninterfaces:\n  - {name: n, data: 'TOP.link[3].data', valid: 'TOP.link[3].data'}",
			"m.yaml:3:5: valid: TOP.link[3].data has 16 bits, expected 1 bit"},
		{"clock: TOP.clk\ninterfaces:\n  - {name: n, rail1: 'TOP.link[3].data', rail0: TOP.clk}", "TOP.link[3].data has 16 bits, but TOP.clk has 1"},
	} {
		refused(c.text, run, c.want)
	}
}
