package cosim

import (
	"fmt"
	"strings"
)

// A Mutant is a twin with one mistake in it, such as designers make. Lockstep has to
// find each with some set of parameters: a check that cannot fail checks nothing.
type Mutant struct {
	Twin     string
	Name     string // what is wrong
	File     string // name of the source
	Old, New string // Old occurs once
}

// WriteSources does what Twin.WriteSources does, with the mistake.
func (m Mutant) WriteSources(dir string) ([]string, error) {
	t, err := FindTwin(m.Twin)
	if err != nil {
		return nil, err
	}
	made := false
	paths, err := writeSources(dir, t.Sources, func(name, text string) (string, error) {
		if name != m.File {
			return text, nil
		}
		made = true
		if found := strings.Count(text, m.Old); found != 1 {
			return "", fmt.Errorf("mutant %s of %s: %s has %d times %q, it must be there once", m.Name, m.Twin, name, found, m.Old)
		}
		return strings.Replace(text, m.Old, m.New, 1), nil
	})
	if err == nil && !made {
		err = fmt.Errorf("mutant %s of %s: the twin has no file %s", m.Name, m.Twin, m.File)
	}
	return paths, err
}

// Mutants returns at least three of each twin.
func Mutants() []Mutant {
	var all []Mutant
	of := func(twin string, edits ...[3]string) {
		for _, e := range edits {
			all = append(all, Mutant{Twin: twin, Name: e[0], File: twin + ".v", Old: e[1], New: e[2]})
		}
	}
	of("star_coupler",
		[3]string{"first sender left out", "for (i = 0;", "for (i = 1;"},
		[3]string{"rail 0 hears rail 1", "rail0_o = rail0_o | rail0_i[", "rail0_o = rail0_o | rail1_i["},
		[3]string{"violation needs all bits", "|(rail1_o & rail0_o)", "&(rail1_o & rail0_o)"},
	)
	of("link",
		[3]string{"rails swapped", "{rail1_o, rail0_o} = light_o", "{rail0_o, rail1_o} = light_o"},
		[3]string{"one cycle short", "light_q[(DELAY_CYCLES-1)*BITS +: BITS]", "light_q[(DELAY_CYCLES-2)*BITS +: BITS]"},
		[3]string{"missing reset", "light_q <= reset ? {BITS{1'b0}} : light_i", "light_q <= light_i"},
	)
	of("fifo",
		[3]string{"a full one that is popped takes nothing", "(held_q != FULL || pops)", "held_q != FULL"},
		[3]string{"stuck overflow flag", "lost_q <= loses;", "lost_q <= lost_q || loses;"},
		[3]string{"overflow counter wraps", "loses && !(&total_q)", "loses"},
		[3]string{"ring one word short", "LAST_PLACE = DEPTH - 1", "LAST_PLACE = DEPTH - 2"},
		[3]string{"missing reset of the count", "held_q <= {HELD_BITS{1'b0}};\n", "\n"},
	)
	of("lfsr",
		[3]string{"wrong polynomial", "32'h80200003", "32'h80000057"},
		[3]string{"reset to another seed", "value_q <= SEED;", "value_q <= 32'd1;"},
		[3]string{"enable ignored", "else if (enable_i)", "else"},
	)
	of("crc16",
		[3]string{"wrong polynomial", "16'h1021", "16'h8005"},
		[3]string{"starts at 0", "START = 16'hFFFF", "START = 16'h0000"},
		[3]string{"start ignored", "start_i ? START : crc_q", "crc_q"},
		[3]string{"part of a phit from the wrong end", "data_i >> (PHIT - bits_i)", "data_i & ~({PHIT_BITS{1'b1}} << bits_i)"},
		[3]string{"missing reset", "crc_q <= reset ? START : next_o", "crc_q <= next_o"},
	)
	of("serialiser",
		[3]string{"first phit late", "wait_q <= COMPUTE_CYCLES[15:0];", "wait_q <= COMPUTE_CYCLES[15:0] + 16'd1;"},
		[3]string{"last byte first", "wire_order[FRAME_BITS-1-8*k -: 8] =", "wire_order[8*k +: 8] ="},
		[3]string{"zeros after the end", "last ? ~((all >> 1) >> (left_q - 16'd1)) : all", "all"},
		[3]string{"loads while it sends", "load_i && left_q == 16'd0", "load_i && wait_q == 16'd0"},
		[3]string{"longest frame refused", "length_i <= LENGTH_MAX", "length_i < LENGTH_MAX"},
		[3]string{"missing reset", "if (reset) begin\n      left_q <= 16'd0;", "if (reset) begin"},
	)
	of("deserialiser",
		[3]string{"version unchecked", "whole[FRAME_BITS-1 -: 4] == VERSION && ", ""},
		[3]string{"last kind refused", "<= KIND_LAST[3:0]", "< KIND_LAST[3:0]"},
		[3]string{"CRC ignored", " && crc_next == 16'd0", ""},
		[3]string{"collision forgotten", "else if (state_q != VIOLATED) begin", "else begin"},
		[3]string{"gap tolerated", "(state_q == RECEIVING && !gap_q)", "state_q == RECEIVING"},
		[3]string{"length without the CRC", "20'd128", "20'd112"},
		[3]string{"frame upside down", "memory_order[8*k +: 8] =", "memory_order[FRAME_BITS-1-8*k -: 8] ="},
		[3]string{"slot does not end", "state_q <= IDLE;\n      port_q <= port_i;", "port_q <= port_i;"},
		[3]string{"late light counts for the next slot", "state_q <= IDLE;\n      port_q <= port_i;", "state_q <= light ? DAMAGED : IDLE;\n      port_q <= port_i;"},
		[3]string{"not switched after a dark slot", "if (end_slot_i) begin", "if (end_slot_i && state_q != IDLE) begin"},
	)
	const hold, lowest = "else if (!hold)", "for (i = REQUESTERS - 1; i >= 0; i = i - 1)"
	of("arbiter_fixed",
		[3]string{"highest first", lowest, "for (i = 0; i < REQUESTERS; i = i + 1)"},
		[3]string{"holder not held", hold, "else"},
		[3]string{"late grant", "grant_q <= choice", "grant_q <= |grant_q ? {REQUESTERS{1'b0}} : choice"},
		[3]string{"missing reset", "if (reset) grant_q <= {REQUESTERS{1'b0}};\n    else if", "if"},
	)
	of("arbiter_round_robin",
		[3]string{"off by one", "~(choice | (choice - ONE))", "~(choice | (choice << 1) | (choice - ONE))"},
		[3]string{"winner stays first", "~(choice | (choice - ONE))", "~(choice - ONE)"},
		[3]string{"holder not held", hold, "else"},
		[3]string{"missing reset", "behind_q <= {REQUESTERS{1'b1}};", ""},
	)
	of("arbiter_matrix",
		[3]string{"reset order reversed", "~(ALL << i)", "~(ALL >> i)"},
		[3]string{"winner stays first", "choice[i] ? ALL : beaten_q", "beaten_q"},
		[3]string{"winner's column stays", " & ~choice;", ";"},
		[3]string{"holder not held", hold, "else"},
	)
	of("arbiter_tdma",
		[3]string{"slice one cycle long", "LAST_CYCLE = SLICE_CYCLES - 1", "LAST_CYCLE = SLICE_CYCLES"},
		[3]string{"turns wait for the holder", "elapsed_q <= elapsed_q + 16'd1;", "if (!hold) elapsed_q <= elapsed_q + 16'd1;"},
		[3]string{"missing reset", "turn_q <= 6'd0;\n      elapsed_q", "elapsed_q"},
		[3]string{"a turn for nobody", "LAST = REQUESTERS - 1", "LAST = REQUESTERS"},
	)
	of("pops_slot",
		[3]string{"guard off by one", "PROPAGATION_CYCLES + GUARD_CYCLES;", "PROPAGATION_CYCLES + GUARD_CYCLES + 1;"},
		[3]string{"port for all reaches none", " || nic[j].port == PORT_ALL[15:0]", ""},
		[3]string{"rail 1 crossed", "group[a].coupler[b].far1", "group[b].coupler[a].far1"},
		[3]string{"no compute window", ".COMPUTE_CYCLES(COMPUTE_CYCLES)", ".COMPUTE_CYCLES(0)"},
		[3]string{"loads within the slot", "load_i[I] && last", "load_i[I]"},
		[3]string{"violation of the slot before", "seen_q <= !last && (seen_q || violation)", "seen_q <= seen_q || violation"},
	)
	return all
}
