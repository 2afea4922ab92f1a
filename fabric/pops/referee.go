package pops

import (
	"errors"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/referees"
	"starloom/firmware"
	"starloom/traces/input"
)

// Referee implements fabric.Network. In the two-hop class a packet has arrived when a processor of its destination
// group has received it; the sender learns this at once.
func (p Network) Referee(w *fabric.Workload, program *fabric.Program) fabric.Referee {
	packets := referees.NewPackets(p.Processors())
	if w.Adversary == nil && (program == nil || program.Name != twoHopsProgram) {
		return packets
	}
	packets.ArriveInUnit(p.Groups, p.GroupSize)
	return &adversaryReferee{packets, p}
}

type adversaryReferee struct {
	*referees.Packets
	net Network
}

func (r *adversaryReferee) Load(l *fabric.Load) error {
	if l.Workload.Adversary == nil {
		return r.Packets.Load(l)
	}
	destination, err := r.net.defeat(l.Call, l.Workload.Adversary.Slots)
	copy(r.Destination, destination)
	return err
}

// defeat reads the choices of a deterministic two-hop firmware, and builds a permutation that takes more than the
// given number of slots.
func (p Network) defeat(call func(string, ...uint32) (uint32, error), slots int) ([]uint32, error) {
	const key = "workload.adversary"
	none := &input.Error{Place: key, Reason: "this firmware has no choice table",
		Remedy: "define STARLOOM_CHOICE in the firmware, or use " + twoHopsProgram}
	if call == nil {
		return nil, none
	}
	var failed error
	table := NewChoiceTable(p, slots, func(packet, slot int) int {
		if failed != nil {
			return 0
		}
		var choice uint32
		choice, failed = call("choice", uint32(packet), uint32(slot-1), uint32(p.Groups), uint32(p.GroupSize))
		if failed == nil && choice >= uint32(p.Groups) {
			failed = fmt.Errorf("the choice table sends packet %d to group %d in slot %d; groups are 0 to %d", packet,
				choice, slot, p.Groups-1)
		}
		return int(choice)
	})
	if errors.Is(failed, firmware.ErrNoCall) {
		return nil, none
	}
	if failed != nil {
		return nil, input.Mistake(key, failed.Error(),
			"define STARLOOM_CHOICE in the firmware as a function that returns a group, or use "+twoHopsProgram)
	}
	permutation, _, err := Adversary(p, table, slots)
	if err != nil {
		return nil, input.Mistake(key, err.Error(), "request fewer slots, or use a larger network with d >= g")
	}
	return permutation, nil
}
