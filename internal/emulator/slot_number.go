package emulator

import (
	"starloom/fabric"
	"starloom/firmware/wasm"
)

// slotReader names the first part that reads the slot number, "" if none does. Without such a part, the future of a
// state does not depend on its slot, and states of different slots are comparable.
func (x *Exploring) slotReader() (string, error) {
	c := x.Config
	transport, ok := x.transport.(fabric.Timeless)
	written := c.Source.Place != nil && c.Source.Place("stop.slots") != c.Source.Place("")
	for _, reader := range []struct {
		reads bool
		name  string
	}{
		{x.Plant != nil || x.Hardware != nil || x.flying != nil, "the cycle engine"},
		{!ok || !transport.Timeless(), "the network"},
		{written, "stop.slots"},
		{x.Script.First > 0, "the scenario's faults"},
		{x.offering != nil, "the arrivals of traffic"},
		{x.Schedule != nil, "the schedule of the firmware"},
		{x.Image.listenSlots > 1, "the listening table of several slots"},
		{len(x.armed) > 1, "rules.collision_free"},
		{c.Rules.DeadlineSlots > 0, "rules.deadline_slots"},
		{c.FinishBy > 0, "rules.finish_by"},
		{c.Rules.LatencyMax > 0, "rules.latency_max"},
		{c.Rules.PacketsPerProcessorMax > 0, "rules.packets_per_processor_max"},
		{c.Rules.ReceiveStep, "rules.receive_step"},
		{c.Firmware.CPU != nil, "the budget of the handlers"},
	} {
		if reader.reads {
			return reader.name, nil
		}
	}
	image, err := x.readImage(c.Source.Place("firmware"))
	if err != nil {
		return "", err
	}
	if wakes, err := wasm.SlotOnlyWakes(image); err != nil || !wakes {
		return "the firmware", err
	}
	return "", nil
}
