package hw

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestRunRouterMutants prints for every mutant how many packets of each log differ.
func TestRunRouterMutants(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("ROUTER_MUTANTS"))
	if err != nil {
		t.Fatal(err)
	}
	var all [][2]*Packets
	for _, g := range goldens() {
		packets, logged := readGolden(t, g.name)
		all = append(all, [2]*Packets{packets, logged})
	}
	var stages [][2]*Packets
	for _, g := range stageGoldens(t) {
		packets, logged := readGolden(t, "stages_"+g.name)
		stages = append(stages, [2]*Packets{packets, logged})
	}
	for routerMutant = range count {
		logs, of := all, goldens()
		if routerMutantStages[routerMutant] {
			logs, of = stages, stageGoldens(t)
		}
		var line strings.Builder
		for i, g := range of {
			packets, logged := logs[i][0], logs[i][1]
			k, n := newTestNetwork(t, g.top, g.config, packets, 16, 1)
			n.Routers.general = n.Routers.general || routerMutantGeneral[routerMutant]
			k.Reset()
			clear(routerMutantSince)
			if routerMutantStages[routerMutant] {
				fmt.Fprintf(&line, " %s=%s", g.name, runRouterMutant(k, n, logged))
			} else {
				fmt.Fprintf(&line, " %s", runRouterMutant(k, n, logged))
			}
		}
		fmt.Printf("MUTANT %d%s\n", routerMutant, line.String())
	}
}

// runRouterMutant returns the number of packets that differ, "broken" if an assertion has failed.
func runRouterMutant(k *Kernel, n *RouterNetwork, logged *Packets) (differs string) {
	defer func() {
		if recover() != nil {
			differs = "broken"
		}
	}()
	for !n.Done() && k.Cycle() < 100_000 {
		k.DriveAndSettle()
		k.Latch()
	}
	return strconv.Itoa(differ(n.Packets, logged))
}
