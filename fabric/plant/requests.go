package plant

import (
	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// requests handles disciplines with requests. A request is decided within a slot, and the NIC learns the result at
// the boundary.
type requests struct {
	front *Front
	asked []uint8 // by processor: 1 if its NIC has a request in the crossing slot
}

func newRequests(p *Front) requests {
	return requests{front: p, asked: make([]uint8, p.shape.Processors())}
}

// ask loads the transmitters of a window with the heads of TX FIFOs. output returns the output that a processor
// requests. NICs repeat unserved requests themselves.
func (r *requests) ask(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window,
	output func(processor int, frame nic.FrameView) uint16,
) {
	p := r.front
	for cell := window.First; cell < window.End; cell++ {
		if bank.Registers[cell].TxCount == 0 {
			continue
		}
		frame := bank.TxHead(cell)
		if !bank.Legal(cell, frame) {
			fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
			continue
		}
		processor := bank.First + cell
		frame.SetSource(uint32(processor))
		p.serialisers.Load(processor, frame.AppendWire(p.serialisers.Blank(processor)), output(processor, frame))
		p.sent[processor], r.asked[processor] = 0, 1
		ledger.Sending = true
	}
}

func (r *requests) answer(bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	for cell := window.First; cell < window.End; cell++ {
		if processor := bank.First + cell; r.asked[processor] != 0 {
			r.asked[processor] = 0
			flow.Answer(bank, ledger, cell, r.outcome(processor), 0, slot)
		}
	}
}

// outcome returns the result of a processor's request in the crossed slot, for flow.Answer.
func (r *requests) outcome(processor int) int {
	output, ok := r.front.serialisers.Served(processor)
	switch {
	case !ok:
		return flow.NoOne
	case r.front.media.Collided != nil && r.front.media.Collided(processor):
		return flow.Met
	}
	return int(output)
}

// crossed records served frames for RTL.
func (r *requests) crossed(slot uint32, listed bool) {
	p := r.front
	if p.sums == nil {
		return
	}
	for processor, asked := range r.asked {
		if asked != 0 && r.outcome(processor) != flow.NoOne {
			p.sums.send(slot, processor, p.serialisers.Sent(processor, listed))
		}
	}
}

func (r *requests) state(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Future, "asked", r.asked, hw.AtMost[uint8](1))
}
