// Package studytest checks the columns of every study's rows.
package studytest

import (
	"encoding/csv"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/studies"
	"starloom/traces/meaning"
)

// quoted matches the beginning of a note about a contradicted paper: the paper's words and their place.
var quoted = regexp.MustCompile(`^".+" \((Abstract|Section|Table|Proposition|Conjecture|Theorem|Lemma|Corollary)[ )]`)

// Rows checks that a row that contradicts a paper quotes the paper and states the correct value. Cases whose names
// begin with ours are absent from the paper and have no published figure.
func Rows(t *testing.T, rows []studies.StudyRow, ours ...string) {
	t.Helper()
	require.NotEmpty(t, rows)
	for _, row := range rows {
		beginsAs := func(name string) bool { return strings.HasPrefix(row.Case, name) }
		switch {
		case row.Contradicted:
			require.Regexp(t, quoted, row.Note, "%+v", row)
			require.NotNil(t, row.Reference, "%+v: what holds in its place?", row)
			require.NotEqual(t, row.Published, row.Reference, "%+v: nothing is contradicted", row)
		case slices.ContainsFunc(ours, beginsAs):
			require.Nil(t, row.Published, "%+v", row)
		default:
			require.False(t, row.Published != nil && row.Reference != nil, "%+v: which is it compared with?", row)
		}
	}
	for _, name := range ours {
		require.True(t, slices.ContainsFunc(rows, func(r studies.StudyRow) bool { return strings.HasPrefix(r.Case, name) }),
			"no row of %s", name)
	}
}

// Explained checks that a network explains all quantities of a study's rows for `starloom explain`, and no other
// quantities.
func Explained(t *testing.T, n fabric.Network, study string, rows []studies.StudyRow) {
	t.Helper()
	used := map[string]bool{}
	for _, g := range fabric.MeaningsOf(n) {
		for _, e := range g.Entries {
			if g.Key != "study-"+study {
				continue
			}
			for _, row := range rows {
				if e.Name == row.Quantity || meaning.Matches(e.Name, row.Quantity) {
					used[e.Name], used[row.Quantity] = true, true
				}
			}
			require.True(t, used[e.Name], "study %s: no row has a quantity %s", study, e.Name)
		}
	}
	for _, row := range rows {
		require.True(t, used[row.Quantity], "study %s: %s is not explained", study, row.Quantity)
	}
}

// Records reads a CSV file of figures, header first.
func Records(t testing.TB, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(records), 1)
	return records
}
