package traffic

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/traces/input"
)

func TestParseFile(t *testing.T) {
	want := []fabric.TrafficRow{{Created: 1, Source: 2, Destination: 0, Size: 3, Line: 3, ID: 1},
		{Created: 8, Source: 1, Destination: 1, Size: 255, Line: 2, ID: 0},
		{Created: 8, Source: 2, Destination: 1, Size: 1, Line: 4, ID: 2}}
	for _, text := range []string{
		"id,source,destination,size,created,sent,received,hops,measured\n0,1,1,255,8,,,0,1\n1,2,0,3,1,5,9,1,1\n2,2,1,1,8,9,9,1,0\n",
		"\ufeffpid,src,dest,size,ctime,itime,atime,hops,measured\r\n0,1,1,255,8,0,0,0,0\r\n1,2,0,3,1,0,0,0,0\r\n2,2,1,1,8,0,0,0,0\r\n",
		"ctime, size, dest, src\n8, 255, 1, 1\n1, 3, 0, 2\n8, 1, 1, 2\n",
	} {
		rows, _, err := ParseFile("f.csv", []byte(text))
		require.NoError(t, err)
		require.Equal(t, want, rows)
	}
	for text, message := range map[string]string{
		"":                      "f.csv:1:1: there is no column source or src; give a header row with source,destination,size,created, or src,dest,size,ctime; other columns are ignored",
		"src,dest,ctime\n":      "f.csv:1:1: there is no column size; give a header row with source,destination,size,created, or src,dest,size,ctime; other columns are ignored",
		"src,dest,size,ctime\n": "f.csv: the file has no packets; give one row for each packet",
		"src,dest,size,ctime\n0,1,1,2\n0,x,1,2\n": `f.csv:3:1: destination is "x"; allowed: 0 to 2147483647`,
		"src,dest,size,ctime\n0,1,0,2\n":          `f.csv:2:1: size is "0"; allowed: 1 to 255`,
		"src,dest,size,ctime\n0,1,256,2\n":        `f.csv:2:1: size is "256"; allowed: 1 to 255`,
		"src,dest,size,ctime\n0,1,1,-2\n":         `f.csv:2:1: created is "-2"; allowed: 0 to 4611686018427387904`,
		"src,dest,size,ctime\n0,1,1\n":            "f.csv:2:1: the row has 3 fields, but the header row has 4; write one row for each packet, with as many fields as the header row",
	} {
		_, _, err := ParseFile("f.csv", []byte(text))
		require.EqualError(t, err, message)
	}
}

// FuzzParseFile: every file gives ordered rows or an error with its place.
func FuzzParseFile(f *testing.F) {
	f.Add("src,dest,size,ctime\n0,1,1,2\n1,0,2,1\n")
	f.Add("id,source,destination,size,created\n\"0\",1,1,2,3\n\n")
	f.Add("\ufeffsource\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		rows, _, err := ParseFile("f.csv", []byte(text))
		if err != nil {
			var refusal *input.Error
			require.True(t, errors.As(err, &refusal))
			require.Contains(t, refusal.Place, "f.csv")
			require.NotEmpty(t, refusal.Remedy)
			return
		}
		require.NotEmpty(t, rows)
		for i := range rows {
			require.Positive(t, rows[i].Size)
			require.True(t, i == 0 || rows[i-1].Created <= rows[i].Created)
		}
	})
}

// TestChoices reads the draws of packets for their routes.
func TestChoices(t *testing.T) {
	rows, _, err := ParseFile("a.csv", []byte("src,dest,size,ctime,choice\n0,1,1,0,\n0,1,1,1,1\n0,1,1,2,3.0.15\n"))
	require.NoError(t, err)
	require.Equal(t, []uint64{0, 1, 0xf03}, []uint64{rows[0].Choice, rows[1].Choice, rows[2].Choice})
	for _, wrong := range []string{"x", "16", "1.", "-1", "1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"} {
		_, _, err := ParseFile("a.csv", []byte("src,dest,size,ctime,choice\n0,1,1,0,"+wrong+"\n"))
		require.ErrorContains(t, err, "a.csv:2:1: choice is", wrong)
	}
}
