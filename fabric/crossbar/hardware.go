package crossbar

import (
	"errors"

	"starloom/fabric"
)

// Build implements fabric.Network.
func (x Network) Build(*fabric.Plant) error { return errors.New("not built yet") }
