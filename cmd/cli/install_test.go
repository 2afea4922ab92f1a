package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongInstall checks that make install puts the command, a manual page of each command and the completions of
// three shells below DESTDIR and PREFIX, with the usual permissions, and that they work.
func TestLongInstall(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a stage")
	shell := func(name string, args ...string) string {
		command := exec.Command(name, args...)
		command.Dir = "../.."
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), out)
		return string(out)
	}
	before := shell("git", "status", "--porcelain", "--ignored")
	shell("sh", "-c", `umask 077; make -s install DESTDIR="$1" PREFIX=/opt/star`, "sh", root)
	require.Equal(t, before, shell("git", "status", "--porcelain", "--ignored"), "nothing is left among the sources")
	at := func(path string) string { return filepath.Join(root, "opt/star", path) }
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	require.Equal(t, os.FileMode(0o755), mode(at("bin/starloom")))
	require.Contains(t, shell(at("bin/starloom"), "version"), "starloom ")
	for _, c := range documented(newRoot()) {
		require.Equal(t, os.FileMode(0o644), mode(at("share/man/man1/"+pageName(c)+".1")), c.CommandPath())
	}
	require.Len(t, list(t, at("share/man/man1")), len(documented(newRoot()))+1, "and that of help")
	for program, path := range map[string]string{
		"bash": at("share/bash-completion/completions/starloom"), "zsh": at("share/zsh/site-functions/_starloom"),
		"fish": at("share/fish/vendor_completions.d/starloom.fish"),
	} {
		require.Equal(t, os.FileMode(0o644), mode(path))
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("the completion for %s is not read: %s is not installed", program, program)
			continue
		}
		shell(program, "-n", path)
	}

	if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil {
		t.Log("bash is not asked to complete: bash-completion is not installed")
		return
	}
	for line, want := range map[string]string{
		"starloom ne": "netlist,new",
		"starloom run a.yaml --set fabric.pops.gro":              "fabric.pops.group_size=,fabric.pops.groups=",
		"starloom run a.yaml --set fabric.crossbar.arbiter = ro": "round_robin",
		"starloom explain latency_c":                             "latency_cycles",
		"starloom new pops --program pops/so":                    "pops/sort",
		"starloom run a.yaml --engine cy":                        "cycle",
		"starloom run a.yaml --firmware ej/mis":                  "ej/misprinted",
	} {
		script := `. /usr/share/bash-completion/bash_completion; . "$1"; compopt() { :; }; PATH=$2:$PATH
			COMP_LINE=${3// = /=}; COMP_POINT=${#COMP_LINE}; COMP_WORDS=($3); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=()
			__start_starloom; (IFS=,; echo "${COMPREPLY[*]}")`
		require.Equal(t, want+"\n", shell("bash", "-c", script, "bash", at("share/bash-completion/completions/starloom"), at("bin"), line), line)
	}
}

// TestCompletion completes keys of a scenario, their values, programs, rules, figures and fabrics, including networks
// written in Go.
func TestCompletion(t *testing.T) {
	swept := folder(t, map[string]string{"runs.csv": "load,seed,delivered\n1,1,4\n",
		"results.csv": "load,runs,failed,latency.mean.mean,latency.mean.sd,latency.mean.low,latency.mean.high\n1,1,0,2,0,2,2\n"})
	for line, want := range map[string][]string{
		"run a.yaml --set |fab":                    {"fabric."},
		"run a.yaml --set |fabric.":                {"fabric.bus.", "fabric.crossbar.", "fabric.ej.", "fabric.netlist.", "fabric.pops.", "fabric.square."},
		"run a.yaml --set |fabric.square.s":        {"fabric.square.side="},
		"run a.yaml --set |nic.":                   {"nic.payload_bytes=", "nic.rx_frames=", "nic.tx_frames="},
		"run a.yaml --set |rules.exactly_once=":    {"rules.exactly_once=true", "rules.exactly_once=false"},
		"run a.yaml --set |workload.permutation=r": {"workload.permutation=random", "workload.permutation=reverse"},
		"run a.yaml --set |nothing.":               nil,
		"run a.yaml --set |seed=":                  nil,
		"scenario show a.yaml --set |stop.":        {"stop.slots="},
		"sweep a.yaml --set |see":                  {"seed="},
		"run a.yaml --firmware |pops/random":       {"pops/random-corrected", "pops/random"},
		"new |":                                    {"pops", "crossbar", "bus", "ej", "netlist", "square"},
		"new pops |":                               nil,
		"new ej --program |":                       {"ej/previous", "ej/improved", "ej/misprinted", "ej/general", "ej/all-to-all", "ej/all-to-all-c1", "ej/all-to-all-c2", "ej/traffic"},
		"run a.yaml --svg |t":                      {"topology=", "timeline="},
		"run a.yaml --svg |heat=":                  nil,
		"netlist show a.yaml --svg |":              {"topology="},
		"study ej --case |plane":                   {"plane"},
		"study nothing --case |":                   nil,
		"firmware inspect |ej/mis":                 {"ej/misprinted"},
		"firmware check |ej/mis":                   {"ej/misprinted"},
		"firmware sdk d --program |ej/mis":         {"ej/misprinted"},
		"cosim check --twin |arbiter_l":            {"arbiter_lottery"},
		"cosim prove --twin |fif":                  {"fifo"},
		"schema |":                                 {"scenario", "sweep", "pin-map", "netlist"},
		"plot " + swept + " --x |":                 {"load", "latency.mean"},
		"plot " + swept + " --where |l":            {"load=", "latency.mean="},
		"plot " + swept + " --histogram |":         {"load", "seed", "delivered"},
		"plot none.csv --y |":                      nil,
	} {
		before, word, _ := strings.Cut(line, "|")
		var stdout, stderr bytes.Buffer
		status := execute(append(append([]string{"__complete"}, strings.Fields(before)...), word), &stdout, &stderr, square{Side: 4})
		require.Equal(t, statusPass, status, stderr.String())
		var words []string
		for offered := range strings.Lines(stdout.String()) {
			if name, _, _ := strings.Cut(strings.TrimSpace(offered), "\t"); !strings.HasPrefix(name, ":") {
				words = append(words, name)
			}
		}
		require.ElementsMatch(t, want, words, line)
	}
	r := squares(t, "__complete", "run", "a.yaml", "--expect", "")
	for _, word := range []string{"pass\n", "fail\n", "fail:exactly_once\t", "fail:finishes\t"} {
		require.Contains(t, r.stdout, word)
	}
	require.Contains(t, squares(t, "__complete", "explain", "").stdout, "\nlambda\n")
}
