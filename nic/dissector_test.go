package nic

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/traces/pcapng"
	"starloom/traces/pcapng/pcapngtest"
)

// tshark runs the real program with our dissector on a capture.
func tshark(t *testing.T, capture string, arguments ...string) string {
	t.Helper()
	return tsharkWith(t, nil, capture, arguments...)
}

// tsharkWith names the ports.
func tsharkWith(t *testing.T, ports []string, capture string, arguments ...string) string {
	t.Helper()
	var script bytes.Buffer
	require.NoError(t, WriteDissector(&script, ports))
	lua := filepath.Join(t.TempDir(), "starloom.lua")
	require.NoError(t, os.WriteFile(lua, script.Bytes(), 0o666))
	command := pcapngtest.Tshark(t, append([]string{"-X", "lua_script:" + lua, "-r", capture}, arguments...)...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Run(), "%s", &stderr)
	assert.NotContains(t, stderr.String()+stdout.String(), "Lua")
	return stdout.String()
}

// capture writes packets of every sort and returns the file's path.
func capture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	p, err := pcapng.NewWriter(&b, "")
	require.NoError(t, err)
	packet := func(path string, direction pcapng.Direction, status Status, slot uint32, cycle uint64, frame []byte) {
		id, err := p.Interface(path)
		require.NoError(t, err)
		port := uint16(pcapng.PortNone)
		if _, number, ok := strings.Cut(path, ".port["); ok {
			_, err := fmt.Sscanf(number, "%d]", &port)
			require.NoError(t, err)
		}
		require.NoError(t,
			p.Packet(id, &pcapng.Header{Direction: direction, Status: uint8(status), Port: port,
				Slot: slot, Cycle: cycle}, frame))
	}
	frame := func(h Header, payload []byte) []byte {
		return Marshal(make([]byte, FrameBytes(len(payload))), h, payload)
	}
	routed := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0x80000001), 12)
	sent := frame(Header{Kind: KindData, Flags: 0x80, Source: 3, Destination: 0xFFFFFFFE, Tag: 0xBEEF}, append(routed, "more"...))
	packet("pops.processor[3].port[0]", pcapng.Sent, 0, 0, 4, sent)
	packet("pops.processor[7].port[1]", pcapng.Received, StatusOK, 0, 9, sent)
	packet("pops.processor[8].port[0]", pcapng.Received, StatusCollision, 4294967295, math.MaxInt64, nil)
	damaged := bytes.Clone(sent)
	damaged[20] ^= 4
	packet("pops.processor[9].port[0]", pcapng.Received, StatusCRC, 2, 30, damaged)
	packet("pops.processor[9].port[0]", pcapng.Received, StatusOverflow, 2, 31, frame(Header{Kind: KindAck, Source: 4294967295, Destination: AnyDestination}, nil))
	packet("pops.processor[9].port[0]", pcapng.Sent, 0, 3, 40, frame(Header{Kind: KindControl, Source: 1, Destination: 2}, []byte("12345678")))
	packet("pops.processor[9].port[0]", pcapng.Sent, 0, 3, 41, frame(Header{Kind: KindData, Source: 1, Destination: 2}, []byte("1234567")))
	packet("pops.processor[9].port[0]", pcapng.Received, StatusCRC, 3, 42, sent[:20])
	packet("link[2]", pcapng.Received, StatusCRC, 3, 43, sent[:15])
	require.NoError(t, p.Close())
	path := filepath.Join(t.TempDir(), "run.pcapng")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	return path
}

func TestDissectorFields(t *testing.T) {
	path := capture(t)
	arguments := []string{"-T", "fields", "-E", "separator=|"}
	for _, field := range []string{"frame.interface_name", "starloom.cycle", "starloom.slot", "starloom.port", "starloom.direction", "starloom.status",
		"starloom.version", "starloom.kind", "starloom.flags", "starloom.payload_bytes", "starloom.source", "starloom.destination",
		"starloom.tag", "starloom.origin", "starloom.final"} {
		arguments = append(arguments, "-e", field)
	}
	assert.Equal(t, strings.Join([]string{
		"pops.processor[3].port[0]|4|0|0|0|0|1|0|0x80|12|3|0xfffffffe|0xbeef|2147483649|12",
		"pops.processor[7].port[1]|9|0|1|1|1|1|0|0x80|12|3|0xfffffffe|0xbeef|2147483649|12",
		"pops.processor[8].port[0]|9223372036854775807|4294967295|0|1|2|||||||||",
		// The damaged bit is in the third byte of the final destination: 12 + 4<<16.
		"pops.processor[9].port[0]|30|2|0|1|3|1|0|0x80|12|3|0xfffffffe|0xbeef|2147483649|262156",
		"pops.processor[9].port[0]|31|2|0|1|4|1|1|0x00|0|4294967295|0xffffffff|0x0000||",
		"pops.processor[9].port[0]|40|3|0|0|0|1|2|0x00|8|1|0x00000002|0x0000||",
		"pops.processor[9].port[0]|41|3|0|0|0|1|0|0x00|7|1|0x00000002|0x0000||",
		"pops.processor[9].port[0]|42|3|0|1|3|1|0|0x80|12|3|0xfffffffe|0xbeef||",
		"link[2]|43|3||1|3|||||||||",
		"",
	}, "\n"), tshark(t, path, arguments...))

	var want []string
	crcs := regexp.MustCompile(`0x[0-9a-f]{4}`)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	read, err := pcapngtest.Read(data)
	require.NoError(t, err)
	for _, p := range read.Packets {
		text := ""
		if f := p.PseudoHeader.Frame(); len(f) >= FrameBytesMin {
			text = fmt.Sprintf("0x%04x", Frame(f).CRC())
		}
		want = append(want, text)
	}
	got := tshark(t, path, "-T", "fields", "-e", "starloom.crc")
	assert.Equal(t, strings.Join(want, "\n")+"\n", got)
	assert.Len(t, crcs.FindAllString(got, -1), 7)
}

func TestDissectorFilters(t *testing.T) {
	path := capture(t)
	for filter, cycles := range map[string]string{
		"starloom.crc.ok == 1":                 "4 9 31 40 41",
		"starloom.crc.ok == 0":                 "30 42",
		"starloom.bad_crc":                     "30 42",
		"starloom.collision":                   "9223372036854775807",
		"starloom.bad_length":                  "42 43",
		"starloom.bad_version":                 "",
		"starloom.kind == 2":                   "40",
		"starloom.final == 12":                 "4 9",
		"starloom.port == 1":                   "9",
		"!starloom.port":                       "43",
		"starloom.status == \"collision\"":     "9223372036854775807",
		"_ws.expert.group == \"Checksum\"":     "30 42",
		"starloom.payload contains \"123456\"": "40 41",
	} {
		got := tshark(t, path, "-Y", filter, "-T", "fields", "-e", "starloom.cycle")
		assert.Equal(t, cycles, strings.Join(strings.Fields(got), " "), filter)
	}
}

func TestDissectorColumns(t *testing.T) {
	got := tshark(t, capture(t), "-T", "fields", "-E", "separator=|",
		"-e", "_ws.col.Protocol", "-e", "_ws.col.Source", "-e", "_ws.col.Destination", "-e", "_ws.col.Info")
	assert.Equal(t, strings.Join([]string{
		"Starloom|3|4294967294|slot 0, port 0 sent: data 3 -> 4294967294, tag 0xbeef, 12 bytes",
		"Starloom|3|4294967294|slot 0, port 1 received ok: data 3 -> 4294967294, tag 0xbeef, 12 bytes",
		"Starloom|||slot 4294967295, port 0 received collision",
		"Starloom|3|4294967294|slot 2, port 0 received crc: data 3 -> 4294967294, tag 0xbeef, 12 bytes, bad CRC",
		"Starloom|4294967295|any|slot 2, port 0 received overflow: ack 4294967295 -> any, tag 0x0000, 0 bytes",
		"Starloom|1|2|slot 3, port 0 sent: control 1 -> 2, tag 0x0000, 8 bytes",
		"Starloom|1|2|slot 3, port 0 sent: data 1 -> 2, tag 0x0000, 7 bytes",
		"Starloom|3|4294967294|slot 3, port 0 received crc: data 3 -> 4294967294, tag 0xbeef, 4 bytes, bad CRC",
		"Starloom|||slot 3, received crc: short frame",
		"",
	}, "\n"), got)
	tree := tshark(t, capture(t), "-V", "-c", "3")
	for _, want := range []string{"Kind: data (0)", "Status: collision (2)", "Direction: sent (0)", "Status: none (0)", "[CRC is right: True]", "Collision: two senders on one medium"} {
		assert.Contains(t, tree, want)
	}
}

// TestDissectorNamesPorts: where ports have names the tree, the column and filters know them.
func TestDissectorNamesPorts(t *testing.T) {
	ports := []string{"dim[1].port[+1]", "dim[1].port[+rho^2]"}
	path := capture(t)
	got := tsharkWith(t, ports, path, "-Y", `starloom.port == "dim[1].port[+rho^2]"`, "-T", "fields", "-e", "starloom.cycle", "-e", "_ws.col.Info")
	assert.Equal(t, "9\tslot 0, dim[1].port[+rho^2] received ok: data 3 -> 4294967294, tag 0xbeef, 12 bytes\n", got)
	assert.Contains(t, tsharkWith(t, ports, path, "-V", "-c", "1"), "Port: dim[1].port[+1] (0)")
}

// Lua 5.1 has neither bit operators nor integer division, and 5.4 has no
// unpack, setfenv or implicit conversion of floats in %d beyond integers.
func TestDissectorSuitsEveryLua(t *testing.T) {
	var a, b bytes.Buffer
	require.NoError(t, WriteDissector(&a, nil))
	require.NoError(t, WriteDissector(&b, nil))
	assert.Equal(t, a.String(), b.String())
	code := regexp.MustCompile(`(?m)--.*$|"[^"]*"`).ReplaceAllString(a.String(), "")
	for _, later := range []string{"//", "<<", ">>", "&", "|", "goto ", "<const>", "<close>", "bit32", "unpack", "setfenv"} {
		assert.NotContains(t, code, later)
	}
	assert.Empty(t, regexp.MustCompile(`~[^=]`).FindString(code))
}

func TestDissectorRefusesBrokenTables(t *testing.T) {
	for want, fields := range map[string][]pcapng.Field{
		"a is there twice":           {{Name: "a", Bits: 8}, {Name: "a", Offset: 8, Bits: 8}},
		"12 bits at bit 4":           {{Name: "a", Offset: 4, Bits: 12}},
		"the field direction, which": {{Name: "trace_version", Bits: 8}},
	} {
		d := dissector{bases: map[string]int{}, fields: map[string]pcapng.Field{}}
		for _, f := range fields {
			d.add(f, 0)
		}
		d.script(nil, nil)
		assert.ErrorContains(t, d.err, want)
	}
	full := errors.New("disk full")
	assert.ErrorIs(t, WriteDissector(failingWriter{full}, nil), full)
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
