package hw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBankOfNumberedParts(t *testing.T) {
	b := Bank{Unit: "net.unit", Name: "nic", Part: "tx", Units: 2, PerUnit: 6, Parts: 3}
	require.NoError(t, b.Check())
	require.Equal(t, "net.unit.nic.tx", b.Path())
	require.Equal(t, "net.unit[0].nic[0].tx[0]", b.Element(0))
	require.Equal(t, "net.unit[0].nic[1].tx[2]", b.Element(5))
	require.Equal(t, "net.unit[1].nic[0].tx[1]", b.Element(7))
	b.Parts = 4
	require.ErrorContains(t, b.Check(), "6 elements per unit, in 4 parts each")
	require.Equal(t, "nic[1].tx[0]", Bank{Name: "nic", Part: "tx", Units: 1, PerUnit: 4, Parts: 2}.Element(2))
}
