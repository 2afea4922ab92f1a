package systemtest

import (
	"encoding/json"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// ReportBytes is the JSON form of a report.
func ReportBytes(t *testing.T, r *starloom.Report) string {
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return string(data)
}
