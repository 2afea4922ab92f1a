// Filter of a crossbar's output. It passes requests for the output to the arbiter: all requests, or the requests with
// one tag.
//
// request_i[i] is high while input i requests this output. tag_i has the tag of input i in the 16 bits from i*16 on.
// load_i in cycle c, the last cycle of a slot, loads listen_i and accept_i at the end of that cycle. An accept_i of
// 16'hFFFF accepts every tag.
//
// Latency 0 cycles (combinational) from request_i to request_o. Reset: not listening.
// Twin of hw.Filters, for one output.
`default_nettype none

module output_filter #(
  parameter integer INPUTS = 4 // 1..1024
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire                 load_i,
  input  wire                 listen_i,
  input  wire [15:0]          accept_i,
  input  wire [INPUTS-1:0]    request_i,
  input  wire [INPUTS*16-1:0] tag_i,
  output wire [INPUTS-1:0]    request_o
);
  initial if (INPUTS < 1 || INPUTS > 1024) begin
    $display("%m: allowed are INPUTS 1 to 1024");
    $finish;
  end

  localparam [15:0] ANY = 16'hFFFF;

  reg listens_q;
  reg [15:0] tag_q;

  always @(posedge clock) begin
    if (reset) begin
      listens_q <= 1'b0;
      tag_q <= ANY;
    end else if (load_i) begin
      listens_q <= listen_i;
      tag_q <= accept_i;
    end
  end

  genvar i;
  generate
    for (i = 0; i < INPUTS; i = i + 1) begin : inputs
      assign request_o[i] = request_i[i] && listens_q && (tag_q == ANY || tag_i[i*16 +: 16] == tag_q);
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (|(request_o & ~request_i)) $fatal(1, "asked: lets %b through, %b ask", request_o, request_i);
      if (!listens_q && |request_o) $fatal(1, "listens: to none, and lets %b through", request_o);
    end
  end
`endif
endmodule

`default_nettype wire
