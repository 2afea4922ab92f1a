package booksim

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRandom: numbers of BookSim 2 (28f4329), the first two, the 249th and the 250th after each seed, and the
// first number without a seed.
func TestRandom(t *testing.T) {
	for seed, want := range map[int][4]int{
		0:     {58678820, 248994738, 66962309, 735853758},
		7919:  {1046147147, 761397478, 588834898, 130522298},
		15838: {907714889, 798651126, 899767156, 558259124},
		23757: {472988919, 266563989, 1055874891, 769140300},
	} {
		r := newRandom(seed)
		var all []int
		for range 250 {
			all = append(all, r.draw(randomModulus))
		}
		require.Equal(t, want, [4]int{all[0], all[1], all[248], all[249]}, "seed %d", seed)
	}
	require.Equal(t, 11, newRandom(randomUnseeded).draw(64))
}

// TestPermutation: permutations of 16 nodes that the same source makes.
func TestPermutation(t *testing.T) {
	require.Equal(t, []int{2, 8, 6, 1, 0, 11, 4, 5, 3, 14, 10, 7, 15, 12, 9, 13}, permutation(16, 0))
	require.Equal(t, []int{15, 13, 8, 5, 4, 7, 0, 11, 6, 10, 14, 9, 12, 3, 2, 1}, permutation(16, 1))
	require.Equal(t, []int{12, 14, 13, 8, 9, 3, 15, 10, 2, 0, 7, 5, 4, 11, 1, 6}, permutation(16, 2))
}

const smallMesh = "topology = mesh; k = 4; routing_function = dor; "

func imported(text string, words ...string) (*Imported, error) {
	return Import(&Source{Name: "a.cfg", Data: []byte(text), Words: words, Locate: func(path string) string { return path },
		Read: func(path string) ([]byte, error) {
			if path != "graph" {
				return nil, errors.New("no such file")
			}
			return []byte("router 0 node 0 node 1 router 1\nrouter 1 node 2\n"), nil
		}})
}

// TestSyntax: commands that BookSim's lexer and parser take or refuse.
func TestSyntax(t *testing.T) {
	for text, refused := range map[string]string{
		"topology=mesh;k=4;routing_function=dor;":               "",
		smallMesh + "// k = 5; of no meaning\n\tnum_vcs\n=\n3;": "",
		smallMesh + "injection_rate = .1; watch_out=-;":         "",
		smallMesh + "injection_rate = 2e-1;":                    "",
		smallMesh + "traffic = {uniform,uniform};":              "",
		smallMesh + "packet_size = {{1,2,5}};":                  "",
		smallMesh + "k = 4":                                     `a.cfg:1:49: "k = 4" has no ; at its end; add the ;`,
		smallMesh + "k 4;":                                      `a.cfg:1:49: "k 4;" is no command of BookSim; write KEY = VALUE;`,
		smallMesh + "packet_size = {{1, 5}};":                   "is no command of BookSim",
		smallMesh + "k = 4x;":                                   `"k = 4 x;" is no command of BookSim`,
		smallMesh + "\n;":                                       `a.cfg:2:1: ";" is no command of BookSim`,
		smallMesh + "limit = 4;":                                "a.cfg:1:49: BookSim 2 has no key limit, and stops; delete the line",
		smallMesh + "num_vc = 4;":                               `no key num_vc, and stops; did you mean "num_vcs"?`,
		smallMesh + "injection_rate = 1;": "injection_rate = 1: BookSim stops, because this is an integer, and the key takes a number " +
			"with a decimal point; write 1.0",
		smallMesh + "k = 4.0;": "k = 4.0: BookSim stops, because this is a number with a decimal point, and the key takes an integer",
	} {
		_, err := imported(text)
		if refused == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, refused, text)
	}
}

// TestRefused: a value that a scenario cannot express is refused by name, with a remedy.
func TestRefused(t *testing.T) {
	for text, refused := range map[string]string{
		"subnets = 2;":                                     "subnets = 2: several networks side by side; write subnets = 1",
		"sim_type = batch;":                                "sim_type = batch: a simulation of batches; write sim_type = latency",
		"router = event;":                                  "router = event: another router; write router = iq",
		"router = chaos;":                                  "router = chaos: another router",
		"classes = 0;":                                     "classes = 0: 0 classes; allowed: 1 to 51",
		"use_read_write = 1; num_vcs = 15;":                "write_reply_end_vc = 15: the virtual channels 10 to 15; give first and last, within the 15 of num_vcs",
		"classes = 2; injection_process = on_off;":         "several classes have no bursts",
		"classes = 2; traffic = {uniform,tornado};":        "class 1 has tornado, whose numbers are keys of all classes",
		"noq = 1;":                                         "noq = 1: queues by next output",
		"link_failures = 3;":                               "link_failures = 3: links that fail at random",
		"vc_allocator = pim;":                              "vc_allocator = pim: routers have no such allocator; write one of",
		"routing_function = chaos;":                        "routing_function = chaos: Starloom's routes lack this function; write routing_function = dor or dim_order",
		"topology = tree4; routing_function = nca;":        "topology = tree4: Starloom lacks this network: its way up is drawn for each packet; write",
		"topology = dragonflynew; routing_function = min;": "topology = dragonflynew: Starloom lacks this network: its sources draw the virtual channel",
		"routing_function = nearest;":                      "routing_function = nearest: BookSim 2 has no such function for topology = mesh, and stops",
		"topology = hypercube;":                            "topology = hypercube: BookSim 2 has no such topology, and stops; write topology = anynet, cmesh,",
		"traffic = diagonal;":                              "traffic = diagonal: scenarios have no such pattern",
		"traffic = bad_dragon;":                            "traffic = bad_dragon: groups of 32 of 16 nodes",
		"traffic = tornado({5,2});":                        "2 digits in base 5, for 16 nodes",
		"traffic = hotspot(16);":                           "node 16 with rate 1; allowed: nodes up to 15",
		"k = 3; traffic = bitcomp;":                        "traffic = bitcomp: BookSim stops with 9 nodes",
		"perm_seed = time; traffic = randperm;":            "perm_seed = time: a permutation that depends on the time",
		"injection_rate = 1.5;":                            "injection_rate = 1.5: 1.5 packets per node and cycle",
		"injection_process = on_off;":                      "bursts with 0.2 packets per cycle",
		"packet_size = 0;":                                 "packets of 0 flits",
		"max_samples = 3;":                                 "0 sample periods of 1000 cycles after the warm-up",
		"vc_buf_size = 0;":                                 "vc_buf_size = 0: out of range; allowed: 1 to 4096",
		"topology = anynet; routing_function = min;":       "an anynet without its file",
		"topology = anynet; routing_function = min; network_file = lost;":                           "lost: cannot be read: no such file",
		"topology = torus; routing_function = dim_order; k = 5; num_vcs = 1;":                       "dim_order needs two classes of VCs",
		"topology = cmesh; routing_function = dor_no_express;":                                      "k = 4: a concentrated mesh with other numbers; write n = 2, c = 4, xr = yr = 2, x = y = k",
		"topology = cmesh; routing_function = dor_no_express; c = 9; xr = 3; yr = 2; x = 4; y = 4;": "c = 9: 9 nodes per router, in xr = 3 columns and yr = 2 rows; give a square",
		"topology = cmesh; routing_function = xy_yx; c = 4; xr = 2; yr = 2; x = 4; y = 4;":          "routing_function = xy_yx: Starloom's routes lack this function; write routing_function = dor_no_express",
		"topology = flatfly; routing_function = ran_min; c = 4; xr = 2; yr = 2; x = 4; y = 2;":      "a grid of x = 4 by y = 2 routers; give x = y",
		"k = 2000000; n = 2;": "2000000 to the power of n = 2 nodes",
	} {
		_, err := imported(smallMesh + text)
		require.ErrorContains(t, err, refused, text)
	}
	_, err := imported(smallMesh+"subnets = 2;\nclasses = 200;", "noq=1")
	require.EqualError(t, err, "a.cfg:1:49: subnets = 2: several networks side by side; write subnets = 1, and import a configuration for each network\n"+
		"a.cfg:2:1: classes = 200: 200 classes; allowed: 1 to 51\n"+
		"noq=1: noq = 1: queues by next output; write noq = 0")
}

// TestValues: keys of the scenario, by value of a configuration.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "rate: 0.1, size: 1, warm_up: 3000", // BookSim's defaults
		"num_vcs = 3;":                "vcs: 3",
		"buf_size = 35;":              "depth: 2", // of 16 VCs
		"vc_allocator = islip(1);":    "vc_allocator: islip,",
		"injection_rate = {0.3,0.5};": "rate: 0.3",
		"injection_rate = {0.3}; injection_rate = 0.7;":                                "rate: 0.3", // the list counts
		"injection_rate = 0.75; injection_rate_uses_flits = 1; packet_size = {{1,5}};": "rate: 0.25,",
		"packet_size = {2,5};":                                      "size: 2", // of the only class
		"packet_size = {{1,5}}; packet_size_rate = {{3,1}};":        "size: [{frames: 1, weight: 3}, {frames: 5, weight: 1}]",
		"packet_size = {{1,5}}; packet_size_rate = {{0,1}};":        "size: 5",
		"warmup_periods = 2; sample_period = 500; max_samples = 5;": "measure: 1500, pattern: uniform, rate: 0.1, size: 1, warm_up: 1000",
		"traffic = tornado;":                                        "dimensions: [4, 4]",
		"traffic = neighbor({2,4});":                                "dimensions: [2, 2, 2, 2]",
		"traffic = bad_dragon(2);":                                  "group: 8",
		"traffic = bitcomp;":                                        "pattern: bit_complement",
		"traffic = hotspot(3);":                                     "hotspots: [{node: 3, share: 1}], measure: 7000, pattern: hotspot",
		"traffic = hotspot({{3,1},{1,3}});":                         "hotspots: [{node: 3, share: 0.25}, {node: 1, share: 0.75}]",
		"traffic = hotspot({0,5});":                                 "hotspots: [{node: 0, share: 1}]", // 5 is its rate
		"traffic = hotspot; k = 8;":                                 "hotspots: [{node: 11, share: 1}]",
		"traffic = randperm; perm_seed = 1;":                        "destinations: [15, 13, 8, 5, 4, 7, 0, 11, 6, 10, 14, 9, 12, 3, 2, 1]",
		"traffic = randperm(2); perm_seed = 1;":                     "destinations: [12, 14, 13,",
		"injection_process = on_off({-1.0,0.25,1.0});":              "arrivals: bursty, burst: 4",
		"classes = 2; injection_rate = {0.2,0.1}; packet_size = {1,{2,6}}; traffic = {uniform,transpose};": "classes: {" +
			`"0": {rate: 0.2, size: 1}, "1": {pattern: transpose, rate: 0.1, size: [{frames: 2, weight: 1}, {frames: 6, weight: 1}]}}`,
		"use_read_write = 1; write_fraction = 0.25; read_reply_size = 5; injection_rate = 0.6; injection_rate_uses_flits = 1;": `"0": {rate: 0.15, requests: ` +
			"{read_reply: {size: 5, vcs: [8, 13]}, read_request: {size: 1, vcs: [0, 5]}, write_fraction: 0.25, write_reply: {size: 1, vcs: [10, 15]}, write_request: {size: 1, vcs: [2, 7]}}}",
		"classes = 2; priority = class; class_priority = {3,-1}; vc_allocator = select; sw_allocator = select;": `"0": {priority: 3, rate: 0.1, size: 1}, "1": {priority: -1,`,
		"seed = 7;": "seed: 7",
		"topology = anynet; routing_function = min; network_file = graph; traffic = hotspot(2);":                         "anynet: graph",
		"topology = torus; routing_function = dim_order; k = 5; use_noc_latency = 0;":                                    "torus: {k: [5, 5], latency: 1}",
		"topology = cmesh; routing_function = dor_no_express; c = 4; xr = 2; yr = 2; x = 4; y = 4; use_noc_latency = 0;": "cmesh: {k: 4, latency: 1}",
		"topology = flatfly; routing_function = ran_min; c = 9; xr = 3; yr = 3; x = 4; y = 4;":                           "flatfly: {columns: 4, k: 4, n: 2, side: 3}",
		"topology = fattree; routing_function = nca; n = 3;":                                                             "fattree: {k: 4, n: 3}",
		"sim_type = throughput;": "overload: true",
	} {
		made, err := imported(smallMesh + text)
		require.NoError(t, err, text)
		require.Contains(t, string(made.Scenario), want, text)
	}
	made, err := imported(smallMesh+"alloc_iters = 3; k = 5; arb_type = matrix; seed = 2;", "k=6")
	require.NoError(t, err)
	var said strings.Builder
	require.NoError(t, made.WriteText(&said))
	for _, want := range []string{"k = 5             no effect  replaced by k=6", "k = 6             same       fabric.netlist",
		"alloc_iters = 3   no effect  its router does not pass it to allocators; islip(2) has 2 iterations",
		"arb_type = matrix no effect", "seed = 2          differs    seed: equal in the mean"} {
		require.Contains(t, strings.Join(strings.Fields(said.String()), " "), strings.Join(strings.Fields(want), " "))
	}
}

// TestEveryKey: a key with its default is never refused.
func TestEveryKey(t *testing.T) {
	for name, k := range keys {
		if name == "topology" || name == "routing_function" || k.usual == "" {
			continue
		}
		usual := k.usual
		_, err := imported(smallMesh + name + " = " + usual + ";")
		require.NoError(t, err, name)
	}
}
