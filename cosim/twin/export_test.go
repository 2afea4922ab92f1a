package twin

import "starloom/hw"

// SitePorts are the ports of a model's site, for tests that make mistakes in it.
func (m *Model) SitePorts() []hw.Port { return m.site.Ports }

// Rebind takes the ports as a test has changed them.
func (m *Model) Rebind() { m.bind() }
