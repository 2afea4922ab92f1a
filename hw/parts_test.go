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

func TestBankOfLabels(t *testing.T) {
	b := Bank{Unit: "net.node", Name: "port", Part: "tx", Units: 2, PerUnit: 2, Labels: []string{"port[+rho]", "port[-rho]"}}
	require.NoError(t, b.Check())
	require.Equal(t, "net.node.port.tx", b.Path())
	require.Equal(t, "net.node[1].port[+rho].tx", b.Element(2))
	b.Part = ""
	require.Equal(t, "net.node[0].port[-rho]", b.Element(1))
	b.Labels[1] = "port[rho]"
	require.ErrorContains(t, b.Check(), `net.node.port: path "port[rho]", character 6`)
	b.Labels = b.Labels[:1]
	require.ErrorContains(t, b.Check(), `2 elements per unit of "net.node", in 1 parts each, with 1 labels`)
}
