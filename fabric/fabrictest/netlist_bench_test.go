package fabrictest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/fabric/netlist"
)

// BenchmarkNetlist compares built-in networks with their own netlists in the slot engine, from building the machine
// to the verdict, in alternating runs. Figures are medians of processor time:
//
//	built-in-s, netlist-s  the run of each
//	netlist:built-in       their ratio
//	at-most                its limit
func BenchmarkNetlist(b *testing.B) {
	const pops, ej = 1.5, 5 // times
	for name, c := range map[string]struct {
		text   string
		atMost float64
	}{
		"pops=128x128,offline": {"fabric: {pops: {groups: 128, group_size: 128}}\nfirmware: {program: pops/offline}", pops},
		"pops=128x128,random":  {"fabric: {pops: {groups: 128, group_size: 128}}\nfirmware: {program: pops/random}", pops},
		"pops=128x128,sort":    {"fabric: {pops: {groups: 128, group_size: 128}}\nfirmware: {program: pops/sort}", pops},
		"ej=3+4rho^3":          {"fabric: {ej: {a: 3, b: 4, dimensions: 3}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {source: 0}}", ej},
	} {
		b.Run(name, func(b *testing.B) {
			n := builtIn(parsed(b, c.text))
			mirrored, err := Mirror(n)
			require.NoError(b, err)
			var took [2][]float64
			for b.Loop() {
				var digests []string
				for i, network := range []fabric.Network{n, mirrored} {
					s := parsed(b, c.text)
					s.Fabric = starloom.Fabric{Custom: network}
					runtime.GC()
					start := processorSeconds(b)
					report, err := starloom.Run(b.Context(), s,
						starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: starloom.EngineSlot}})
					took[i] = append(took[i], processorSeconds(b)-start)
					require.NoError(b, err)
					require.Equal(b, starloom.VerdictPass, report.Verdict)
					digests = append(digests, report.Digest)
				}
				require.Equal(b, digests[0], digests[1])
			}
			b.ReportMetric(middle(took[0]), "built-in-s")
			b.ReportMetric(middle(took[1]), "netlist-s")
			b.ReportMetric(middle(took[1])/middle(took[0]), "netlist:built-in")
			b.ReportMetric(c.atMost, "at-most")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// processorSeconds returns the processor time of this process in seconds.
func processorSeconds(b *testing.B) float64 {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func middle(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// circulant returns a netlist of 4^power processors in a ring with chords: each has 2*power ports, to distances 4^k.
func circulant(power int) string {
	n := 1 << (2 * power)
	var b strings.Builder
	fmt.Fprintf(&b, "nodes: {\"p[0..%d]\": processor}\nlinks:\n", n-1)
	for k := range power {
		step := 1 << (2 * k)
		fmt.Fprintf(&b, "  - [\"p[0..%d]:%d\", \"p[%d..%d]:%d\"]\n", n-1-step, 2*k, step, n-1, 2*k+1)
		fmt.Fprintf(&b, "  - [\"p[%d..%d]:%d\", \"p[0..%d]:%d\"]\n", n-step, n-1, 2*k, step-1, 2*k+1)
	}
	return b.String()
}

// BenchmarkNetlistLarge reads netlists and floods them: of 100,000 nodes, each written out with its links, and of
// 2^22 ports. Figures are seconds: read-s, its limit
// at-most-s for the nodes, and run-s from reading to the verdict.
func BenchmarkNetlistLarge(b *testing.B) {
	var nodes, links strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&nodes, "  node%d: {kind: processor}\n", i)
		fmt.Fprintf(&links, "  - [\"node%d:%d\", \"node%d:%d\"]\n", i, min(i, 1), (i+1)%100000, 0)
	}
	for name, text := range map[string]string{
		"nodes=100000": "nodes:\n" + nodes.String() + "links:\n" + strings.Replace(links.String(), "node0:0\"]", "node0:1\"]", 1),
		"ports=2^22":   circulant(9),
	} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "n.yaml")
			require.NoError(b, os.WriteFile(path, []byte(text), 0o600))
			var read, run []float64
			for b.Loop() {
				start := time.Now()
				_, err := netlist.ReadFile(path)
				read = append(read, time.Since(start).Seconds())
				require.NoError(b, err)
				if name == "nodes=100000" {
					continue
				}
				start = time.Now()
				s := parsed(b, fmt.Sprintf("fabric: {netlist: {file: %q}}\nfirmware: {program: netlist/flood}\nworkload: {one_to_all: {source: 0}}", path))
				report, err := starloom.Run(b.Context(), s, starloom.RunOptions{})
				require.NoError(b, err)
				require.Equal(b, starloom.VerdictPass, report.Verdict, "%d %+v", report.Slots, report.Violations[:min(3, len(report.Violations))])
				run = append(run, time.Since(start).Seconds())
			}
			b.ReportMetric(middle(read), "read-s")
			if run == nil {
				b.ReportMetric(2, "at-most-s")
			} else {
				b.ReportMetric(middle(run), "run-s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
