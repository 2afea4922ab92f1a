package twin

import "starloom/hw"

// SitePorts returns the ports of a model's site, for tests that modify them.
func (m *Model) SitePorts() []hw.Port { return m.site.Ports }

// Rebind binds ports modified by a test.
func (m *Model) Rebind() { m.bind() }
