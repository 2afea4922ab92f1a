package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExplain explains a figure, lists all, accepts a name with spaces without quotes, and suggests a remedy for an
// unknown name.
func TestExplain(t *testing.T) {
	dir := t.TempDir()
	r := starloomIn(t, dir, "explain", "lambda")
	require.Equal(t, statusPass, r.status, r.stderr)
	for _, want := range []string{"length of the run", "unit     steps", "Definition 10"} {
		require.Contains(t, r.stdout, want)
	}
	require.Contains(t, starloomIn(t, dir, "explain", "differing", "cells").stdout, "run-table")
	all := starloomIn(t, dir, "explain")
	require.Equal(t, statusPass, all.status, all.stderr)
	for _, want := range []string{"Traffic [traffic]", "exactly_once", "frames.unheard", "epsilon"} {
		require.Contains(t, all.stdout, want)
	}
	r = starloomIn(t, dir, "explain", "latncy.p99")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "did you mean latency.p99?")
}

// TestExplainsWhatARunHas checks that each figure and column of a run's report is explained.
func TestExplainsWhatARunHas(t *testing.T) {
	dir := t.TempDir()
	scenario := "starloom: 1\nfabric: {crossbar: {ports: 4}}\nfirmware: {program: crossbar/traffic}\n" +
		"workload: {traffic: {pattern: uniform, rate: 0.1, warm_up: 10, measure: 100, drain: 100}}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(scenario), 0o644))
	r := starloomIn(t, dir, "run", "a.yaml", "--seeds", "1..3", "--json", "r.json", "--csv", "r.csv", "--stats-csv", "s.csv")
	require.Equal(t, statusPass, r.status, r.stderr)
	var report struct{ Statistics map[string]any }
	data, err := os.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &report))
	var names []string
	for name := range report.Statistics {
		names = append(names, name, name+".mean")
	}
	for _, file := range []string{"r.csv", "s.csv"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		head, _, _ := strings.Cut(string(data), "\n")
		names = append(names, strings.Split(head, ",")...)
	}
	require.Greater(t, len(names), 60)
	book := newBook(nil)
	for _, name := range names {
		if name == "metric" || len(book.Resolve("."+name)) > 0 {
			continue // a column of the table of statistics is an ending
		}
		_, err := book.Find(name)
		require.NoError(t, err, name)
	}
}
