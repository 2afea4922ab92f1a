package emulator

import (
	"errors"
	"fmt"
	"strings"

	"starloom/firmware"
	"starloom/firmware/rv32"
	"starloom/firmware/wasm"
)

// JointOutcomesMax bounds the joint outcomes of the draws of a slot.
const JointOutcomesMax = 4096

// DrawScript chooses the draws of a step of an exploration, in the order of their calls.
type DrawScript struct {
	Chosen []uint32        // outcomes of the first draws; the others get outcome 0
	Made   []firmware.Draw // the draws of the step with several outcomes; Drawn is the given outcome
	Wide   bool            // one draw alone has too many outcomes, or the step has too many draws
	Bare   bool            // a handler has called sl_random
}

// begin prepares a step.
func (d *DrawScript) begin() { d.Made, d.Wide, d.Bare = d.Made[:0], false, false }

func (d *DrawScript) choose(draw firmware.Draw) (uint32, error) {
	switch {
	case draw.Outcomes == 0:
		d.Bare = true
		return 0, errors.New("sl_random has 2^32 outcomes")
	case draw.Outcomes == 1:
		return draw.Drawn, nil
	case draw.Outcomes > JointOutcomesMax || len(d.Made) >= JointOutcomesMax:
		d.Wide = true
		return 0, errors.New("too many outcomes")
	}
	k := len(d.Made)
	if draw.Drawn = 0; k < len(d.Chosen) {
		draw.Drawn = d.Chosen[k]
	}
	d.Made = append(d.Made, draw)
	return draw.Drawn, nil
}

// Next chooses the next joint outcomes after those of the last step. It returns false after the last of them.
func (d *DrawScript) Next() bool {
	k := len(d.Made) - 1
	for k >= 0 && d.Made[k].Drawn+1 == d.Made[k].Outcomes {
		k--
	}
	d.Chosen = d.Chosen[:0]
	for i := range k + 1 {
		d.Chosen = append(d.Chosen, d.Made[i].Drawn)
	}
	if k >= 0 {
		d.Chosen[k]++
	}
	return k >= 0
}

// givenDraws are the draws that a scenario chooses.
type givenDraws struct {
	outcomes map[drawPlace][]uint32
	made     []int // by processor, in this boundary
}

type drawPlace struct {
	processor int
	slot      uint32
}

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

func (d *givenDraws) begin() {
	if d != nil {
		clear(d.made)
	}
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

// BareDraw returns an error with the place of a call of sl_random in the last step, nil without one.
func (x *Exploring) BareDraw() error {
	if x.Draws == nil || !x.Draws.Bare {
		return nil
	}
	place := ""
	for i := range x.Findings.Kept {
		for _, frame := range x.Findings.Kept[i].Backtrace {
			if own, ok := ownFrame([]wasm.Frame{frame}); ok && place == "" && !strings.HasPrefix(own.Function, "sl_") {
				place = fmt.Sprintf(" in %s at %s", own.Function, own.Source)
			}
		}
	}
	return x.Config.Source.Refuse("explore.choices", x.Image.Name+" calls sl_random"+place+
		", whose 2^32 outcomes are not explored", "call sl_chance, sl_random_bits or sl_random_below there")
}
