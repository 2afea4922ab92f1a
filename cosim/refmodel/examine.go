package refmodel

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

const examinedCycles = 256

// examine tests that settle is pure. Two devices get the same random inputs, and one of them also settles with other
// inputs in between. Their outputs must be equal in every cycle. A fault of the model ends the test, because random
// inputs may break its assumptions. The words of memory that change become the registers of the model.
func (m *Model) examine() error {
	plain, err := m.open()
	if err != nil {
		return err
	}
	defer plain.Close()
	disturbed, err := m.open()
	if err != nil {
		return err
	}
	defer disturbed.Close()
	changed := newChanges(plain)
	defer func() { m.registers = changed.registers() }()
	random := rand.New(rand.NewPCG(1, 0x5e77))
	inputs, others := slices.Clone(plain.inputs), slices.Clone(plain.inputs)
	for cycle := range examinedCycles {
		m.draw(random, inputs, cycle)
		m.draw(random, others, cycle)
		copy(plain.inputs, inputs)
		if plain.Settle() != nil {
			return nil
		}
		for _, rows := range [][]uint64{inputs, others, inputs, inputs} {
			copy(disturbed.inputs, rows)
			if disturbed.Settle() != nil {
				return nil
			}
		}
		if err := m.same(plain, disturbed, cycle); err != nil {
			return err
		}
		changed.see()
		if plain.Edge(1) != nil || disturbed.Edge(1) != nil {
			return nil
		}
		if err := m.same(plain, disturbed, cycle); err != nil {
			return err
		}
	}
	return nil
}

// draw draws inputs. Reset is on in the first cycle, and rarely later.
func (m *Model) draw(random *rand.Rand, inputs []uint64, cycle int) {
	for i := range inputs {
		if inputs[i] = random.Uint64(); random.IntN(4) == 0 {
			inputs[i] = 0
		}
	}
	if m.clocked {
		inputs[0] = 0
		if cycle == 0 || random.IntN(40) == 0 {
			inputs[0] = 1
		}
	}
}

func (m *Model) same(plain, disturbed *Device, cycle int) error {
	for _, p := range m.ports {
		if p.Input || slices.Equal(plain.outputs[p.Word:][:p.Words()], disturbed.outputs[p.Word:][:p.Words()]) {
			continue
		}
		return refuse(fmt.Sprintf("settle is not pure: after settle with other inputs in cycle %d of a test with random "+
			"inputs, %s is %#x instead of %#x", cycle, p.Name, disturbed.outputs[p.Word], plain.outputs[p.Word]),
			"write only outputs in settle; change state in edge")
	}
	return nil
}
