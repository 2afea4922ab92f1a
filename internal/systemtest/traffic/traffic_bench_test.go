package traffic

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// BenchmarkTrafficIdle measures the slot engine per processor and slot where next to nothing is sent, on one worker:
//
//	traffic   pops/traffic, one packet in 100 million slots of a processor
//	asleep    firmware that sleeps, with a listening table of five slots as that of pops/random
//
// To 64 groups handlers of pops/traffic sleep, too; of more they are called in every 16th slot. It is processor time;
// rounds alternate, the figures are medians over them.
func BenchmarkTrafficIdle(b *testing.B) {
	const processors, slots = 1 << 20, 64
	source := filepath.Join(b.TempDir(), "asleep.c")
	require.NoError(b, os.WriteFile(source, []byte(`#define STARLOOM_LISTEN_SLOTS 5
#include "starloom.h"
typedef struct { uint32_t unused; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)s; sl_listen(nic, 0); }
static void on_slot(sl_nic *nic, state_t *s) { (void)s; sl_sleep(nic, SL_LONG); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	image := source + ".wasm"
	require.NoError(b, firmware.Build(b.Context(), firmware.BuildOptions{Source: source, Output: image}))
	for _, groups := range []int{64, 1024} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			idle := func(firmware, workload string) *starloom.Machine {
				s, err := starloom.ParseScenario("idle.yaml", []byte(fmt.Sprintf("starloom: 1\nfabric: {pops: {groups: %d, group_size: %d}}\nfirmware: {%s}\nnic: {rx_frames: 1, tx_frames: 1}\n%s",
					groups, processors/groups, firmware, workload)))
				require.NoError(b, err)
				return systemtest.Machine(b, s, starloom.MachineOptions{Engine: starloom.EngineSlot, Workers: 1})
			}
			traffic, asleep := idle("program: pops/traffic", "workload: {traffic: {rate: 1e-8, measure: 1000000000}}\n"), idle("image: "+image, "stop: {slots: 1000000000}\n")
			step := func(m *starloom.Machine) float64 {
				begin := systemtest.CpuTime(b)
				for range slots {
					require.NoError(b, m.Step())
				}
				return float64((systemtest.CpuTime(b) - begin).Nanoseconds()) / (processors * slots)
			}
			var with, without, ratios []float64
			for first := true; b.Loop(); first = false {
				plain, busy := step(asleep), step(traffic)
				if !first { // which touches all memory
					with, without, ratios = append(with, busy), append(without, plain), append(ratios, busy/plain)
				}
			}
			if len(ratios) > 0 {
				b.ReportMetric(systemtest.Median(with), "traffic-ns")
				b.ReportMetric(systemtest.Median(without), "asleep-ns")
				b.ReportMetric(systemtest.Median(ratios), "traffic:asleep")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
