package systemtest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/fabric/pops"
)

// CheckScenario returns a scenario for images without packets.
func CheckScenario(t testing.TB, image string) *starloom.Scenario {
	s := ImageScenario(t, image)
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 2}
	s.Rules = &starloom.Rules{}
	return s
}

// Checked checks a scenario and returns the report and its text.
func Checked(t testing.TB, s *starloom.Scenario) (check *starloom.FirmwareCheck, text string) {
	var b, form bytes.Buffer
	check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{JSON: starloom.Writer(&form)})
	require.NoError(t, err)
	require.NoError(t, check.WriteText(&b))
	var back starloom.FirmwareCheck
	require.NoError(t, json.Unmarshal(form.Bytes(), &back))
	for i := range check.Violations {
		check.Violations[i].Subject = outcome.Subject{} // JSON has words alone
	}
	require.Equal(t, *check, back)
	return check, b.String()
}
