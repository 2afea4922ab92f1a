package emulator

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/internal/config"
	"starloom/nic"
	"starloom/traces"
)

// Identity is something in which saved states may differ.
type Identity struct {
	Name, Text string
	Other      string // what the state is of, if it is not this
}

// stateIdentity refuses the state of another firmware, seed, scenario or way to run it.
func (m *Machine) stateIdentity(v *hw.StateVisitor) {
	mode, rtl := cmp.Or(m.Config.Firmware.Mode, config.ModeBanked), ""
	if m.RTL != nil {
		rtl = string(m.RTL.Identity())
	}
	StateIdentity(v, IdentityOf(m.Config, m.Image.SHA256, m.Config.Seed),
		Identity{"engine", m.options.Engine, "another engine (this is " + m.options.Engine + ")"},
		Identity{"mode", mode, "another mode of the firmware (this is " + mode + ")"},
		Identity{"bank", fmt.Sprint(m.options.BankSize), "banks of another size (these are of " +
			traces.Plural(uint64(m.options.BankSize), "processor", "processors") + ")"},
		Identity{"rtl", rtl, "other RTL"})
}

// IdentityOf tells runs of a scenario apart, by the SHA-256 of their firmware and their seed.
func IdentityOf(c *config.Config, image string, seed uint64) []Identity {
	return []Identity{{"firmware", image, "another firmware"}, {"seed", fmt.Sprint(seed), "another seed"},
		{"scenario", c.Source.Identity(), "another scenario"}}
}

// StateIdentity refuses a state that differs, and says all in which it does.
func StateIdentity(v *hw.StateVisitor, list []Identity, further ...Identity) {
	var others []string
	for _, own := range append(list, further...) {
		sum := sha256.Sum256([]byte(own.Text))
		found := slices.Clone(sum[:])
		hw.StateColumn(v, "identity."+own.Name, found, func(i int, value byte) error {
			found[i] = value
			if i == len(sum)-1 && !bytes.Equal(found, sum[:]) {
				others = append(others, own.Other)
			}
			return nil
		})
	}
	if len(others) > 0 {
		v.Fail(errors.New("the state is of " + strings.Join(others, ", ")))
	}
}

// endError says why a restored run cannot be as far as its state says, nil if it can.
func (m *Machine) endError() error {
	switch limit := m.slot >= m.Config.Slots; {
	case !m.started && (m.slot > 0 || m.finished || m.ended || m.RTLFailed || m.Digest.NextSlot > 0):
		return fmt.Errorf("it has not started, and has finished %t, ended %t, a digest up to slot %d", m.finished, m.ended, m.Digest.NextSlot)
	case !m.started:
		return nil
	case m.startsSlot0():
		return errors.New("it has started, and has neither ended nor come to the next slot")
	case m.RTLFailed != m.foundRTL():
		return fmt.Errorf("its RTL has failed %t, and its violations say %t", m.RTLFailed, m.foundRTL())
	case !m.ended && (m.finished || m.RTLFailed || limit):
		return fmt.Errorf("it has not ended, and has finished %t, RTL that failed %t, its last slot reached %t", m.finished, m.RTLFailed, limit)
	case m.brokenOff():
		return nil
	case m.ending != nil && m.finished != m.ending.Over(m.faults.column()):
		return fmt.Errorf("it has finished %t, and all has arrived %t", m.finished, !m.finished)
	case !m.ended || limit && !m.finished || m.ending != nil && m.finished:
		return nil // it goes on, or its limit or its workload has ended it
	case !m.finished && m.ending == nil:
		return errors.New("it has ended, has not finished, and its last slot has not come")
	}
	return m.openError()
}

// startsSlot0 reports whether handlers of a machine have been called, and slot 0 has not been run: no state is saved there.
func (m *Machine) startsSlot0() bool { return m.slot == 0 && !m.ended && m.bare == nil }

// brokenOff reports whether RTL that failed, or frames that wait for one another for ever, have ended the run.
func (m *Machine) brokenOff() bool { return m.RTLFailed || m.flying != nil && m.flying.Deadlocked() }

func (m *Machine) foundRTL() bool {
	return slices.ContainsFunc(m.Findings.Kept, func(v outcome.Violation) bool {
		return v.Rule == outcome.RuleRTLFault || v.Rule == outcome.RuleRTLUnknown || v.Rule == outcome.RuleRTLTool
	})
}

// openError names a processor that is not done, nil if all are.
func (m *Machine) openError() error {
	open := -1
	m.eachProcessor(func(bank *nic.Bank, cell int) {
		if open < 0 && bank.Registers[cell].Flags&(nic.FlagDone|nic.FlagFaulty) == 0 {
			open = bank.First + cell
		}
	})
	if open >= 0 {
		return fmt.Errorf("all processors were done, and processor %d is not", open)
	}
	return nil
}
