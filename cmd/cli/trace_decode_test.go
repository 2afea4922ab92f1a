package cli

import (
	"bytes"
	"compress/gzip"
	le "encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"
)

// ethernetFrames returns UDP packets of many sizes.
func ethernetFrames(t *testing.T, random *rand.Rand, count int) (frames [][]byte) {
	for i := range count {
		eth := layers.Ethernet{
			SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, byte(i)}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 1, byte(i)},
			EthernetType: layers.EthernetTypeIPv4,
		}
		ip := layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: net.IP{10, 0, 0, byte(i)},
			DstIP: net.IP{10, 0, 1, byte(i)}}
		udp := layers.UDP{SrcPort: layers.UDPPort(4000 + i), DstPort: 5000}
		require.NoError(t, udp.SetNetworkLayerForChecksum(&ip))
		payload := make([]byte, 18+random.IntN(200))
		for k := range payload {
			payload[k] = byte(random.Uint32())
		}
		b := gopacket.NewSerializeBuffer()
		options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
		require.NoError(t, gopacket.SerializeLayers(b, options, &eth, &ip, &udp, gopacket.Payload(payload)))
		frames = append(frames, bytes.Clone(b.Bytes()))
	}
	return frames
}

// axiStream returns the waveform of frames on an AXI stream of some bytes per cycle, with pauses on both sides.
func axiStream(random *rand.Rand, frames [][]byte, octets int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$timescale 1 ns $end\n$scope module tb $end\n$var wire 1 ! clk $end\n$var wire %d d rx_tdata [%d:0] $end\n"+
		"$var wire %d k rx_tkeep [%d:0] $end\n$var wire 1 v rx_tvalid $end\n$var wire 1 r rx_tready $end\n$var wire 1 l rx_tlast $end\n"+
		"$upscope $end\n$enddefinitions $end\n", 8*octets, 8*octets-1, octets, octets-1)
	cycle := 0
	tick := func(changes string) {
		fmt.Fprintf(&b, "#%d\n0!\n%s#%d\n1!\n", 10*cycle, changes, 10*cycle+5)
		cycle++
	}
	tick("0v\n0r\n0l\n")
	for _, frame := range frames {
		for at := 0; at < len(frame); at += octets {
			part := frame[at:min(at+octets, len(frame))]
			data, keep := "", ""
			for i := range octets {
				if i < len(part) {
					data, keep = fmt.Sprintf("%08b", part[i])+data, "1"+keep
				} else {
					data, keep = "xxxxxxxx"+data, "0"+keep
				}
			}
			for random.IntN(4) == 0 {
				tick("0v\nbx d\n")
			}
			last := 0
			if at+octets >= len(frame) {
				last = 1
			}
			held := fmt.Sprintf("1v\nb%s d\nb%s k\n%dl\n", data, keep, last)
			for random.IntN(3) == 0 {
				tick(held + "0r\n")
			}
			tick(held + "1r\n")
		}
	}
	tick("0v\n0l\n")
	return b.String()
}

// gmii returns the waveform of Ethernet frames at a PHY, each with preamble, start delimiter and check sequence. The
// check sequence of frame bad is wrong.
func gmii(frames [][]byte, bad int) string {
	var b strings.Builder
	b.WriteString("$timescale 1 ns $end\n$scope module tb $end\n$var wire 1 ! clk $end\n$var wire 8 d rxd [7:0] $end\n$var wire 1 v rx_dv $end\n" +
		"$upscope $end\n$enddefinitions $end\n")
	cycle := 0
	tick := func(changes string) {
		fmt.Fprintf(&b, "#%d\n0!\n%s#%d\n1!\n", 8*cycle, changes, 8*cycle+4)
		cycle++
	}
	tick("0v\n")
	for i, frame := range frames {
		whole := append(bytes.Repeat([]byte{0x55}, 7), 0xD5)
		whole = le.LittleEndian.AppendUint32(append(whole, frame...), crc32.ChecksumIEEE(frame))
		if i == bad {
			whole[20] ^= 1
		}
		for _, octet := range whole {
			tick(fmt.Sprintf("1v\nb%b d\n", octet))
		}
		tick("0v\nbx d\n")
	}
	return b.String()
}

// shark returns fields of a capture's packets as read by tshark.
func shark(t *testing.T, dir, capture string, fields ...string) []string {
	args := []string{"-r", capture, "-T", "fields"}
	for _, field := range fields {
		args = append(args, "-e", field)
	}
	command := exec.Command("tshark", args...)
	command.Dir = dir
	out, err := command.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// payloads returns all bytes of a capture's packets as read by tshark.
func payloads(t *testing.T, dir, capture string) (frames [][]byte) {
	command := exec.Command("tshark", "-r", capture, "-T", "json", "-x")
	command.Dir = dir
	out, err := command.Output()
	require.NoError(t, err)
	for _, part := range strings.Split(string(out), `"frame_raw": [`)[1:] {
		frame, err := hex.DecodeString(strings.Split(part, `"`)[1])
		require.NoError(t, err)
		frames = append(frames, frame)
	}
	return frames
}

// TestLongTraceDecodeOfStreams compares captures of byte frames on an AXI stream and GMII, from all forms of
// waveforms, with tshark.
func TestLongTraceDecodeOfStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 7))
	frames := ethernetFrames(t, random, 12)
	dir := folder(t, map[string]string{
		"axi.yaml":  "clock: tb.clk\nframes: ethernet\ninterfaces:\n  - {name: rx, axi_stream: tb.rx_}\n",
		"pins.yaml": "clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, data: tb.rx_tdata, valid: tb.rx_tvalid, ready: tb.rx_tready, last: tb.rx_tlast, keep: tb.rx_tkeep}\n",
		"high.yaml": "clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, data: tb.rx_tdata, valid: tb.rx_tvalid, ready: tb.rx_tready, last: tb.rx_tlast, first_byte: high}\n",
		"gmii.yaml": "clock: tb.clk\nframes: ethernet\npreamble: true\nfcs: true\ninterfaces:\n  - {name: phy, data: tb.rxd, valid: tb.rx_dv}\n",
		"a.vcd":     axiStream(random, frames, 8), "one.vcd": axiStream(random, frames, 1), "wide.vcd": axiStream(random, frames, 64), "gmii.vcd": gmii(frames, 5),
	})
	decode := func(args ...string) result {
		r := starloomIn(t, dir, append([]string{"trace", "decode"}, args...)...)
		require.Equal(t, statusPass, r.status, "%q: %s", args, r.stderr)
		return r
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.vcd"))
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.vcd.gz"), packed.Bytes(), 0o666))
	require.NoError(t, exec.Command("vcd2fst", filepath.Join(dir, "a.vcd"), filepath.Join(dir, "a.fst")).Run())
	for _, name := range []string{"a.vcd", "one.vcd", "wide.vcd", "a.vcd.gz", "a.fst"} {
		r := decode(name, "--map", "axi.yaml", "--pcapng", "a.pcapng")
		require.Equal(t, frames, payloads(t, dir, "a.pcapng"), name)
		require.Contains(t, r.stdout, "frames      12: 12 ok, 0 damaged, 0 collided\n")
		for i, line := range shark(t, dir, "a.pcapng", "frame.interface_name", "ip.src", "udp.srcport", "udp.checksum.status") {
			require.True(t, strings.HasPrefix(line, fmt.Sprintf("rx\t10.0.0.%d\t%d\t", i, 4000+i)), line)
		}
	}
	require.NoFileExists(t, filepath.Join(dir, "a.lua"), "tshark needs no dissector")
	for _, fed := range []result{fed(t, dir, string(text), "trace", "decode", "-", "--map", "pins.yaml", "--pcapng", "a.pcapng"),
		fed(t, dir, packed.String(), "trace", "decode", "-", "--map", "pins.yaml", "--pcapng", "a.pcapng")} {
		require.Equal(t, statusPass, fed.status, fed.stderr)
		require.True(t, strings.HasPrefix(fed.stdout, "standard input\n"), fed.stdout)
		require.Equal(t, frames, payloads(t, dir, "a.pcapng"))
	}
	// The other byte order, without keep: frames with unknown bytes are damaged.
	r := decode("one.vcd", "--map", "high.yaml", "--pcapng", "a.pcapng")
	require.Equal(t, frames, payloads(t, dir, "a.pcapng"))
	require.Contains(t, r.stdout, "12 ok, 0 damaged")
	r = decode("wide.vcd", "--map", "high.yaml", "--pcapng", "a.pcapng")
	require.Regexp(t, `frames +12: \d+ ok, [1-9]\d* damaged`, r.stdout)
	require.Regexp(t, `damaged +\d+: x or z, first in cycle \d+`, r.stdout)

	r = decode("gmii.vcd", "--map", "gmii.yaml", "--pcapng", "g.pcapng", "--json", "g.json")
	require.Contains(t, r.stdout, "12: 11 ok, 1 damaged, 0 collided\n")
	require.Contains(t, r.stdout, "damaged     1: wrong frame check sequence, first in cycle ")
	found := payloads(t, dir, "g.pcapng")
	require.Len(t, found, 12)
	for i := range found {
		if i != 5 {
			require.Equal(t, frames[i], found[i])
		}
	}
	require.Len(t, found[5], len(frames[5])+4, "a wrong check sequence stays")
}

// TestTraceDecodeRefuses checks that wrong maps of bytes are refused.
func TestTraceDecodeRefuses(t *testing.T) {
	dir := folder(t, map[string]string{"a.vcd": axiStream(rand.New(rand.NewPCG(1, 1)), [][]byte{{1, 2, 3}}, 4)})
	lane := "interfaces:\n  - {name: rx, axi_stream: tb.rx_}\n"
	for _, c := range []struct{ text, want string }{
		{"clock: tb.clk\n" + lane, "m.yaml:3:5: the interface rx has axi_stream, keep, bad or first_byte, which need frames of bytes; write frames: raw"},
		{"clock: tb.clk\nframes: raw\nfcs: true\n" + lane, "fcs and preamble apply only to Ethernet frames"},
		{"clock: tb.clk\nframes: atm\n" + lane, `"atm"`},
		{"clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, axi_stream: tb.tx_}\n", "m.yaml:4:5: data: there is no signal tb.tx_tdata"},
		{"clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, axi_stream: tb.rx_, last: tb.rx_tlast}\n", "axi_stream and data, valid or last"},
		{"clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, data: tb.rx_tdata, valid: tb.rx_tvalid, ready: tb.rx_tready}\n", "the end of a frame is unknown; add last or first"},
		{"clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, data: tb.rx_tkeep, valid: tb.rx_tvalid}\n", "data: tb.rx_tkeep has 4 bits, not whole bytes"},
		{"clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, data: tb.rx_tdata, valid: tb.rx_tvalid, keep: tb.rx_tlast}\n", "expected one for each of 4 bytes"},
		{"clock: tb.clk\nframes: raw\ninterfaces:\n  - {name: rx, rail1: tb.rx_tdata, rail0: tb.rx_tdata}\n", "rails or a port"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "m.yaml"), []byte(c.text), 0o666))
		before := list(t, dir)
		r := starloomIn(t, dir, "trace", "decode", "a.vcd", "--map", "m.yaml", "--pcapng", "x.pcapng")
		require.Equal(t, statusInput, r.status, "%s: %s", c.text, r.stderr)
		require.Contains(t, r.stderr, c.want, c.text)
		require.Equal(t, before, list(t, dir))
	}
}

// TestTraceForms checks that every trace command reads FST, gzip and standard input, and reports errors in them.
func TestTraceForms(t *testing.T) {
	dir := traced(t)
	t.Setenv("TMPDIR", t.TempDir())
	text, err := os.ReadFile(filepath.Join(dir, "a.vcd"))
	require.NoError(t, err)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	write := func(name string, data []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	write("a.vcd.gz", packed.Bytes())
	write("cut.vcd.gz", packed.Bytes()[:packed.Len()/2])
	require.NoError(t, exec.Command("vcd2fst", filepath.Join(dir, "a.vcd"), filepath.Join(dir, "a.fst")).Run())
	require.NoError(t, exec.Command("vcd2fst", "-c", filepath.Join(dir, "a.vcd"), filepath.Join(dir, "packed.fst")).Run())
	fst, err := os.ReadFile(filepath.Join(dir, "a.fst"))
	require.NoError(t, err)
	write("cut.fst", fst[:len(fst)-20])
	for _, name := range []string{"a.vcd.gz", "a.fst", "packed.fst"} {
		r := starloomIn(t, dir, "trace", "diff", "a.vcd", name)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.True(t, strings.HasPrefix(r.stdout, "EQUAL  a.vcd  "+name+"\n"), r.stdout)
		require.Equal(t, statusFail, starloomIn(t, dir, "trace", "diff", name, "b.vcd").status)
		r = starloomIn(t, dir, "trace", "info", name)
		require.Contains(t, r.stdout, "timescale    1 ns\n")
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		for _, piped := range [][]string{{"a.vcd", "-"}, {"-", "a.vcd"}} {
			r = fed(t, dir, string(data), "trace", "diff", piped[0], piped[1])
			require.Equal(t, statusPass, r.status, r.stderr)
			require.True(t, strings.HasPrefix(r.stdout, "EQUAL  "), r.stdout)
		}
		require.Contains(t, fed(t, dir, string(data), "trace", "info", "-").stdout, "standard input\n  kind  ")
	}
	require.Equal(t, statusFail, fed(t, dir, string(text), "trace", "diff", "-", "b.vcd").status, "drawn, so read again")
	capture, err := os.ReadFile(filepath.Join(dir, "a.pcapng"))
	require.NoError(t, err)
	require.Contains(t, fed(t, dir, string(capture), "trace", "info", "-").stdout, "kind        pcapng\n")
	for _, c := range []struct{ args, in, want string }{
		{"info cut.vcd.gz", "", "cut.vcd.gz: it is packed with gzip, but truncated; pack or copy the file again"},
		{"info cut.fst", "", "cut.fst: this FST is incomplete: its block at byte "},
		{"diff a.vcd cut.fst", "", "cut.fst: this FST is incomplete"},
		{"diff - -", "", "standard input: it cannot stand for both files; give a file for one of them"},
		{"info -", "", "standard input: the file is empty; give a VCD"},
		{"diff a.vcd -", "hello", `standard input:1: found "hello"`},
	} {
		r := fed(t, dir, c.in, strings.Fields("trace "+c.args)...)
		require.Equal(t, statusInput, r.status, c.args)
		require.Contains(t, r.stderr, c.want, c.args)
	}
	command := exec.Command(binary, "trace", "info", "a.fst")
	command.Dir, command.Env = dir, append(os.Environ(), "PATH=/nowhere")
	out, err := command.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "a.fst: this is an FST, but fst2vcd, which reads FST, is not on the PATH; install the Debian "+
		"package gtkwave, or give a VCD\n", string(out))
	leftover, err := filepath.Glob(filepath.Join(os.TempDir(), "starloom-*.wave"))
	require.NoError(t, err)
	require.Empty(t, leftover)
}
