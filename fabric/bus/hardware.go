package bus

import (
	"errors"

	"starloom/fabric"
)

var errNoHardware = errors.New("the bus network cannot carry frames yet")

// Build implements fabric.Network.
func (b Network) Build(*fabric.Plant) error { return errNoHardware }

// SlotTransport implements fabric.Network.
func (b Network) SlotTransport(*fabric.Config) (fabric.Transport, error) { return nil, errNoHardware }
