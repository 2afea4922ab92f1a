package record

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/traffic"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/internal/outcome"
	"starloom/internal/outputs"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/pcapng"
	"starloom/traces/vcd"
)

// BareRun is a run of bare packets: what is recorded of it.
type BareRun struct {
	Config  *config.Config
	Seed    uint64
	Network *hw.RouterNetwork
	Packets *traffic.Bare
	Begin   uint64 // the cycle with which it begins
}

// Bare is what is written of a run of bare packets: a waveform while it runs, the packets at its end.
type Bare struct {
	waves
	capture *traces.File // nil for none
}

// BeginBare opens the files, which belong to out.
func BeginBare(r *BareRun, o Options, out *outputs.Set) (*Bare, error) {
	b := &Bare{}
	if err := b.open(r.Config.Name, o, out, func() (*shown, error) { return r.shown(), nil }); err != nil {
		return nil, err
	}
	var err error
	if b.capture, err = out.Open("--pcapng", "pcapng", o.PCAPNG); err != nil {
		return nil, err
	}
	lua, err := out.Open("--pcapng", "lua", o.PCAPNG.Beside(o.Lua, ".lua"))
	if err == nil && lua != nil {
		err = nic.WriteDissector(lua, r.Config.Network.Shape().PortLabels)
	}
	return b, err
}

func (r *BareRun) shown() *shown {
	names, most := r.Config.Network.Names(), uint64(1)
	for i := range r.Packets.Count() {
		most = max(most, r.Packets.ID(uint32(i)))
	}
	node := func(node int) string { return fabric.NodePath(r.Config.Network, node) }
	return &shown{
		config: r.Config, comments: traceComments(r.Config, r.Seed), begin: r.Begin, slot: func() uint64 { return 0 },
		boundary: func(func(hw.Probe, vcd.Form)) {}, hardware: func(func(hw.Probe)) {},
		routers: r.Network.Signals(node, hw.PacketNumbers{Bits: bits.Len64(most), Of: r.Packets.ID}),
		examples: func() string {
			kind := r.Config.Network.Kind()
			return "signals are, for example, " + kind + ".router[0].input[0].vc[0].state, " + names.Processor(0) + ".out.flit.valid; " +
				"* stands for a part of a name, ** for any number of names, [2..5] for a range"
		},
	}
}

// Watch is called in every cycle between Settle and Latch; nil if no one looks, or if what is looked at is known only when the
// run has ended.
func (b *Bare) Watch() func(cycle uint64) error {
	if b.wave == nil || b.wave.trigger {
		return nil
	}
	return b.wave.sample
}

// Again reports whether the run is to be repeated, for the window around its first violation.
func (b *Bare) Again(report *outcome.Report) bool {
	return b.wave != nil && b.wave.trigger && len(report.Violations) > 0
}

// Repeat is Watch of a run that is repeated.
func (b *Bare) Repeat(r *BareRun, report *outcome.Report) (watch func(cycle uint64) error, err error) {
	if err := b.vcd.Restart(); err != nil {
		return nil, err
	}
	b.of = r.shown()
	if b.wave, err = openWaveform(b.of, b.vcd); err != nil {
		return nil, err
	}
	b.wave.triggered, b.wave.pending, b.wave.at = true, true, min(report.Violations[0].Cycle, max(report.Cycles, 1)-1)
	return b.wave.sample, nil
}

// Finish writes the rest.
func (b *Bare) Finish(r *BareRun, report *outcome.Report) error {
	b.MarkFaults(report)
	if err := b.finish(report.Violations, report.Cycles); err != nil || b.capture == nil {
		return err
	}
	return r.writeCapture(b.capture)
}

// barePayload are the bytes of the pseudo frame of a packet: its number, the cycle in which it was created, its flits, and the
// routers that its head has passed.
const barePayload = 8 + 4 + 2 + 2

// writeCapture writes two pseudo frames for each packet: sent in the cycle in which its head is on the wire of its source, received
// in that of its tail at the sink; in the order of cycles, then of processors.
func (r *BareRun) writeCapture(file *traces.File) error {
	out, err := pcapng.NewWriter(file, strings.Join(traceComments(r.Config, r.Seed), "\n"))
	if err != nil {
		return err
	}
	type event struct {
		cycle, processor, packet uint32
		direction                pcapng.Direction
	}
	var events []event
	p := r.Packets
	note := func(at, wire, processor, packet uint32, direction pcapng.Direction) {
		if at != hw.PacketPending && uint64(at+wire) >= r.Begin {
			events = append(events, event{at + wire, processor, packet, direction})
		}
	}
	for i := range uint32(p.Count()) {
		note(p.Sent[i], 1, p.Source[i], i, pcapng.Sent)
		note(p.Received[i], 0, p.Destination[i], i, pcapng.Received)
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.processor, b.processor))
	})
	names, interfaces := r.Config.Network.Names(), map[uint32]pcapng.InterfaceID{}
	frame := make([]byte, nic.FrameBytes(barePayload))
	for _, e := range events {
		id, known := interfaces[e.processor]
		if !known {
			name := names.Processor(int(e.processor))
			if r.Config.PerPort {
				name = names.Port(int(e.processor), 0)
			}
			if id, err = out.Interface(name); err != nil {
				return err
			}
			interfaces[e.processor] = id
		}
		h := pcapng.Header{Direction: e.direction, Slot: e.cycle, Cycle: uint64(e.cycle)}
		hops := uint16(0)
		if e.direction == pcapng.Received {
			h.Status, hops = uint8(nic.StatusOK), p.Hops[e.packet]
		}
		var payload [barePayload]byte
		binary.BigEndian.PutUint64(payload[:], p.ID(e.packet))
		binary.BigEndian.PutUint32(payload[8:], p.Created[e.packet])
		binary.BigEndian.PutUint16(payload[12:], p.Size[e.packet])
		binary.BigEndian.PutUint16(payload[14:], hops)
		nic.Marshal(frame, nic.Header{Kind: nic.KindData, Source: p.Source[e.packet], Destination: p.Destination[e.packet],
			Tag: uint16(p.ID(e.packet))}, payload[:])
		if err := out.Packet(id, &h, frame); err != nil {
			return err
		}
	}
	return out.Close()
}
