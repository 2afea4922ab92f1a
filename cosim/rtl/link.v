// Fibre: light that enters in cycle c leaves in cycle c + DELAY_CYCLES.
//
// With DELAY_CYCLES 0 the fibre is combinational, even during reset. Otherwise it is a chain of registers; a reset
// darkens the registers and discards the light in flight. One phit per cycle without stalls.
// Twin of hw.Fibre, for one wire.
`default_nettype none

module link #(
  parameter integer PHIT_BITS = 8,    // 1..64
  parameter integer DELAY_CYCLES = 1  // 0..4096
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire [PHIT_BITS-1:0] rail1_i,
  input  wire [PHIT_BITS-1:0] rail0_i,
  output wire [PHIT_BITS-1:0] rail1_o,
  output wire [PHIT_BITS-1:0] rail0_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64 ||
      DELAY_CYCLES < 0 || DELAY_CYCLES > 4096) begin
    $display("%m: allowed are PHIT_BITS 1 to 64, DELAY_CYCLES 0 to 4096");
    $finish;
  end

  localparam integer BITS = 2 * PHIT_BITS;

  wire [BITS-1:0] light_i = {rail1_i, rail0_i};
  wire [BITS-1:0] light_o;
  assign {rail1_o, rail0_o} = light_o;

  generate
    if (DELAY_CYCLES == 0) begin : combinational
      wire unused = &{1'b0, clock, reset};
      assign light_o = light_i;
    end else if (DELAY_CYCLES == 1) begin : register
      reg [BITS-1:0] light_q;
      always @(posedge clock) light_q <= reset ? {BITS{1'b0}} : light_i;
      assign light_o = light_q;
    end else begin : chain
      reg [DELAY_CYCLES*BITS-1:0] light_q; // the oldest at the top
      always @(posedge clock) begin
        if (reset) light_q <= {DELAY_CYCLES*BITS{1'b0}};
        else light_q <= {light_q[(DELAY_CYCLES-1)*BITS-1:0], light_i};
      end
      assign light_o = light_q[(DELAY_CYCLES-1)*BITS +: BITS];
    end
  endgenerate
endmodule

`default_nettype wire
