package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCSV(t *testing.T) {
	rows, err := CSV([]byte("\ufeffa,b\n1,2\n")).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{{"a", "b"}, {"1", "2"}}, rows)
	for data, want := range map[string]string{
		"a,b\n1\n":     "t.csv:2:1: wrong number of fields; mend it",
		"a,b\n1,2\"\n": "t.csv:2:4: bare \" in non-quoted-field; mend it",
		"a,\"b\n\n":    "t.csv:2:2: extraneous or missing \" in quoted-field; mend it",
	} {
		_, err := CSV([]byte(data)).ReadAll()
		require.EqualError(t, NotCSV("t.csv", err, "mend it"), want)
	}
	_, err = CSV(nil).Read()
	require.EqualError(t, NotCSV("t.csv", err, "give rows"), "t.csv: EOF; give rows")
}
