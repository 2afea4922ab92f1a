package scenario

import "starloom/internal/systemtest"

// badTraffic are scenarios of traffic that are refused.
var badTraffic = []badScenario{
	{"traffic without a rate", trafficBad("{}"), false},
	{"traffic on a program of something else", systemtest.Small + "workload: {traffic: {rate: 0.1}}\n", false},
	{"rate of traffic above 1", trafficBad("{rate: 1.5}"), true},
	{"rate of 0", trafficBad("{rate: 0}"), false},
	{"unknown pattern", trafficBad("{rate: 0.1, pattern: transposed}"), true},
	{"transpose of no square", trafficBad("{rate: 0.1, pattern: transpose}"), false},
	{"shuffle of no power of two", trafficBad("{rate: 0.1, pattern: shuffle}"), false},
	{"hotspot without hotspots", trafficBad("{rate: 0.1, pattern: hotspot}"), false},
	{"hotspots of uniform", trafficBad("{rate: 0.1, hotspots: [{node: 1, share: 0.1}]}"), false},
	{"hotspot that is not there", trafficBad("{rate: 0.1, pattern: hotspot, hotspots: [{node: 1, share: 0.1}, {node: 6, share: 0.1}]}"), false},
	{"hotspots of more than all", trafficBad("{rate: 0.1, pattern: hotspot, hotspots: [{node: 1, share: 0.6}, {node: 2, share: 0.6}]}"), false},
	{"burst without bursts", trafficBad("{rate: 0.1, burst: 4}"), false},
	{"bursts without a slot between", trafficBad("{rate: 0.9, arrivals: bursty, burst: 4}"), false},
	{"packet of no frames", trafficBad("{rate: 0.1, size: 0}"), true},
	{"packet of many frames", trafficBad("{rate: 0.1, size: [1, 256]}"), true},
	{"sizes without a number", trafficBad("{rate: 0.1, size: [{weight: 2}]}"), true},
	{"size that is a text", trafficBad("{rate: 0.1, size: large}"), true},
	{"packets of no file", trafficBad("{arrivals: file}"), false},
	{"packets of a file that is not there", trafficBad("{file: none.csv}"), false},
	{"packets of a file, and a rate", trafficBad("{rate: 0.1, arrivals: file, file: packets.csv}"), false},
	{"packets of a file, and other arrivals", trafficBad("{rate: 0.1, arrivals: periodic, file: packets.csv}"), false},
	{"packets of a file to a processor that is not there", trafficBad("{file: packets.csv}"), false},
	{"packets of a file without a column", trafficBad("{file: word.csv}"), false},
	{"one processor without self", "starloom: 1\nfabric: {crossbar: {ports: 1}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: {rate: 0.1, self: false}}\n", false},
	{"payloads too small for traffic", trafficBad("{rate: 0.1}") + "nic: {payload_bytes: 8}\n", false},
	{"payloads too small for traffic of an image", "starloom: 1\nfabric: {crossbar: {ports: 6}}\nfirmware: {image: a.wasm}\nworkload: {traffic: {rate: 0.1}}\nnic: {payload_bytes: 8}\n", false},
	{"traffic and a schedule", "starloom: 1\nfabric: {crossbar: {ports: 6}}\nfirmware: {image: a.wasm, schedule: turns-fixed}\nworkload: {traffic: {rate: 0.1}}\n", false},
	{"traffic and gossip", trafficBad("{rate: 0.1}, gossip: {}"), true},
	{"uniform on two buses", trafficOnBuses("[[0, 1, 2], [3, 4, 5]]", "rate: 0.1"), false},
	{"a vertex on two buses", trafficOnBuses("[[0, 1, 2], [2, 3, 4, 5]]", "rate: 0.1, pattern: neighbour"), false},
	{"a vertex on no bus", trafficOnBuses("[[0, 1, 2, 3, 4]]", "rate: 0.1"), false},
	{"neighbours on other buses", trafficOnBuses("[[0, 1, 2], [3, 4, 5]]", "rate: 0.1, pattern: neighbour"), false},
	{"closed on a bus", trafficOnBuses("[[0, 1, 2, 3, 4, 5]]", "rate: 0.1, closed: 2"), false},
}

// trafficBad is traffic on a crossbar of 6 ports.
func trafficBad(keys string) string {
	return "starloom: 1\nfabric: {crossbar: {ports: 6}}\nfirmware: {program: crossbar/traffic}\nworkload: {traffic: " + keys + "}\n"
}

// trafficOnBuses is traffic on buses of 6 vertices.
func trafficOnBuses(buses, keys string) string {
	return "starloom: 1\nfabric: {bus: {vertices: 6, buses: " + buses + "}}\nfirmware: {program: bus/traffic}\nworkload: {traffic: {" + keys + "}}\n"
}

// badScenario is a scenario that must be refused. schema says that the JSON
// Schema refuses it too.
type badScenario struct {
	Name, Text string
	Schema     bool
}
