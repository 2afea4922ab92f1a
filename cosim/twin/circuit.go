package twin

import (
	"fmt"

	"starloom/hw"
)

// A circuit is the model of common RTL that no machine contains. Its outputs follow both registers and inputs within
// a cycle.
type circuit struct {
	hw.Registers
	twin  string
	ports []hw.Port
	latch func()
}

func (c *circuit) declare(registers ...hw.Register) {
	c.Registers = hw.Declare(hw.Declaration{Bank: one("circuit"), Registers: registers})
}

func (c *circuit) input(name string, bits int) *uint64 {
	value := new(uint64)
	c.ports = append(c.ports,
		hw.Port{Name: name, Bits: bits, Input: true, Get: hw.GetPins(func(int, hw.Pins) {}),
			Put: hw.PutValue(func(_ int, put uint64) error {
				*value = put
				return nil
			})})
	return value
}

func (c *circuit) output(name string, bits int, get func() uint64) {
	c.ports = append(c.ports, hw.Port{
		Name: name, Bits: bits, Get: hw.GetValue(func(int) uint64 { return get() }), Put: hw.Unread,
	})
}

func (c *circuit) Latches() []hw.Wire { return nil }
func (c *circuit) Latch(hw.Shard)     { c.latch() }

func (c *circuit) Site() *hw.Site {
	return &hw.Site{
		Twin: c.twin, What: "circuits", Parameters: hw.Same(map[string]int{}), Elements: 1,
		Path: func(int) string { return c.Path() }, Clocked: true, Combinational: true, Ports: c.ports,
	}
}

func (p Parameters) within(bounds map[string][2]int) error {
	for name, b := range bounds {
		if p[name] < b[0] || p[name] > b[1] {
			return fmt.Errorf("%s is %d; allowed: %d to %d", name, p[name], b[0], b[1])
		}
	}
	return nil
}
