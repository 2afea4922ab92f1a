//go:build linux

package verilator

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
)

func viaIcarus(t testing.TB, s cosim.Source, o cosim.Options) (cosim.Device, error) {
	d, err := icarus.Open(s, o)
	if err == nil {
		t.Cleanup(func() { require.NoError(t, d.Close()) })
	}
	return d, err
}

func TestIcarusConforms(t *testing.T) { testConformance(t, viaIcarus) }

func init() {
	moreBackends = append(moreBackends, struct {
		name string
		open backend
	}{"icarus", viaIcarus})
}
