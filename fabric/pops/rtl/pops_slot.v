// Datapath of a POPS(D,G): G groups of D processors, G*G star couplers.
//
//   serialisers -> ports -> star couplers -> links -> deserialisers
//   (registered)            (combinational)  (propagation)  (registered)
//
// Processor i is in group i div D. Coupler a*G + b carries light from group a to group b.
// Transmitters of group a reach it at port b, and receivers of group b hear it at port a.
// Processor i has the bits from i*width on in a packed port.
//
// A slot has SLOT_CYCLES = COMPUTE_CYCLES + phits of the longest frame + PROPAGATION_CYCLES +
// GUARD_CYCLES cycles. last_o marks its last cycle. In this cycle
//   * status_o, heard_length_o and heard_o show the frames received in this slot, and
//     violation_o shows the couplers with a code violation in this slot; no output depends
//     on an input of the same cycle,
//   * load_i, frame_i, length_i and port_i load the transmitters for the next slot (as in
//     serialiser.v; a port_i other than 0..G-1 and SL_PORT_ALL reaches no coupler), and
//     hear_i switches the receivers for the next slot at the end of the cycle.
// In all other cycles inputs are ignored, and outputs show the slot so far. rail1_o and rail0_o
// are the light at the far ends of the links; in the last cycle this light belongs to no slot.
// Reset: dark, nothing received; the first cycle after a reset is the last cycle of an empty
// slot.
// Twin of the machine that fabric/plant builds, with the timing of nic.Timing.
`default_nettype none
`include "starloom_registers.vh"

module pops_slot #(
  parameter integer D = 2,                  // processors of a group, 1..64
  parameter integer G = 2,                  // groups, 1..64
  parameter integer PHIT_BITS = 8,          // 1..64
  parameter integer FRAME_BYTES_MAX = 24,   // 16..1040
  parameter integer COMPUTE_CYCLES = 0,     // 0..65535
  parameter integer PROPAGATION_CYCLES = 1, // 0..4096
  parameter integer GUARD_CYCLES = 1        // 1..4096
) (
  input  wire                             clock,
  input  wire                             reset,
  input  wire [D*G-1:0]                   load_i,
  input  wire [D*G*8*FRAME_BYTES_MAX-1:0] frame_i,
  input  wire [D*G*16-1:0]                length_i,
  input  wire [D*G*16-1:0]                port_i,
  input  wire [D*G*16-1:0]                hear_i,
  output wire                             last_o,
  output wire [D*G*3-1:0]                 status_o,
  output wire [D*G*16-1:0]                heard_length_o,
  output wire [D*G*8*FRAME_BYTES_MAX-1:0] heard_o,
  output wire [G*G-1:0]                   violation_o,
  output wire [G*G*PHIT_BITS-1:0]         rail1_o,
  output wire [G*G*PHIT_BITS-1:0]         rail0_o
);
  initial if (D < 1 || D > 64 ||
      G < 1 || G > 64 ||
      PHIT_BITS < 1 || PHIT_BITS > 64 ||
      FRAME_BYTES_MAX < 16 || FRAME_BYTES_MAX > 1040 ||
      COMPUTE_CYCLES < 0 || COMPUTE_CYCLES > 65535 ||
      PROPAGATION_CYCLES < 0 || PROPAGATION_CYCLES > 4096 ||
      GUARD_CYCLES < 1 || GUARD_CYCLES > 4096) begin
    $write("%m: allowed are D 1 to 64, G 1 to 64, PHIT_BITS 1 to 64, FRAME_BYTES_MAX 16 to 1040, ");
    $display("COMPUTE_CYCLES 0 to 65535, PROPAGATION_CYCLES 0 to 4096, GUARD_CYCLES 1 to 4096");
    $finish;
  end

  localparam integer FRAME_PHITS = (8 * FRAME_BYTES_MAX + PHIT_BITS - 1) / PHIT_BITS;
  localparam integer SLOT_CYCLES = COMPUTE_CYCLES + FRAME_PHITS + PROPAGATION_CYCLES + GUARD_CYCLES;
  localparam integer LAST_CYCLE = SLOT_CYCLES - 1;
  localparam [31:0] PORT_ALL = `SL_PORT_ALL;

  // The slot timer.
  reg [16:0] cycle_q;
  wire last = cycle_q == LAST_CYCLE[16:0];
  always @(posedge clock) begin
    if (reset) cycle_q <= LAST_CYCLE[16:0];
    else cycle_q <= last ? 17'd0 : cycle_q + 17'd1;
  end
  assign last_o = last;

  genvar a, b, j;
  generate
    for (a = 0; a < G; a = a + 1) begin : group
      for (j = 0; j < D; j = j + 1) begin : nic
        localparam integer I = a * D + j;
        wire [PHIT_BITS-1:0] light1, light0;
        wire [15:0] port;
        wire busy;
        serialiser #(.PHIT_BITS(PHIT_BITS), .FRAME_BYTES_MAX(FRAME_BYTES_MAX), .COMPUTE_CYCLES(COMPUTE_CYCLES)) tx (
          .clock(clock), .reset(reset), .load_i(load_i[I] && last),
          .frame_i(frame_i[I*8*FRAME_BYTES_MAX +: 8*FRAME_BYTES_MAX]), .length_i(length_i[I*16 +: 16]), .port_i(port_i[I*16 +: 16]),
          .rail1_o(light1), .rail0_o(light0), .port_o(port), .busy_o(busy)
        );
        wire unused = &{1'b0, busy};
      end

      for (b = 0; b < G; b = b + 1) begin : coupler
        localparam integer C = a * G + b;
        wire [D*PHIT_BITS-1:0] in1, in0;
        for (j = 0; j < D; j = j + 1) begin : lane
          wire on = nic[j].port == b[15:0] || nic[j].port == PORT_ALL[15:0];
          assign in1[j*PHIT_BITS +: PHIT_BITS] = on ? nic[j].light1 : {PHIT_BITS{1'b0}};
          assign in0[j*PHIT_BITS +: PHIT_BITS] = on ? nic[j].light0 : {PHIT_BITS{1'b0}};
        end
        wire [PHIT_BITS-1:0] near1, near0, far1, far0;
        wire violation;
        star_coupler #(.D(D), .PHIT_BITS(PHIT_BITS)) star (
          .rail1_i(in1), .rail0_i(in0), .rail1_o(near1), .rail0_o(near0), .violation_o(violation)
        );
        link #(.PHIT_BITS(PHIT_BITS), .DELAY_CYCLES(PROPAGATION_CYCLES)) fibre (
          .clock(clock), .reset(reset), .rail1_i(near1), .rail0_i(near0), .rail1_o(far1), .rail0_o(far0)
        );
        assign rail1_o[C*PHIT_BITS +: PHIT_BITS] = far1;
        assign rail0_o[C*PHIT_BITS +: PHIT_BITS] = far0;

        reg seen_q; // an earlier cycle of this slot had a violation
        always @(posedge clock) begin
          if (reset) seen_q <= 1'b0;
          else seen_q <= !last && (seen_q || violation);
        end
        assign violation_o[C] = seen_q || violation;
      end
    end

    for (b = 0; b < G; b = b + 1) begin : hearers
      wire [G*PHIT_BITS-1:0] in1, in0; // light of the couplers to this group
      for (a = 0; a < G; a = a + 1) begin : ear
        assign in1[a*PHIT_BITS +: PHIT_BITS] = group[a].coupler[b].far1;
        assign in0[a*PHIT_BITS +: PHIT_BITS] = group[a].coupler[b].far0;
      end
      for (j = 0; j < D; j = j + 1) begin : nic
        localparam integer I = b * D + j;
        wire [2:0] state;
        wire [15:0] bits;
        deserialiser #(.PHIT_BITS(PHIT_BITS), .FRAME_BYTES_MAX(FRAME_BYTES_MAX), .PORTS(G)) rx (
          .clock(clock), .reset(reset), .end_slot_i(last), .port_i(hear_i[I*16 +: 16]),
          .rail1_i(in1), .rail0_i(in0), .state_o(state), .bits_o(bits),
          .status_o(status_o[I*3 +: 3]), .length_o(heard_length_o[I*16 +: 16]),
          .frame_o(heard_o[I*8*FRAME_BYTES_MAX +: 8*FRAME_BYTES_MAX])
        );
        wire unused = &{1'b0, state, bits};
      end
    end
  endgenerate
  wire all_unused = &{1'b0, PORT_ALL[31:16]};

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (cycle_q > LAST_CYCLE[16:0]) $fatal(1, "cycle: %0d of a slot of %0d", cycle_q, SLOT_CYCLES);
      if (last && |{rail1_o, rail0_o}) $fatal(1, "late: light at the far end in the last cycle of a slot");
    end
  end
`endif
endmodule

`default_nettype wire
