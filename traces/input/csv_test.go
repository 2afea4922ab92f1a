package input

import (
	"fmt"
	"slices"
	"strings"
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
	for data, want := range map[string]string{
		"":           "t.csv:1:1: no a",
		"b\n1\n":     "t.csv:1:1: no a",
		"a|b\n1|2\n": "t.csv:1:1: the columns are separated by bars (|); separate them with commas",
		"a\tb\n":     "t.csv:1:1: the columns are separated by tabs; separate them with commas",
		"a,b\n1\n1,2\n3,4\n\"x\n": "t.csv:2:1: the row has 1 fields, but the header row has 2; mend it\nt.csv:4:1: this " +
			"is 3\nt.csv:5:4: extraneous or missing \" in quoted-field; mend it",
	} {
		err := Table("t.csv", []byte(data), "mend it", func(head []string) error {
			if !slices.Contains(head, "a") {
				return &Error{Place: "t.csv:1:1", Reason: "no a"}
			}
			return nil
		}, func(line int, fields []string) error {
			if fields[0] == "3" {
				return &Error{Place: fmt.Sprintf("t.csv:%d:1", line), Reason: "this is 3"}
			}
			return nil
		})
		require.EqualError(t, err, want)
	}
	_, err = CSV(nil).Read()
	require.EqualError(t, NotCSV("t.csv", err, "give rows"), "t.csv: EOF; give rows")
}

// FuzzPlainRows compares rows without quotes with those of encoding/csv.
func FuzzPlainRows(f *testing.F) {
	for _, text := range []string{"", "\n", "\r\n", "a,b\r\n\r\n1,2\r", "a\n\n\n b,\t c ,\n,,\n", "\ufeffa,b\n1,2",
		"a\rb,c\r\r\nd\r", "\u00a0x,\u2003y,\u00e9\n", " \n,\n", "\n\n1\n", "a\n\r", "\x85b,\xff c\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, `"`, "")
		plain, quoted := rowsOf([]byte(text)), CSV([]byte(text))
		require.IsType(t, &plainRows{}, plain)
		quoted.FieldsPerRecord, quoted.TrimLeadingSpace = -1, true
		for {
			want, failed := quoted.Read()
			got, err := plain.Read()
			require.Equal(t, failed, err)
			if err != nil {
				return
			}
			require.Equal(t, want, got)
			line, _ := quoted.FieldPos(0)
			require.Equal(t, line, plain.Line())
		}
	})
}
