//go:build linux

package twin_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/cosim"
	. "starloom/cosim/twin"
)

// breach is a mistake in a twin and the message of the assertion that detects it.
type breach struct {
	twin     string
	old, new string
	says     string
}

// broken has a mistake for every assertion of the twins with their first parameters, except those of brokenNext.
var broken = []breach{
	{"arbiter_fixed", "request_i & (~request_i + ONE)", "request_i", "hot_one: grants 0000, chooses "},
	{"arbiter_fixed", "|(grant_q & HAS[REQUESTERS-1:0])", "|(grant_q & HAS[REQUESTERS-1:0]) || (b == 0 && |grant_q)", "gnt_idx: index 1, grants 0001"},
	{"arbiter_fixed", "request_i & (~request_i + ONE)", "&request_i ? ONE : ~request_i & (request_i + ONE)", "gnt_req: chooses "},
	{"arbiter_fixed", "(~request_i + ONE)", "(~request_i + ONE) & ~ONE", "req_gnt: chooses no one of requests "},
	{"arbiter_fixed", "grant_q <= choice_i", "grant_q <= ~choice_i", "hot_one: grants 1"},
	{"arbiter_matrix", "rank_q <= numbers", "rank_q <= {INDEX_BITS*REQUESTERS{1'b0}}", "hot_one: "},
	{"arbiter_matrix", "choice = request_i;", "choice = {REQUESTERS{1'b1}};", "gnt_req: "},
	{"arbiter_matrix", "if (|lower) choice = lower;", "choice = lower;", "req_gnt: chooses no one of requests "},
	{"arbiter_round_robin", "request_i & after_q", "after_q", "gnt_req: "},
	{"arbiter_round_robin", "asked & (~asked + ONE)", "asked", "hot_one: "},
	{"arbiter_round_robin", "~(choice_o | (choice_o - ONE))", "~choice_o", "order: asks "},
	{"arbiter_matrix", "(choice & {REQUESTERS{LAST[b]}})", "(choice & {REQUESTERS{LAST[b] ^ (b == 1)}})", "last: "},
	{"light_tap", "cycle_q == LAST) cycle_q <= 32'd0", "cycle_q == LAST) cycle_q <= LAST + 32'd1", "slot: cycle 24 of 24"},
	{"light_tap", "dark_q <= 1'b0", "dark_q <= dark", "dark: harm 1"},
	{"light_tap", "(FIRST >> place) & (rail1_i ^ rail0_i)", "FIRST >> place", "light: rails "},
	{"light_tap", "(FIRST >> place) &", "(~(FIRST >> place)) &", "flip: exchanges bits "},
	{"arbiter_weighted_round_robin", "~(choice_o | (choice_o - ONE))", "~choice_o", "order: asks "},
	{"arbiter_weighted_round_robin", "(~first + ONE)", "(~first + ONE) & ~ONE", "req_gnt: "},
	{"arbiter_lottery", "ticket >= sum && ticket <", "ticket > sum && ticket <", "drawn: no one has ticket "},
	{"arbiter_tdma", "request_i & (ONE << turn_q)", "request_i & ~((ONE << turn_q) - ONE)", "hot_one: "},
	{"arbiter_tdma", "LAST = REQUESTERS - 1", "LAST = REQUESTERS", "turn: requester 4, cycle 0 of its turn"},
	{"fifo", "push_i && (usage_q != FULL || pops)", "push_i", "usage: holds 5 words of 4"},
	{"fifo", "LAST_WORD = DEPTH - 1", "LAST_WORD = DEPTH - 2", "pointers: "},
	{"credit_counter", "many ? out : give_i", "give_i", "count: "},
	{"cap_arbiter", "chosen != CAP[COUNT_BITS-1:0]", "1'b1", "cap: "},
	{"cap_arbiter", "request_i & ~granted &", "request_i &", "count: "},
	{"list_allocator", "request_i[i] && !had[i]", "request_i[i]", "count: "},
	{"list_allocator", "&& !claimed[k]", "", "count: "},
	{"list_allocator", "turn ? had | (ONE << who) : had", "had", "turn: grants "},
	{"contention", "count_d = count_d + 1'b1", "count_d = count_d + (count_d == {COUNT_BITS{1'b0}} ? 1'b1 : 1'b0)", "count: "},
	{"output_filter", "request_i[i] && listens_q", "listens_q", "asked: lets "},
	{"output_filter", "request_i[i] && listens_q", "request_i[i]", "listens: to none, and lets "},
	{"bus", ".grant_i(grant_o)", ".grant_i(request_i)", "alone: a violation without one at a tap"},
	{"bus", ".clock(clock), .reset(reset), .request_i(request_i)", ".clock(clock), .reset(reset), .request_i(request_i | {TAPS{rail1_i[0]}})", "asked: opens "},
	{"bus", "ARBITER == 0) begin : none\n      wire unused = &{1'b0, clock, reset};\n      assign grant_o = request_i;",
		"ARBITER != 4) begin : none\n      reg [TAPS-1:0] q;\n      always @(posedge clock) q <= reset ? {TAPS{1'b0}} : request_i;\n      assign grant_o = q;", "open: "},
	{"coin", "drawn < 64'h1_0000_0000 ? 32'd1 : drawn[63:32]", "32'd0", "stuck: the register is 0"},
	{"lfsr", "(value_q[0] ? POLYNOMIAL : 32'd0)", "32'd0", "stuck: the register is 0"},
	{"deserialiser", "last ? left[6:0] : PHIT[6:0]", "PHIT[6:0] + 7'd1", "bits_i: 9 bits, a phit has 8"}, // assertion of its crc16
	{"deserialiser", "DAMAGED = 3'd3", "DAMAGED = 3'd5", "state: 5"},
	{"deserialiser", "last ? total[15:0]", "last ? total[15:0] + 16'd1", " received in state 2"},
	{"deserialiser", "last ? total[15:0]", "last ? total[15:0] + 16'd256", " received, a frame has 256 at most"},
	{"serialiser", "{length_i[12:0], 3'd0}", "{length_i[11:0], 4'd0}", "left: "},
	{"serialiser", "wait_q <= COMPUTE_CYCLES[15:0]", "wait_q <= COMPUTE_CYCLES[15:0] + 16'd1", "wait: 4 cycles to the first phit of 3"},
	{"serialiser", "port_q <= PORT_NONE[15:0];\n      end else if (sends)", "end else if (sends)", "idle: waits 0 cycles for port "},
	{"requester", "{length_i[12:0], 3'd0}", "{length_i[11:0], 4'd0}", "left: "},
	{"requester", "wait_q <= WAIT_CYCLES[16:0]", "wait_q <= WAIT_CYCLES[16:0] + 17'd1", "wait: 6 cycles to the first phit of 5"},
	{"requester", "left_q <= 16'd0;\n          port_q <= PORT_NONE[15:0];", "left_q <= 16'd0;", "idle: waits 0 cycles for port "},
	{"requester", "|| (first_q && serving_i == PORT_NONE[15:0])", "", "served: sends to none"},
	{"free_arbiter", "asked & (~asked + ONE)", "asked", "hot_one: grants "},
	{"free_arbiter", "~(choice_o | (choice_o - ONE))", "~choice_o", "order: asks "},
	{"stream_fifo", "count_o != FULL ||", "1'b1 ||", "ready: a word was lost"},
	{"stream_fifo", "LAST_WORD = DEPTH - 1", "LAST_WORD = DEPTH - 2", "pointers: "}, // assertion of its fifo
	{"skid_buffer", "valid_i && !full_q && valid_o && !ready_i", "!full_q && !ready_i", "order: a word waits here"},
	{"register_slice", "assign ready_o = !a_full_q || ready_i;", "assign ready_o = 1'b1;", "stable: offers "},
	{"counter", "count_o == ALL", "count_o == ALL + 1'b1", "range: counts 10 of 9"},
	{"delay_line", "{filled_q[CYCLES-2:0], 1'b1}", "{filled_q[CYCLES-2:0], data_i[0]}", "filled: "},
	{"vc_router", "assign free[m] = !used_q[m] || released;", "assign free[m] = 1'b1;", "owner: output VCs "},
	{"vc_router", "(!free[n] && !(WAIT_FOR_TAIL == 0 && tail_sent[n]))", "!free[n]", "used: output VCs "},
	{"vc_router", "first[k*VCS+:VCS] = among & (~among + ONE_VC);", "first[k*VCS+:VCS] = among;", "switch: VCs "},
	{"vc_router", "assign has_credit[m] = rest != FULL;", "assign has_credit[m] = 1'b1;", "sent: "},
	{"vc_router", "|(out_q[(i*VCS+j)*N+k*VCS+:VCS] & has_credit[k*VCS+:VCS])", "|out_q[(i*VCS+j)*N+k*VCS+:VCS]", "credit: flits to "},
	{"vc_router", "count_q[m*COUNT_BITS+:COUNT_BITS] <= count + 1'b1;", "count_q[m*COUNT_BITS+:COUNT_BITS] <= count + 3'd5;", "buffer: "},
	{"vc_router", "(idle[n] || waiting_q[n]) && !(|vc_match[n*N+:N])", "idle[n] || waiting_q[n]", "state: waiting "},
	{"vc_router", "wire [N-1:0] idle = filled & ~waiting_q & ~active_q;", "wire [N-1:0] idle = ~waiting_q & ~active_q;", "front: waiting "},
	{"packet_source", "among & (~among + ONE)", "among", "choice: VCs "},
	{"packet_source", "last_q & has_credit;", "last_q;", "credit: a flit to "},
	{"packet_source", "!(ends && WAIT_FOR_TAIL == 0)", "1'b1", "used: VCs "},
	{"packet_ejector", "if (!past && k[", "if (k[", "choice: VCs "},
	{"packet_ejector", "wanted < free ? wanted : free", "wanted", "places: "},
	{"packet_sink", "valid_i && !reset ? vc_i", "!reset ? vc_i", "credit: VC "},
	{"pops_slot", "last ? 17'd0 : cycle_q", "cycle_q", "cycle: "},
	{"pops_slot", "LAST_CYCLE = SLOT_CYCLES - 1", "LAST_CYCLE = SLOT_CYCLES - 2", "late: light at the far end in the last cycle of a slot"},
}

// brokenNext has assertions that the first parameters disable and the second ones enable.
var brokenNext = []breach{
	{"vc_router", "(tailed_q[n] || tail_sent[n])", "tailed_q[n]", "tail: output VCs "},
	{"vc_router", "(!free[n] && !(WAIT_FOR_TAIL == 0 && tail_sent[n]))", "(used_q[n] && !(WAIT_FOR_TAIL == 0 && tail_sent[n]))", "wait: output VC "},
}

// brokenOnWasm selects the mistakes that Verilator shows without -full, too: one with a vector in its text.
const brokenOnWasm = "pointers: "

// TestAssertionsFire checks that each assertion of the twins detects a mistake in the first 20,000 cycles of the
// model's stimulus, before outputs are compared.
func TestAssertionsFire(t *testing.T) {
	for set, list := range [][]breach{broken, brokenNext} {
		for _, c := range list {
			for name, open := range map[string]open{"icarus": onIcarus, "wasm": onWasm} {
				if name == "wasm" && (c.says != brokenOnWasm || c.twin != "fifo") && !*full {
					continue // skips builds without -full
				}
				t.Run(c.twin+" on "+name+": "+c.says, func(t *testing.T) {
					t.Parallel()
					requireBreach(t, c, set, open)
				})
			}
		}
	}
}

// requireBreach runs a twin with a mistake and a parameter set until the expected assertion fails.
func requireBreach(t *testing.T, c breach, set int, open open) {
	found, err := Find(all(), c.twin)
	require.NoError(t, err)
	files, err := Mutant{Twin: found, Mistake: Mistake{Name: c.says, Old: c.old, New: c.new}}.WriteSources(t.TempDir())
	require.NoError(t, err)
	m := newTestModel(t, found, found.Sets[set])
	d := open(t, cosim.Source{Top: c.twin, Files: files, IncludeDirs: []string{filepath.Dir(files[0])}, Params: found.Sets[set].Verilog(), Clocks: []string{"clock"}})
	defer func() { require.NoError(t, d.Close()) }()
	schedule := NewSchedule(1, mutantCycles)
	for cycle := range uint64(mutantCycles) {
		m.Stimulate(schedule, cycle, m.Inputs())
		copy(d.Inputs(), m.Inputs())
		if m.Clocked() { // neighbours react to the model's state
			require.NoError(t, m.Edge(1))
		}
		if err = d.Edge(1); err != nil {
			break
		}
	}
	var fault *cosim.Fault
	require.True(t, errors.As(err, &fault), "no assertion has failed")
	assert.Equal(t, cosim.FaultFatal, fault.Kind)
	_, text, _ := strings.Cut(fault.Text, ".v:")
	assert.Contains(t, text, c.says, fault.Text)
}

// TestSynthesisSeesNoAssertion checks that all assertions are below ifndef SYNTHESIS, which Yosys defines.
func TestSynthesisSeesNoAssertion(t *testing.T) {
	forTwins(t, func(t *testing.T, twin Twin) {
		for _, name := range twin.Sources {
			text, err := twin.Source(name)
			require.NoError(t, err)
			synthesis, checks, _ := strings.Cut(string(text), "`ifndef SYNTHESIS")
			assert.NotContains(t, synthesis, "$fatal")
			if stateless := name == "link.v" || !strings.Contains(string(text), "posedge"); !stateless {
				assert.Contains(t, checks, "$fatal", "the registers of %s have no assertion", name)
			}
		}
	})
}
