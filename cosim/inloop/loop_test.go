package inloop

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/hw"
)

var lines = []line{
	{phitBits: 8, compute: 0, propagation: 1, guard: 1},
	{phitBits: 64, compute: 2, propagation: 0, guard: 1},
	{phitBits: 13, compute: 1, propagation: 3, guard: 2},
}

func all(site *hw.Site) (elements []int) {
	for i := range site.Elements {
		elements = append(elements, i)
	}
	return elements
}

func oneEach(t *testing.T, site *hw.Site, elements []int) (parts []Part) {
	for _, element := range elements {
		parts = append(parts, Part{Device: device(t, site, element), Elements: []int{element}})
	}
	return parts
}

// TestInTheLoop checks that nothing visible changes if twins replace components, single elements, or several elements
// in one device.
func TestInTheLoop(t *testing.T) {
	const slots = 30
	for _, l := range lines {
		model, err := newMachine(t, l, nil)
		require.NoError(t, err)
		want := model.play(t, 0, slots, nil)
		require.Greater(t, strings.Count(want, "collision"), 3)
		require.Greater(t, strings.Count(want, "ok"), 5)
		for name, parts := range map[string]func(site *hw.Site) []Part{
			"every element": func(site *hw.Site) []Part { return oneEach(t, site, all(site)) },
			"single ones":   func(site *hw.Site) []Part { return oneEach(t, site, []int{3, 0}) },
			"side by side": func(site *hw.Site) []Part {
				var devices []cosim.Device
				for _, element := range []int{2, 0, 3} {
					devices = append(devices, device(t, site, element))
				}
				return append(oneEach(t, site, []int{1}), Part{Device: newArray(devices), Elements: []int{2, 0, 3}})
			},
		} {
			for _, only := range []string{"", "serialiser", "star_coupler", "link", "deserialiser"} {
				m, err := newMachine(t, l, func(m *machine, c hw.Sited) (hw.Component, error) {
					if site := c.Site(); only == "" || site.Twin == only {
						return m.loop.Replace(c, parts(site)...)
					}
					return c, nil
				})
				require.NoError(t, err)
				require.Equal(t, want, m.play(t, 0, slots, nil), "%+v, %s of %q", l, name, only)
				require.Nil(t, m.loop.Fault())
				m.kernel.Reset()
				m.kernel.BeforeCycle0()
				require.Equal(t, want, m.play(t, 0, slots, nil), "after a reset")
				require.Zero(t, m.kernel.QuietFor(9), "what RTL does in the dark is not known")
			}
		}
	}
}

// TestInTheLoopSaveRestore saves after every slot and continues in another machine, which was in a different state.
func TestInTheLoopSaveRestore(t *testing.T) {
	const slots = 6
	for _, l := range lines {
		build := func() *machine {
			m, err := newMachine(t, l, func(m *machine, c hw.Sited) (hw.Component, error) {
				return m.loop.Replace(c, oneEach(t, c.Site(), []int{2, 1})...)
			})
			require.NoError(t, err)
			return m
		}
		want := build().play(t, 0, slots, nil)
		got := build().play(t, 0, slots, func(m *machine, slot uint32) *machine {
			var state bytes.Buffer
			require.NoError(t, hw.Save(&state, m.kernel))
			other := build()
			other.play(t, 0, slot%3, nil)
			require.NoError(t, hw.Restore(&state, other.kernel))
			require.NoError(t, other.loop.Restored())
			return other
		})
		require.Equal(t, want, got)
	}
}

// swap exchanges the functions of two ports of a site.
func swap(site *hw.Site, first, second string) {
	var a, b *hw.Port
	for i := range site.Ports {
		switch p := &site.Ports[i]; p.Name {
		case first:
			a = p
		case second:
			b = p
		}
	}
	a.Get, b.Get = b.Get, a.Get
	a.Put, b.Put = b.Put, a.Put
}

// TestSwappedPortsShow checks that a site with two ports exchanged yields another run.
func TestSwappedPortsShow(t *testing.T) {
	l := lines[0]
	model, err := newMachine(t, l, nil)
	require.NoError(t, err)
	want := model.play(t, 0, 12, nil)
	for _, c := range []struct{ twin, a, b string }{
		{"serialiser", "rail1_o", "rail0_o"}, {"serialiser", "length_i", "port_i"},
		{"star_coupler", "rail1_i", "rail0_i"}, {"star_coupler", "rail1_o", "rail0_o"},
		{"link", "rail1_i", "rail0_i"}, {"link", "rail1_o", "rail0_o"},
		{"deserialiser", "rail1_i", "rail0_i"}, {"deserialiser", "state_o", "status_o"}, {"deserialiser", "bits_o", "length_o"},
	} {
		m, err := newMachine(t, l, func(m *machine, model hw.Sited) (hw.Component, error) {
			if site := model.Site(); site.Twin == c.twin {
				component, err := m.loop.Replace(model, oneEach(t, site, all(site))...)
				require.NoError(t, err)
				swap(component.(*replaced).site, c.a, c.b)
				for _, p := range component.(*replaced).parts {
					require.NoError(t, p.bind())
				}
				return component, nil
			}
			return model, nil
		})
		require.NoError(t, err)
		require.NotEqual(t, want, m.play(t, 0, 12, nil), "%+v", c)
	}
}

// faulty is a device that misbehaves from an edge on.
type faulty struct {
	cosim.Device
	from, edges int
	unknown     []uint64
	shown       []uint64 // unknown, from that edge on
	err         error
}

func (f *faulty) Edge(clocks uint64) error {
	if f.edges++; f.edges >= f.from && f.err != nil {
		return f.err
	}
	if f.edges >= f.from {
		copy(f.shown, f.unknown)
	}
	return f.Device.Edge(clocks)
}

func (f *faulty) Unknown() []uint64 { return f.shown }

func (f *faulty) Restore([]byte) error { return errors.New("no thank you") }

func TestFaults(t *testing.T) {
	const twinOfFault = "link"
	for _, c := range []struct {
		device faulty
		fault  Fault
	}{
		{faulty{from: resetEdges + 4, err: errors.New("smoke")}, Fault{Path: "group[0].coupler[1].fibre", Cycle: 2, Err: errors.New("smoke")}},
		{faulty{from: 1, err: errors.New("dead")}, Fault{Path: "group[0].coupler[1].fibre", Err: errors.New("dead")}},
		{faulty{from: resetEdges + 2, unknown: []uint64{0, 0x30}}, Fault{Path: "group[0].coupler[1].fibre", Cycle: 1, Unknown: true,
			Err: fmt.Errorf("output rail0_o has X or Z in the bits 0x30 from bit 0 on")}},
	} {
		broken := c.device
		if broken.unknown != nil {
			broken.shown = make([]uint64, len(broken.unknown))
		}
		m, err := newMachine(t, lines[0], func(m *machine, model hw.Sited) (hw.Component, error) {
			site := model.Site()
			if site.Twin != twinOfFault {
				return model, nil
			}
			broken.Device = device(t, site, 1)
			return m.loop.Replace(model, Part{Device: &broken, Elements: []int{1}})
		})
		require.NoError(t, err)
		m.play(t, 0, 3, nil)
		require.Equal(t, &c.fault, m.loop.Fault())
		var state bytes.Buffer
		require.NoError(t, hw.Save(&state, m.kernel))
		require.NoError(t, hw.Restore(&state, m.kernel))
		require.ErrorContains(t, m.loop.Restored(), "group[0].coupler[1].fibre: no thank you")
	}
}

func TestRefused(t *testing.T) {
	replace := func(parts func(site *hw.Site) []Part) error {
		_, err := newMachine(t, lines[0], func(m *machine, c hw.Sited) (hw.Component, error) {
			if site := c.Site(); site.Twin == "link" {
				return m.loop.Replace(c, parts(site)...)
			}
			return c, nil
		})
		return err
	}
	require.ErrorContains(t, replace(func(site *hw.Site) []Part { return oneEach(t, site, []int{0, 4}) }), "links: "+
		"element 4 of 4")
	require.ErrorContains(t, replace(func(site *hw.Site) []Part { return oneEach(t, site, []int{2, 2}) }), "element 2 is replaced already")
	require.ErrorContains(t, replace(func(site *hw.Site) []Part {
		return []Part{{Device: device(t, site, 0), Elements: []int{0, 1}}}
	}), "group[0].coupler[0].fibre: the device has no input rail1_i of 16 bits")
	require.ErrorContains(t, replace(func(site *hw.Site) []Part {
		other, err := twin.Find(twin.All(), "fifo")
		require.NoError(t, err)
		fifo, err := other.New(other.Sets[0])
		require.NoError(t, err)
		return []Part{{Device: fifo, Elements: []int{0}}}
	}), "the device has no input rail1_i of 8 bits")
	_, err := New(hw.NewKernel(hw.NewWorkers(1), hw.Shards(2, 1)))
	require.ErrorContains(t, err, "RTL needs a machine with a single shard")
}
