// Medium without an arbiter (slotted ALOHA). It counts the contenders of a slot, the requests whose addressee
// accepts their tag, and detects collisions of transmissions.
//
// start_i begins a slot. From the next cycle on, count_o and contends_o show the contenders of the start cycle. If
// one input has transmitted since the start, passed_o shows this input from the next cycle on; if several have,
// collided_o shows them. An addressee beyond the last output does not listen. Reset: no contender, no
// transmission.
// Twin of hw.Contentions, for one medium.
`default_nettype none

module contention #(
  parameter integer PORTS = 4 // inputs, and outputs, 1..64
) (
  input  wire clock,
  input  wire reset,
  input  wire start_i,
  input  wire [PORTS-1:0] request_i,
  input  wire [PORTS*(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] addressee_i,
  input  wire [PORTS*16-1:0] tag_i,
  input  wire [PORTS-1:0] transmit_i,
  input  wire [PORTS-1:0] listen_i,
  input  wire [PORTS-1:0] filter_i,
  input  wire [PORTS*16-1:0] filter_tag_i,
  output wire [$clog2(PORTS+1)-1:0] count_o,
  output wire [PORTS-1:0] contends_o,
  output wire [PORTS-1:0] passed_o,
  output wire [PORTS-1:0] collided_o
);
  initial if (PORTS < 1 || PORTS > 64) begin
    $display("%m: allowed are PORTS 1 to 64");
    $finish;
  end

  localparam integer INDEX_BITS = PORTS > 1 ? $clog2(PORTS) : 1;
  localparam integer COUNT_BITS = $clog2(PORTS + 1);
  localparam [PORTS-1:0] ONE = 1;

  reg [COUNT_BITS-1:0] count_q, count_d;
  reg [PORTS-1:0] contends_q, contends_d;
  reg [PORTS-1:0] sent_q;

  reg [PORTS-1:0] accepts; // outputs that accept the tag of an input
  integer i, k;
  always @* begin
    count_d = {COUNT_BITS{1'b0}};
    contends_d = {PORTS{1'b0}};
    accepts = {PORTS{1'b0}};
    for (i = 0; i < PORTS; i = i + 1) begin
      for (k = 0; k < PORTS; k = k + 1) begin
        accepts[k] = listen_i[k] && (!filter_i[k] || filter_tag_i[k*16 +: 16] == tag_i[i*16 +: 16]);
      end
      if (request_i[i] && |(accepts & (ONE << addressee_i[i*INDEX_BITS +: INDEX_BITS]))) begin
        contends_d[i] = 1'b1;
        count_d = count_d + 1'b1;
      end
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      count_q <= {COUNT_BITS{1'b0}};
      contends_q <= {PORTS{1'b0}};
      sent_q <= {PORTS{1'b0}};
    end else begin
      if (start_i) begin
        count_q <= count_d;
        contends_q <= contends_d;
      end
      sent_q <= start_i ? transmit_i : sent_q | transmit_i;
    end
  end

  wire several = |(sent_q & (sent_q - ONE));
  assign count_o = count_q;
  assign contends_o = contends_q;
  assign passed_o = several ? {PORTS{1'b0}} : sent_q;
  assign collided_o = several ? sent_q : {PORTS{1'b0}};

`ifndef SYNTHESIS
  reg [COUNT_BITS-1:0] contenders;
  integer n;
  always @* begin
    contenders = {COUNT_BITS{1'b0}};
    for (n = 0; n < PORTS; n = n + 1) begin
      if (contends_q[n]) contenders = contenders + 1'b1;
    end
  end
  always @(posedge clock) if (!reset && contenders != count_q) $fatal(1, "count: %0d, contenders %b", count_q, contends_q);
`endif
endmodule

`default_nettype wire
