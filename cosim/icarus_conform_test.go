//go:build linux

package cosim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// viaIcarus is the backend of simulator processes.
func viaIcarus(t testing.TB, s Source, o Options) (Device, error) {
	d, err := OpenIcarus(s, o)
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
