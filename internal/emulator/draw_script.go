package emulator

import (
	"errors"

	"starloom/firmware"
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

func (d *givenDraws) begin() {
	if d != nil {
		clear(d.made)
	}
}
