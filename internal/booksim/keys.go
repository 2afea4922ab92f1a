package booksim

import (
	"strings"

	"starloom/fabric"
)

const (
	unread       = "BookSim reads it nowhere"
	ofOutput     = "BookSim's output only"
	ofPower      = "BookSim's model of power"
	ofBatch      = "only for sim_type = batch"
	ofPriorities = "only for priority"
	ofRequests   = "only for use_read_write"
	ofPolicy     = "only for a buffer_policy other than private"
	ofSpecs      = "only for speculative"
	ofBursts     = "only for injection_process = on_off"
	ofSample     = "Starloom measures a fixed time; it does not end when the means no longer change"
	ofGrids      = "only for networks with several nodes per router, and for tornado and neighbor"
)

var (
	whenSpeculative = isNot("speculative", "0")
	whenPriority    = isNot("priority", "none")
	whenPolicy      = isNot("buffer_policy", "private")
	whenBursts      = func(r *reader) bool { return strings.HasPrefix(r.text("injection_process"), "on_off") }
	whenGrid        = func(r *reader) bool {
		return is("topology", "cmesh", "flatfly")(r) || strings.Contains(r.text("traffic"), "tornado") ||
			strings.Contains(r.text("traffic"), "neighbor")
	}
)

// drawn is the rule of a key whose value is not used if packets come from a file.
func drawn(then rule) rule {
	return unless(func(r *reader) bool { return r.arrivals == "" }, then, "packets come from the file")
}

var grid = unless(whenGrid, same("fabric.netlist, or the dimensions of a pattern"), ofGrids)

// keys holds all keys. Words, numbers and defaults are those of BookSim 2.
var keys = withRequests(map[string]*key{
	"channel_file": {"s", "", none(unread)},
	"subnets": {"i", "1", only("one network", "several networks side by side",
		"write subnets = 1, and import a configuration for each network")},
	"topology":         {"s", "torus", same("fabric.netlist")},
	"k":                {"i", "8", same("fabric.netlist")},
	"n":                {"i", "2", same("fabric.netlist")},
	"c":                {"i", "1", unless(is("topology", "cmesh", "flatfly"), same("fabric.netlist"), ofGrids)},
	"routing_function": {"s", "none", same("fabric.netlist.routes")},
	"use_noc_latency": {"i", "1", unless(is("topology", "torus", "cmesh", "flatfly"), same("latencies of links"),
		"not for this topology")},
	"x": {"i", "8", unless(is("topology", "cmesh", "flatfly"), same("fabric.netlist"), ofGrids)},
	"y": {"i", "8", unless(is("topology", "cmesh", "flatfly"), same("fabric.netlist"), ofGrids)},
	// xr also scales tornado and neighbor
	"xr": {"i", "1", grid}, "yr": {"i", "1", unless(is("topology", "cmesh", "flatfly"), grid, ofGrids)},
	"link_failures": {"i", "0", only("no failures", "links that fail at random",
		"write link_failures = 0, and name the links under faults of the scenario")},
	"fail_seed": {"si", "0", none("only for link_failures")},
	"network_file": {"s", "",
		unless(is("topology", "anynet"), same("fabric.netlist.anynet"), "only for topology = anynet")},
	"in_ports": {"i", "5", none(unread)}, "out_ports": {"i", "5", none(unread)},

	"router": {"s", "iq", only("input-queued routers", "another router",
		"write router = iq: Starloom has BookSim's input-queued router; event and chaos are other models")},
	"output_delay":     {"i", "0", none(unread)},
	"credit_delay":     {"i", "0", number("credit_delay")},
	"internal_speedup": {"f", "1.0", option("internal_speedup")},
	"output_buffer_size": {"i", "-1", unless(func(r *reader) bool {
		return r.integer("output_buffer_size") == 0 || isNot("output_speedup", "1")(r) ||
			r.decimal("internal_speedup") != 1 || r.crossbarCycles() != 1
	}, option("output_buffer"), "without a speed-up or a delay of the crossbar a flit leaves its output FIFO "+
		"in the cycle in which it enters")},
	"noq": {"i", "0", only("no queues by next output", "queues by next output", "write noq = 0")},

	"speculative": {"i", "0", unless(whenSpeculative, speculation(""),
		"a head requests the switch when it has a virtual channel")},
	"spec_check_elig": {"i", "1", unless(whenSpeculative, speculation("check_vc"), ofSpecs)},
	"spec_check_cred": {"i", "1", unless(whenSpeculative, speculation("check_credit"), ofSpecs)},
	"spec_mask_by_reqs": {"i", "0", unless(whenSpeculative, unless(isNot("spec_sw_allocator", "prio"),
		speculation("mask_by_requests"), "only for a spec_sw_allocator other than prio"), ofSpecs)},
	"spec_sw_allocator": {"s", "prio", unless(whenSpeculative, speculation("allocator"), ofSpecs)},

	"num_vcs": {"i", "16", number("vcs")},
	"vc_buf_size": {"i", "8",
		unless(func(r *reader) bool { return r.integer("buf_size") <= 0 }, number("depth"), "buf_size counts")},
	"buf_size": {"i", "-1", unless(func(r *reader) bool { return r.integer("buf_size") > 0 },
		depthOfAll, "vc_buf_size counts")},
	"buffer_policy":        {"s", "private", policy},
	"private_bufs":         {"i", "-1", unless(whenPolicy, same("router.buffers"), ofPolicy)},
	"private_buf_size":     {"si", "1", unless(whenPolicy, same("router.buffers"), ofPolicy)},
	"private_buf_start_vc": {"si", "-1", only("pools of equal size", "pools of their own sizes", "delete it")},
	"private_buf_end_vc":   {"si", "-1", only("pools of equal size", "pools of their own sizes", "delete it")},
	"max_held_slots":       {"i", "-1", none(ofPolicy)},
	"feedback_aging_scale": {"i", "1", none(ofPolicy)}, "feedback_offset": {"i", "0", none(ofPolicy)},

	"wait_for_tail_credit":   {"i", "0", number("wait_for_tail_credit")},
	"vc_busy_when_full":      {"i", "0", option("vc_busy_when_full")},
	"vc_prioritize_empty":    {"i", "0", option("vc_prioritize_empty")},
	"vc_priority_donation":   {"i", "0", unless(whenPriority, option("priority_donation"), ofPriorities)},
	"vc_shuffle_requests":    {"i", "0", option("vc_shuffle_requests")},
	"hold_switch_for_packet": {"i", "0", option("hold_switch")},
	"input_speedup":          {"i", "1", option("input_speedup")},
	"output_speedup":         {"i", "1", option("output_speedup")},
	"routing_delay":          {"i", "1", number("routing_delay")},
	"vc_alloc_delay":         {"i", "1", option("vc_alloc_delay")},
	"sw_alloc_delay":         {"i", "1", option("sw_alloc_delay")},
	"st_prepare_delay":       {"i", "0", crossbarDelay}, "st_final_delay": {"i", "1", crossbarDelay},
	"vct":          {"i", "0", none("only for router = event")},
	"vc_allocator": {"s", "islip", allocator}, "sw_allocator": {"s", "islip", allocator},
	"arb_type": {"s", "round_robin",
		none("its router does not pass it to allocators; separable_input_first(matrix) names an arbiter")},
	"alloc_iters": {"i", "1", none("its router does not pass it to allocators; islip(2) has 2 iterations")},

	"classes": {"i", "1", classesRule(fabric.TrafficClassesMax)},
	"traffic": {"s", "uniform", drawn(pattern)},
	"class_priority": {"si", "0",
		unless(is("priority", "class"), same("workload.traffic.classes, priority"), ofPriorities)},
	"perm_seed": {"si", "0",
		drawn(unless(func(r *reader) bool { return strings.HasPrefix(r.text("traffic"), "randperm") },
			same("workload.traffic.destinations"), "only for traffic = randperm"))},
	"injection_rate":            {"sf", "0.1", drawn(same("workload.traffic.rate"))},
	"injection_rate_uses_flits": {"i", "0", drawn(same("workload.traffic.rate, which counts packets"))},
	"packet_size":               {"si", "1", drawn(same("workload.traffic.size"))},
	"packet_size_rate":          {"si", "1", drawn(same("workload.traffic.size, as weights"))},
	"injection_process":         {"s", "bernoulli", drawn(process)},
	"burst_alpha":               {"f", "0.5", drawn(unless(whenBursts, same("workload.traffic.burst"), ofBursts))},
	"burst_beta":                {"f", "0.5", drawn(unless(whenBursts, same("workload.traffic.burst"), ofBursts))},
	"burst_r1":                  {"f", "-1.0", drawn(unless(whenBursts, same("workload.traffic.burst"), ofBursts))},
	"priority":                  {"s", "none", option("priority")},
	"batch_size":                {"i", "1000", none(ofBatch)}, "batch_count": {"i", "1", none(ofBatch)},
	"max_outstanding_requests": {"i", "0", none(ofBatch)}, "sent_packets_out": {"s", "", none(ofBatch)},

	"use_read_write": {"si", "0", unless((*reader).anyReads, same("workload.traffic.classes, requests"),
		"packets without replies")},
	"write_fraction": {"sf", "0.5", ofMessages(drawn(same("workload.traffic.classes, write_fraction")))},

	"sim_type":       {"s", "latency", simulation},
	"warmup_periods": {"i", "3", drawn(same("workload.traffic.warm_up, in sample periods"))},
	"sample_period":  {"i", "1000", drawn(same("workload.traffic.warm_up, measure"))},
	"max_samples": {"i", "10",
		drawn(other("workload.traffic.measure: all sample periods after the warm-up. " + ofSample))},
	"measure_stats":      {"si", "1", none("BookSim's figures only")},
	"pair_stats":         {"i", "0", none(ofOutput)},
	"latency_thres":      {"sf", "500.0", other("Starloom does not stop at a latency: see saturated in its report")},
	"warmup_thres":       {"sf", "0.05", other(ofSample)},
	"acc_warmup_thres":   {"sf", "0.05", other(ofSample)},
	"stopping_thres":     {"sf", "0.05", other(ofSample)},
	"acc_stopping_thres": {"sf", "0.05", other(ofSample)},
	"sim_count": {"i", "1",
		unless(isNot("sim_count", "1"), other("one run; 'starloom run --seeds 1..4' makes 4"), "one run")},
	"include_queuing": {"i", "1", unless(is("include_queuing", "1"), same("latency"),
		"Starloom has both: latency with, network_latency without the queue of the source")},
	"seed":                  {"si", "0", other("seed: equal in the mean, because Starloom draws other packets")},
	"deadlock_warn_timeout": {"i", "256", other("Starloom finds a deadlock when it forms")},
	"print_activity":        {"i", "0", none(ofOutput)}, "print_csv_results": {"i", "0", none(ofOutput)},
	"viewer_trace": {"i", "0", none(ofOutput)}, "watch_file": {"s", "", none(ofOutput)},
	"watch_flits": {"s", "", none(ofOutput)}, "watch_packets": {"s", "", none(ofOutput)},
	"watch_transactions": {"s", "", none(ofOutput)}, "watch_out": {"s", "", none(ofOutput)},
	"stats_out": {"s", "", none(ofOutput)},

	"sim_power": {"i", "0", none(ofPower)}, "power_output_file": {"s", "pwr_tmp", none(ofPower)},
	"tech_file": {"s", "", none(ofPower)}, "channel_width": {"i", "128", none(ofPower)},
	"channel_sweep": {"i", "0", none(ofPower)},
})
