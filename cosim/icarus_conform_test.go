//go:build linux

package cosim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIcarusConforms(t *testing.T) {
	testConformance(t, func(t testing.TB, s Source, o Options) (Device, error) {
		d, err := OpenIcarus(s, o)
		if err == nil {
			t.Cleanup(func() { require.NoError(t, d.Close()) })
		}
		return d, err
	})
}
