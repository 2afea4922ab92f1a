package nic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/traces/pcapng"
)

// The dissector is a Lua script for Wireshark and tshark:
//
//	tshark -X lua_script:starloom.lua -r run.pcapng -Y 'starloom.status == 2'
//
// The script is generated from pcapng.PseudoHeaderFields and FrameFields, so it matches the captures. Wireshark has
// Lua 5.1 to 5.4, depending on the version of Wireshark. Only Lua 5.3 and later have bit operators, so the script
// uses the bit library.

// Offsets of the addresses of a routed packet in the payload of a data frame. The firmware SDK defines the layout:
// little-endian, 32 bits each.
const (
	payloadOrigin     = 0
	payloadFinal      = 4
	payloadRouteBytes = 8
)

// WriteDissector writes the Wireshark dissector of Starloom's captures. The protocol is "starloom", on link type
// USER0. The fields of the pseudo-header and of the frame are starloom.NAME; the other fields are starloom.crc,
// starloom.crc.ok, starloom.payload, starloom.origin and starloom.final. ports are the names of ports, nil for none.
// The output is deterministic. WriteDissector returns write errors.
func WriteDissector(w io.Writer, ports []string) error {
	d := dissector{bases: map[string]int{}, fields: map[string]pcapng.Field{}}
	var pseudo, frame []string
	for _, f := range pcapng.PseudoHeaderFields {
		if f.Name == "status" {
			f.Names = slices.Concat([]string{"none"}, StatusNames[1:]) // idle statuses are not captured
		}
		if f.Name == "port" {
			f.Names = ports
		}
		d.add(f, 0)
		pseudo = append(pseudo, f.Name)
	}
	for _, f := range FrameFields {
		d.add(f, pcapng.PseudoHeaderBytes)
		frame = append(frame, f.Name)
	}
	script := d.script(pseudo, frame)
	if d.err != nil {
		return fmt.Errorf("dissector: %w", d.err)
	}
	if _, err := w.Write(script); err != nil {
		return fmt.Errorf("dissector: write: %w", err)
	}
	return nil
}

type dissector struct {
	names  []string // names in wire order
	fields map[string]pcapng.Field
	bases  map[string]int // byte offset of each field's header
	err    error
}

func (d *dissector) fail(format string, values ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, values...)
	}
}

func (d *dissector) add(f pcapng.Field, base int) {
	_, twice := d.fields[f.Name]
	whole := f.Offset%8 == 0 && (f.Bits == 8 || f.Bits == 16 || f.Bits == 32 || f.Bits == 64)
	within := f.Bits >= 1 && f.Offset%8+f.Bits <= 8
	switch {
	case twice:
		d.fail("field %s is there twice: rename one", f.Name)
	case !whole && !within:
		d.fail("field %s: %d bits at bit %d are neither 8, 16, 32 or 64 bits at a byte nor within one",
			f.Name, f.Bits, f.Offset)
	}
	d.names = append(d.names, f.Name)
	d.fields[f.Name] = f
	d.bases[f.Name] = base
}

func (d *dissector) field(name string) pcapng.Field {
	f, ok := d.fields[name]
	if !ok {
		d.fail("the field %s, which the dissector needs, does not exist: correct the tables or the dissector", name)
	}
	return f
}

func (d *dissector) span(name string) (first, count int) {
	f := d.field(name)
	return d.bases[name] + f.Offset/8, (f.Offset%8 + f.Bits + 7) / 8
}

func (d *dissector) value(name string) string {
	f := d.field(name)
	first, count := d.span(name)
	if f.Bits > 32 {
		d.fail("field %s has %d bits, but a Lua number is exact only up to 32", name, f.Bits)
	}
	if f.Bits == 8*count {
		return fmt.Sprintf("tvb(%d, %d):uint()", first, count)
	}
	return fmt.Sprintf("tvb(%d, %d):bitfield(%d, %d)", first, count, f.Offset%8, f.Bits)
}

func (d *dissector) declaration(name string) string {
	f := d.field(name)
	_, count := d.span(name)
	base, names, mask := "base.DEC", "nil", "nil"
	if f.Hex {
		base = "base.HEX"
	}
	if f.Names != nil {
		names = "names." + name
	}
	if f.Bits != 8*count {
		mask = fmt.Sprintf("0x%02X", (1<<f.Bits-1)<<(8-f.Offset%8-f.Bits))
	}
	return fmt.Sprintf("ProtoField.uint%d(%q, %q, %s, %s, %s, %q)", 8*count, "starloom."+name, title(name),
		base, names, mask, f.Doc)
}

// title converts a field name to a label: payload_bytes to Payload bytes.
func title(name string) string {
	text := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

func (d *dissector) script(pseudo, frame []string) []byte {
	for _, name := range []string{"trace_version", "direction", "status", "port", "slot", "cycle", "kind", "payload_bytes",
		"source", "destination", "tag"} {
		d.field(name)
	}
	if d.err != nil {
		return nil
	}
	b := &bytes.Buffer{}
	line := func(format string, values ...any) { fmt.Fprintf(b, format+"\n", values...) }

	b.WriteString(dissectorHead)
	line("local names = {}")
	for _, name := range d.names {
		f := d.fields[name]
		if f.Names == nil {
			continue
		}
		values := make([]string, len(f.Names))
		for value, text := range f.Names {
			values[value] = fmt.Sprintf("[%d] = %q", value, text)
		}
		line("names.%s = { %s }", name, strings.Join(values, ", "))
	}
	line("\nlocal f = {}")
	list := make([]string, len(d.names))
	for i, name := range d.names {
		line("f.%s = %s", name, d.declaration(name))
		list[i] = "f." + name
	}
	b.WriteString(dissectorMoreFields)
	line("starloom.fields = { %s,\n  f.payload, f.origin, f.final, f.crc, f.crc_ok }", strings.Join(list, ", "))

	line("\n-- Sizes in bytes, and where the frame starts.")
	line("local PSEUDO, HEADER, CRC = %d, %d, %d", pcapng.PseudoHeaderBytes, HeaderBytes, CRCBytes)
	line("local ROUTE, ORIGIN, FINAL = %d, %d, %d", payloadRouteBytes, payloadOrigin, payloadFinal)
	line("local VERSION, SENT, COLLISION, DATA = %d, %d, %d, %d", pcapng.PseudoHeaderVersion, pcapng.Sent,
		StatusCollision, KindData)
	line("local PORT_NONE = 0x%X", pcapng.PortNone)
	line("local ANY, CRC_INIT, CRC_POLYNOMIAL = 0x%X, 0x%X, 0x%X", uint32(AnyDestination), crcInit, crcTables[0][1])

	for _, part := range []struct {
		name   string
		fields []string
	}{{"pseudo", pseudo}, {"frame", frame}} {
		line("\nlocal function add_%s_fields(tvb, tree)", part.name)
		for _, name := range part.fields {
			first, count := d.span(name)
			if absent := d.field(name).Absent; absent != 0 {
				line("  if %s ~= %d then tree:add(f.%s, tvb(%d, %d)) end", d.value(name), absent, name, first, count)
				continue
			}
			line("  tree:add(f.%s, tvb(%d, %d))", name, first, count)
		}
		line("end")
	}
	for _, name := range []string{"trace_version", "direction", "status", "port", "slot", "kind", "payload_bytes",
		"source", "destination", "tag"} {
		line("\nlocal function get_%s(tvb)", name)
		line("  return %s", d.value(name))
		line("end")
	}
	b.WriteString(dissectorBody)
	if strings.Contains(b.String(), "%!") {
		d.err = errors.New("a format in the generator does not fit its values")
	}
	return b.Bytes()
}

const dissectorHead = `-- Wireshark dissector of Starloom's packet captures (link type USER0).
-- Generated by Starloom from the definitions of pseudo-header and frame.
--
--   tshark -X lua_script:starloom.lua -r run.pcapng
--   wireshark -X lua_script:starloom.lua run.pcapng
--
-- or copy it into the personal Lua plugins folder (Help, About, Folders).
-- It runs with Lua 5.1 to 5.4.

local starloom = Proto("starloom", "Starloom")

`

const dissectorMoreFields = `f.payload = ProtoField.bytes("starloom.payload", "Payload", base.SPACE, ` +
	`"what the frame carries")
f.origin = ProtoField.uint32("starloom.origin", "Origin", base.DEC, nil, nil, "NIC that the packet started from")
f.final = ProtoField.uint32("starloom.final", "Final destination", base.DEC, nil, nil, "NIC that the packet is for")
f.crc = ProtoField.uint16("starloom.crc", "CRC", base.HEX, nil, nil, "CRC-16/CCITT-FALSE over the frame before it")
f.crc_ok = ProtoField.bool("starloom.crc.ok", "CRC is right", base.NONE, nil, nil, "the CRC fits the frame")
`

const dissectorBody = `
local bad = {}
bad.version = ProtoExpert.new("starloom.bad_version", "Unknown version of the pseudo-header",
  expert.group.UNDECODED, expert.severity.WARN)
bad.length = ProtoExpert.new("starloom.bad_length", "The frame is not as long as its header says",
  expert.group.MALFORMED, expert.severity.ERROR)
bad.crc = ProtoExpert.new("starloom.bad_crc", "The CRC is wrong",
  expert.group.CHECKSUM, expert.severity.ERROR)
bad.collision = ProtoExpert.new("starloom.collision", "Collision: two senders on one medium",
  expert.group.PROTOCOL, expert.severity.WARN)
starloom.experts = { bad.version, bad.length, bad.crc, bad.collision }

local crc_table = {}
for i = 0, 255 do
  local crc = bit.lshift(i, 8)
  for _ = 1, 8 do
    local top = bit.band(crc, 0x8000)
    crc = bit.band(bit.lshift(crc, 1), 0xFFFF)
    if top ~= 0 then
      crc = bit.bxor(crc, CRC_POLYNOMIAL)
    end
  end
  crc_table[i] = crc
end

local function checksum(range)
  local bytes = range:bytes()
  local crc = CRC_INIT
  for i = 0, bytes:len() - 1 do
    local index = bit.bxor(bit.rshift(crc, 8), bytes:get_index(i))
    crc = bit.bxor(bit.band(bit.lshift(crc, 8), 0xFFFF), crc_table[index])
  end
  return crc
end

local function name_of(names, value)
  return names[value] or string.format("%d", value)
end

-- Shows the frame and returns what the info column says about it.
local function dissect_frame(tvb, pinfo, root)
  local length = tvb:len() - PSEUDO
  local tree = root:add(starloom, tvb(PSEUDO), "Frame")
  if length < HEADER + CRC then
    tree:add_proto_expert_info(bad.length, string.format("The frame has %d bytes, the shortest has %d", length, HEADER +
	CRC))
    return "short frame"
  end
  add_frame_fields(tvb, tree)
  local payload_bytes = length - HEADER - CRC
  if get_payload_bytes(tvb) ~= payload_bytes then
    tree:add_proto_expert_info(bad.length,
      string.format("The payload has %d bytes, the header says %d", payload_bytes, get_payload_bytes(tvb)))
  end
  if payload_bytes > 0 then
    local payload = tvb(PSEUDO + HEADER, payload_bytes)
    local sub = tree:add(f.payload, payload)
    if get_kind(tvb) == DATA and payload_bytes >= ROUTE then
      sub:add_le(f.origin, payload(ORIGIN, 4))
      sub:add_le(f.final, payload(FINAL, 4))
    end
  end
  local at = tvb:len() - CRC
  local crc = tree:add(f.crc, tvb(at, CRC))
  local wanted = checksum(tvb(PSEUDO, length - CRC))
  local ok = tvb(at, CRC):uint() == wanted
  local shown = crc:add(f.crc_ok, tvb(at, CRC), ok)
  shown:set_generated()
  if not ok then
    crc:add_proto_expert_info(bad.crc, string.format("The CRC should be 0x%04x", wanted))
  end

  local source, destination = string.format("%.0f", get_source(tvb)), "any"
  if get_destination(tvb) ~= ANY then
    destination = string.format("%.0f", get_destination(tvb))
  end
  pinfo.cols.src:set(source)
  pinfo.cols.dst:set(destination)
  local info = string.format("%s %s -> %s, tag 0x%04x, %d byte%s",
    name_of(names.kind, get_kind(tvb)), source, destination, get_tag(tvb), ` +
	`payload_bytes, payload_bytes == 1 and "" or "s")
  if not ok then
    info = info .. ", bad CRC"
  end
  return info
end

function starloom.dissector(tvb, pinfo, tree)
  pinfo.cols.protocol:set("Starloom")
  local root = tree:add(starloom, tvb())
  if tvb:len() < PSEUDO then
    root:add_proto_expert_info(bad.length, "The pseudo-header is cut short")
    pinfo.cols.info:set("short pseudo-header")
    return tvb:len()
  end
  local pseudo = root:add(starloom, tvb(0, PSEUDO), "Pseudo-header")
  add_pseudo_fields(tvb, pseudo)
  if get_trace_version(tvb) ~= VERSION then
    pseudo:add_proto_expert_info(bad.version)
    pinfo.cols.info:set("unknown version")
    return tvb:len()
  end
  local direction, status = get_direction(tvb), get_status(tvb)
  local info = name_of(names.direction, direction)
  if direction ~= SENT then
    info = info .. " " .. name_of(names.status, status)
    if status == COLLISION then
      pseudo:add_proto_expert_info(bad.collision)
    end
  end
  if tvb:len() > PSEUDO then
    info = info .. ": " .. dissect_frame(tvb, pinfo, root)
  end
  local port = get_port(tvb)
  if port ~= PORT_NONE then
    info = (names.port and names.port[port] or string.format("port %d", port)) .. " " .. info
  end
  pinfo.cols.info:set(string.format("slot %.0f, %s", get_slot(tvb), info))
  return tvb:len()
end

DissectorTable.get("wtap_encap"):add((wtap_encaps or wtap).USER0, starloom)
`
