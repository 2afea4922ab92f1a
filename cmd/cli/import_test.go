package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImportBookSim compares scenarios and tables of configurations with golden files, and runs the scenarios. Update:
// go test ./cmd/cli -run TestImportBookSim$ -update.
func TestImportBookSim(t *testing.T) {
	for _, name := range []string{"mesh", "torus", "fly", "anynet"} {
		r := starloomIn(t, "testdata/import", "import", "booksim", name+".cfg", "-o", "-")
		require.Equal(t, statusPass, r.status, r.stderr)
		for ending, got := range map[string]string{".yaml": r.stdout, ".txt": r.stderr} {
			path := filepath.Join("testdata/import", name+ending)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got, "%s differs: look at it, then run with -update", path)
		}
		r = starloomIn(t, "testdata/import", "run", name+".yaml", "--set", "workload.traffic.measure=300")
		require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	}
}

// TestImportRefused: all mistakes of a configuration are listed, and no file is written.
func TestImportRefused(t *testing.T) {
	dir := folder(t, map[string]string{"bad.cfg": "topology = mesh; routing_function = dor;\nsubnets = 2;\nnoq = 1;\n"})
	r := starloomIn(t, dir, "import", "booksim", "bad.cfg", "-o", "bad.yaml")
	require.Equal(t, statusInput, r.status)
	require.Equal(t, "bad.cfg:2:1: subnets = 2: several networks side by side; write subnets = 1, and import a configuration for "+
		"each network\nbad.cfg:3:1: noq = 1: queues by next output; write noq = 0\n", r.stderr)
	require.Empty(t, r.stdout)
	require.Equal(t, []string{"bad.cfg"}, list(t, dir))
	r = starloomIn(t, dir, "import", "booksim", "bad.cfg", "subnets=1", "noq=0", "-o", "bad.cfg")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "bad.cfg is an input")
	r = starloomIn(t, dir, "import", "booksim", "lost.cfg")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "lost.cfg: cannot be read")
}

// goldenPackets are BookSim's runs whose packets are logged, by file, as configurations.
var goldenPackets = map[string]string{
	"mesh44_u20": mesh44,
	"m44_la":     mesh44 + "routing_delay = 0; credit_delay = 2;",
	"m44_p5":     mesh44 + "packet_size = 5;",
	"m44_mix":    mesh44 + "packet_size = {{1,5}};",
	"fly": "topology = fly; k = 16; n = 1; routing_function = dest_tag; num_vcs = 4; routing_delay = 0; credit_delay = 2;\n" +
		"vc_allocator = separable_input_first; sw_allocator = separable_input_first;",
	"routes_cmesh4_dornx": square4 + "topology = cmesh; routing_function = dor_no_express;",
	"routes_fly_k2n4":     "topology = fly; k = 2; n = 4; routing_function = dest_tag; num_vcs = 2; vc_buf_size = 4;",
	"routes_fly_k3n3": "topology = fly; k = 3; n = 3; routing_function = dest_tag; num_vcs = 3; vc_buf_size = 4; routing_delay = 0;\n" +
		"credit_delay = 1; vc_allocator = separable_input_first; sw_allocator = separable_input_first;",
	"routes_torus44": "topology = torus; k = 4; n = 2; routing_function = dim_order; num_vcs = 2; vc_buf_size = 4;",
	"routes_torus66": "topology = torus; k = 6; n = 2; routing_function = dim_order; num_vcs = 3; vc_buf_size = 4; routing_delay = 0;\n" +
		"credit_delay = 2; wait_for_tail_credit = 1;",
	"routes_fattree_k4n2": "topology = fattree; k = 4; n = 2; routing_function = nca; num_vcs = 2; vc_buf_size = 4;",
	"routes_fattree_k2n4": "topology = fattree; k = 2; n = 4; routing_function = nca; num_vcs = 3; vc_buf_size = 4; routing_delay = 0;\n" +
		"vc_allocator = separable_input_first; sw_allocator = separable_input_first;",
	"routes_cmesh4_xyyxnx":   square4 + "topology = cmesh; routing_function = xy_yx_no_express; num_vcs = 4;",
	"routes_fattree_anca":    "topology = fattree; k = 3; n = 3; routing_function = anca; num_vcs = 2; vc_buf_size = 4;",
	"routes_flatfly_axyyx":   square4 + "topology = flatfly; routing_function = adaptive_xyyx; num_vcs = 4;",
	"routes_flatfly_valiant": square4 + "topology = flatfly; routing_function = valiant; num_vcs = 4;",
	"routes_mesh44_xyyx":     mesh44 + "routing_function = xy_yx; num_vcs = 4;",
	"routes_mesh44_axyyx":    mesh44 + "routing_function = adaptive_xy_yx; num_vcs = 4;",
	"routes_mesh44_romm":     mesh44 + "routing_function = romm; num_vcs = 4;",
	"routes_mesh44_minadapt": mesh44 + "routing_function = min_adapt; num_vcs = 3;",
	"routes_mesh333_minadapt": mesh44 + "routing_function = min_adapt; k = 3; n = 3; num_vcs = 4; vc_buf_size = 2; routing_delay = 0;\n" +
		"vc_allocator = separable_input_first; sw_allocator = separable_input_first;",
	"routes_flatfly_min": square4 + "topology = flatfly; routing_function = ran_min;",
	"routes_flatfly_c9":  square4 + "topology = flatfly; routing_function = ran_min; k = 3; c = 9; x = 3; y = 3; xr = 3; yr = 3;",
}

const square4 = "k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2; num_vcs = 2; vc_buf_size = 4;\n"

const mesh44 = "topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 2; vc_buf_size = 4;\n"

// stagePackets are BookSim's runs with options of a router's stages: the settings of each log, on a mesh of 4 x 4.
var stagePackets = map[string]string{
	"shared": "num_vcs=4 buffer_policy=shared buf_size=8 private_buf_size=0",
	"class": "classes=2 priority=class class_priority={0,1} num_vcs=3 vc_allocator=separable_input_first " +
		"sw_allocator=separable_input_first",
	"rw": "use_read_write=1 num_vcs=4 read_request_begin_vc=0 read_request_end_vc=1 read_reply_begin_vc=2 " +
		"read_reply_end_vc=3 write_request_begin_vc=0 write_request_end_vc=1 write_reply_begin_vc=2 write_reply_end_vc=3",
	"is2":          "input_speedup=2 num_vcs=4",
	"is3":          "topology=anynet network_file=five_routers routing_function=min input_speedup=3 num_vcs=4 vc_allocator=separable_input_first sw_allocator=separable_input_first",
	"os2":          "output_speedup=2",
	"os2b":         "topology=fly k=7 n=1 routing_function=dest_tag output_speedup=2 output_buffer_size=1 num_vcs=3 sw_allocator=separable_output_first",
	"ispd2":        "internal_speedup=2.0",
	"ispd15":       "internal_speedup=1.5 input_speedup=2 output_buffer_size=2 num_vcs=3 credit_delay=1",
	"spec":         "speculative=1 vc_allocator=separable_input_first sw_allocator=separable_input_first",
	"spec_islip":   "speculative=1",
	"spec_two":     "speculative=1 spec_sw_allocator=islip spec_mask_by_reqs=1 routing_delay=0 credit_delay=2 num_vcs=4",
	"spec_blind":   "num_vcs=3 speculative=1 spec_sw_allocator=separable_input_first spec_check_elig=0 spec_check_cred=0",
	"spec_select2": "speculative=1 spec_sw_allocator=select sw_allocator=select(2) num_vcs=4",
	"ob_xb2":       "output_buffer_size=1 st_final_delay=2 num_vcs=3",
	"ob_g2":        "output_buffer_size=1 internal_speedup=2.0 hold_switch_for_packet=1 num_vcs=3",
	"hold":         "hold_switch_for_packet=1 num_vcs=3",
	"busy":         "vc_busy_when_full=1 vc_buf_size=2 num_vcs=3",
	"empty":        "vc_prioritize_empty=1 vc_allocator=separable_input_first num_vcs=4",
	"shuffle":      "vc_shuffle_requests=1",
	"xb3":          "st_prepare_delay=1 st_final_delay=2 num_vcs=4",
	"rd3":          "routing_delay=3 num_vcs=4",
	"sepof":        "vc_allocator=separable_output_first sw_allocator=separable_output_first priority=network_age num_vcs=3",
	"wave":         "vc_allocator=wavefront sw_allocator=wavefront",
	"rrwave":       "vc_allocator=rr_wavefront sw_allocator=rr_wavefront num_vcs=3",
	"islip3":       "vc_allocator=islip(2) sw_allocator=islip(3) num_vcs=3",
	"matrix":       "vc_allocator=separable_input_first(matrix) sw_allocator=separable_output_first(matrix)",
	"select2":      "vc_allocator=select(2) sw_allocator=select",
	"age":          "priority=age vc_allocator=separable_input_first sw_allocator=separable_input_first",
	"localage":     "priority=local_age vc_allocator=wavefront sw_allocator=wavefront num_vcs=3",
	"qlen":         "priority=queue_length vc_allocator=select sw_allocator=separable_output_first num_vcs=3",
	"hops":         "priority=hop_count vc_priority_donation=1 vc_allocator=separable_input_first sw_allocator=wavefront num_vcs=3",
}

// TestImportGoldenPackets: the run of an imported scenario with BookSim's packets equals BookSim's log, packet by
// packet.
func TestImportGoldenPackets(t *testing.T) {
	all := maps.Clone(goldenPackets)
	for name, words := range stagePackets {
		all["stages_"+name] = mesh44 + strings.Join(strings.Fields(words), ";\n") + ";\n"
	}
	graph, err := os.ReadFile("testdata/import/five_routers")
	require.NoError(t, err)
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			log := unpacked(t, filepath.Join("../../hw/testdata/booksim", name+".csv.gz"))
			dir := folder(t, map[string]string{"a.cfg": text, "log.csv": log, "five_routers": string(graph)})
			r := starloomIn(t, dir, "import", "booksim", "a.cfg", "--arrivals", "log.csv", "-o", "a.yaml")
			require.Equal(t, statusPass, r.status, r.stderr)
			r = starloomIn(t, dir, "run", "a.yaml", "--packets", "sent.csv")
			require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
			sent, err := os.ReadFile(filepath.Join(dir, "sent.csv"))
			require.NoError(t, err)
			want := packetRows(log)
			require.Greater(t, len(want), 700)
			require.Equal(t, want, packetRows(string(sent)))
			if name == "stages_class" || name == "stages_rw" {
				require.Equal(t, classRows(log), classRows(string(sent)))
			}
		})
	}
}

func unpacked(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	r, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// classRows returns id, class, type and request of each packet of a file, sorted, in the words of BookSim.
func classRows(text string) (rows []string) {
	types := map[string]string{"read_request": "0", "read_reply": "1", "write_request": "2", "write_reply": "3", "plain": "4"}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		fields[10], fields[11] = cmp.Or(types[fields[10]], fields[10]), cmp.Or(fields[11], "-1")
		rows = append(rows, strings.Join([]string{fields[0], fields[9], fields[10], fields[11]}, ","))
	}
	rows = rows[1:]
	slices.Sort(rows)
	return rows
}

// packetRows returns id, source, destination, size, times and hops of each packet of a file, sorted.
func packetRows(text string) (rows []string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Join(strings.Split(strings.TrimSpace(line), ",")[:8], ","))
	}
	rows = rows[1:]
	slices.Sort(rows)
	return rows
}
