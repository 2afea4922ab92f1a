package ej

import (
	"errors"

	"starloom/fabric"
)

// Build implements fabric.Network.
func (e Network) Build(*fabric.Plant) error {
	return errors.New("the links of EJ networks are not built yet in the cycle engine")
}
