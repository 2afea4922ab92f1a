package emulator

import (
	"fmt"

	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

func (m *Machine) newGivenDraws() *givenDraws {
	list := m.Config.Choices.Draws
	if len(list) == 0 {
		return nil
	}
	d := &givenDraws{outcomes: map[drawPlace][]uint32{}, made: make([]int, m.Shape.Processors())}
	for _, x := range list {
		at := drawPlace{x.Processor, x.Slot}
		d.outcomes[at] = append(d.outcomes[at], x.Outcomes...)
	}
	return d
}

// choose is called at once for processors of different banks.
func (m *Machine) choose(draw firmware.Draw) (uint32, error) {
	if draw.Outcomes <= 1 {
		return draw.Drawn, nil
	}
	k := m.chosen.made[draw.Processor]
	m.chosen.made[draw.Processor]++
	given := m.chosen.outcomes[drawPlace{draw.Processor, m.slot}]
	if k >= len(given) {
		return draw.Drawn, nil
	}
	if given[k] >= draw.Outcomes {
		return 0, fmt.Errorf("choices.draws gives the outcome %d to a draw with the outcomes 0 to %d", given[k],
			draw.Outcomes-1)
	}
	return given[k], nil
}

// chooseDraws makes the firmware ask for its draws, if a scenario or an exploration chooses them.
func (m *Machine) chooseDraws(image []byte) error {
	place := "explore.choices"
	switch m.chosen = m.newGivenDraws(); {
	case m.options.Draws != nil:
		m.Host.Choose(m.options.Draws.choose)
	case m.chosen != nil:
		place = "choices.draws"
		m.Host.Choose(m.choose)
	default:
		return nil
	}
	if rv32.Is(image) {
		return m.Config.Source.Refuse(place, "the draws of a program for RISC-V cannot be chosen",
			"build the firmware as an image: starloom firmware build")
	}
	chosen, others, err := wasm.Draws(image)
	if err != nil {
		return nil // loading names the mistake
	}
	switch {
	case others:
		return m.Config.Source.Refuse(place, m.Image.Name+" has draws that cannot be chosen: they are not those of "+
			"sl_chance, sl_random_bits and sl_random_below of this starloom.h",
			"compile the image again, in C or C++, with names (without -s)")
	case !chosen && m.chosen != nil:
		return m.Config.Source.Refuse(place, m.Image.Name+" draws nothing", "delete choices.draws")
	}
	return nil
}
