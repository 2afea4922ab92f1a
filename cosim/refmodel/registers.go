package refmodel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"starloom/cosim/twin"
	"starloom/firmware/wasm"
)

// changes collects the words of the memory that change while a device runs, except the stack and ports.
type changes struct {
	device *Device
	before []byte
	words  map[uint32]bool
}

func newChanges(d *Device) *changes {
	return &changes{d, slices.Clone(d.memory()), map[uint32]bool{}}
}

func (c *changes) see() {
	now := c.device.memory()
	for at := c.device.stackTop(); at+registerBytes <= uint32(min(len(now), len(c.before))); at += registerBytes {
		if binary.LittleEndian.Uint32(now[at:]) != binary.LittleEndian.Uint32(c.before[at:]) {
			c.words[at] = true
		}
	}
}

// stackTop returns the address below which the stack lies, a multiple of registerBytes.
func (d *Device) stackTop() uint32 {
	for i, g := range d.model.copy.Globals {
		if g.GivenBack {
			return uint32(d.globals[i].Get()) &^ (registerBytes - 1)
		}
	}
	return 0
}

// registers names the changed words by the debug information of the image, in the order of their addresses.
func (c *changes) registers() (all []register) {
	d := c.device
	for i, p := range d.model.ports {
		for w := range 2 * p.Words() {
			delete(c.words, d.at[i]+uint32(registerBytes*w))
		}
	}
	places := d.model.copy.Places()
	addresses := make([]uint32, 0, len(c.words))
	for at := range c.words {
		addresses = append(addresses, at)
	}
	slices.Sort(addresses)
	for _, at := range addresses[:min(registersMax, len(addresses))] {
		all = append(all, register{twin.GivenRegister{Name: wordName(places, at), Bits: 8 * registerBytes}, at})
	}
	return all
}

// wordName returns the name of a word, such as "held", or "held[2]" for the third word of a variable. Without debug
// information, the name is the address.
func wordName(places *wasm.Places, at uint32) string {
	text := places.Variable(at)
	if text == "" {
		return fmt.Sprintf("memory[%d]", at)
	}
	name, _, _ := strings.Cut(text, " (")
	word := 0
	for first := at; first >= registerBytes && places.Variable(first-registerBytes) == text; first -= registerBytes {
		word++
	}
	if word == 0 && places.Variable(at+registerBytes) != text {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, word)
}
