package emulator

func (m *Machine) endByRTL() {
	if m.RTL == nil || m.RTLFailed || !m.RTL.Failed() {
		return
	}
	m.Findings.add(m.RTL.Violation(uint64(m.timing.SlotCycles())))
	m.RTLFailed, m.ended = true, true
}
