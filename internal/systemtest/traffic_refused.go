package systemtest

// BadTraffic are scenarios of traffic that are refused.
var BadTraffic = []BadScenario{
	{"traffic without a rate", TrafficBad("{}"), false},
	{"traffic on a program of something else", Small + "workload: {traffic: {rate: 0.1}}\n", false},
	{"rate of traffic above 1", TrafficBad("{rate: 1.5}"), true},
	{"rate of 0", TrafficBad("{rate: 0}"), false},
	{"unknown pattern", TrafficBad("{rate: 0.1, pattern: transposed}"), true},
	{"transpose of no square", TrafficBad("{rate: 0.1, pattern: transpose}"), false},
	{"shuffle of no power of two", TrafficBad("{rate: 0.1, pattern: shuffle}"), false},
	{"hotspot without hotspots", TrafficBad("{rate: 0.1, pattern: hotspot}"), false},
	{"hotspots of uniform", TrafficBad("{rate: 0.1, hotspots: [{node: 1, share: 0.1}]}"), false},
	{"hotspot that is not there", TrafficBad("{rate: 0.1, pattern: hotspot, hotspots: [{node: 1, share: 0.1}, {node: 6, share: 0.1}]}"), false},
	{"hotspots of more than all", TrafficBad("{rate: 0.1, pattern: hotspot, hotspots: [{node: 1, share: 0.6}, {node: 2, share: 0.6}]}"), false},
	{"burst without bursts", TrafficBad("{rate: 0.1, burst: 4}"), false},
	{"bursts without a slot between", TrafficBad("{rate: 0.9, arrivals: bursty, burst: 4}"), false},
	{"packet of no frames", TrafficBad("{rate: 0.1, size: 0}"), true},
	{"packet of many frames", TrafficBad("{rate: 0.1, size: [1, 256]}"), true},
	{"sizes without a number", TrafficBad("{rate: 0.1, size: [{weight: 2}]}"), true},
	{"size that is a text", TrafficBad("{rate: 0.1, size: large}"), true},
	{"packets of no file", TrafficBad("{arrivals: file}"), false},
	{"packets of a file that is not there", TrafficBad("{file: none.csv}"), false},
	{"packets of a file, and a rate", TrafficBad("{rate: 0.1, arrivals: file, file: packets.csv}"), false},
	{"packets of a file, and other arrivals", TrafficBad("{rate: 0.1, arrivals: periodic, file: packets.csv}"), false},
	{"packets of a file to a processor that is not there", TrafficBad("{file: packets.csv}"), false},
	{"packets of a file without a column", TrafficBad("{file: word.csv}"), false},
	{"one processor without self", "starloom: 1\nfabric: {crossbar: {ports: 1}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: {rate: 0.1, self: false}}\n", false},
	{"payloads too small for traffic", TrafficBad("{rate: 0.1}") + "nic: {payload_bytes: 8}\n", false},
	{"payloads too small for traffic of an image", "starloom: 1\nfabric: {crossbar: {ports: 6}}\nfirmware: {image: a.wasm}\nworkload: {traffic: {rate: 0.1}}\nnic: {payload_bytes: 8}\n", false},
	{"traffic and a schedule", "starloom: 1\nfabric: {crossbar: {ports: 6}}\nfirmware: {image: a.wasm, schedule: turns-fixed}\nworkload: {traffic: {rate: 0.1}}\n", false},
	{"traffic and gossip", TrafficBad("{rate: 0.1}, gossip: {}"), true},
	{"uniform on two buses", TrafficOnBuses("[[0, 1, 2], [3, 4, 5]]", "rate: 0.1"), false},
	{"a vertex on two buses", TrafficOnBuses("[[0, 1, 2], [2, 3, 4, 5]]", "rate: 0.1, pattern: neighbour"), false},
	{"a vertex on no bus", TrafficOnBuses("[[0, 1, 2, 3, 4]]", "rate: 0.1"), false},
	{"neighbours on other buses", TrafficOnBuses("[[0, 1, 2], [3, 4, 5]]", "rate: 0.1, pattern: neighbour"), false},
	{"closed on a bus", TrafficOnBuses("[[0, 1, 2, 3, 4, 5]]", "rate: 0.1, closed: 2"), false},
}

// TrafficBad is traffic on a crossbar of 6 ports.
func TrafficBad(keys string) string {
	return "starloom: 1\nfabric: {crossbar: {ports: 6}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: " + keys + "}\n"
}

// TrafficOnBuses is traffic on buses of 6 vertices.
func TrafficOnBuses(buses, keys string) string {
	return "starloom: 1\nfabric: {bus: {vertices: 6, buses: " + buses + "}}\nfirmware: {program: bus/traffic}\nworkload: {traffic: {" + keys + "}}\n"
}
