// Separable allocator with one iteration and without registers. KIND 0, islip: every requested output grants one input,
// then every input accepts one grant. KIND 1, separable_input_first: every input picks one output, then every output
// accepts one input that has picked it. Each choice is the first candidate from a pointer on, in circular order. A pointer
// is given as the set of all positions from the pointer on; the empty set stands for all positions. Part of vc_router.v.
`default_nettype none

module vc_matcher #(
  parameter integer INS = 4,
  parameter integer OUTS = 4,
  parameter integer KIND = 0 // 0 islip, 1 separable_input_first
) (
  input  wire [INS*OUTS-1:0] request_i, // bit in * OUTS + out: input in requests output out
  input  wire [INS*OUTS-1:0] accept_i,  // for each input, the outputs from its pointer on
  input  wire [OUTS*INS-1:0] grant_i,   // for each output, the inputs from its pointer on
  output wire [INS*OUTS-1:0] match_o,   // bit in * OUTS + out: input in and output out are matched
  output wire [OUTS*INS-1:0] matched_o  // the same matches as bits out * INS + in
);
  localparam integer A = KIND == 0 ? OUTS : INS; // the side that chooses first
  localparam integer B = KIND == 0 ? INS : OUTS;
  localparam [B-1:0] ONE_OF_B = 1;
  localparam [A-1:0] ONE_OF_A = 1;

  reg [OUTS*INS-1:0] requested;
  wire [A*B-1:0] asked = KIND == 0 ? requested : request_i;
  wire [A*B-1:0] from_a = KIND == 0 ? grant_i : accept_i;
  wire [A*B-1:0] from_b = KIND == 0 ? accept_i : grant_i;
  wire [A*B-1:0] chosen, taken;
  reg [A*B-1:0] chosen_by, taken_of;

  integer i, k;
  always @* begin
    for (i = 0; i < INS; i = i + 1) for (k = 0; k < OUTS; k = k + 1) requested[k*INS+i] = request_i[i*OUTS+k];
  end
  always @* begin
    for (i = 0; i < A; i = i + 1) for (k = 0; k < B; k = k + 1) chosen_by[k*A+i] = chosen[i*B+k];
  end
  always @* begin
    for (i = 0; i < A; i = i + 1) for (k = 0; k < B; k = k + 1) taken_of[i*B+k] = taken[k*A+i];
  end

  genvar a, b;
  generate
    for (a = 0; a < A; a = a + 1) begin : g_first
      wire [B-1:0] asks = asked[a*B+:B];
      wire [B-1:0] near = asks & from_a[a*B+:B];
      wire [B-1:0] among = |near ? near : asks;
      assign chosen[a*B+:B] = among & (~among + ONE_OF_B);
    end
    for (b = 0; b < B; b = b + 1) begin : g_second
      wire [A-1:0] asks = chosen_by[b*A+:A];
      wire [A-1:0] near = asks & from_b[b*A+:A];
      wire [A-1:0] among = |near ? near : asks;
      assign taken[b*A+:A] = among & (~among + ONE_OF_A);
    end
  endgenerate

  assign match_o = KIND == 0 ? taken : taken_of;
  assign matched_o = KIND == 0 ? taken_of : taken;
endmodule

`default_nettype wire
