// Skid buffer: it cuts the path of ready between two sides with valid and ready.
//
// ready_o is a register, so the other side sees a stall one cycle late; the buffer stores the word sent in that cycle.
// REGISTERED 0: valid and data pass in the same cycle, and the buffer holds one word. REGISTERED 1: valid and data are also
// registers, and the buffer holds two words. One word per cycle in both cases. data_o is 0 without valid_o. Reset: empty.
// Twin of package twin's stream.
`default_nettype none

module skid_buffer #(
  parameter integer WIDTH = 8,     // 1..64
  parameter integer REGISTERED = 1 // 1: valid_o and data_o are registers
) (
  input  wire             clock,
  input  wire             reset,
  input  wire             valid_i,
  input  wire [WIDTH-1:0] data_i,
  output wire             ready_o,
  output wire             valid_o,
  output wire [WIDTH-1:0] data_o,
  input  wire             ready_i
);
  initial if (WIDTH < 1 || WIDTH > 64 || REGISTERED < 0 || REGISTERED > 1) begin
    $display("%m: allowed are WIDTH 1 to 64, REGISTERED 0 or 1");
    $finish;
  end

  reg full_q;
  reg [WIDTH-1:0] skid_q;

  assign ready_o = !full_q;
  wire stalls = valid_i && !full_q && valid_o && !ready_i;
  wire [WIDTH-1:0] oldest = full_q ? skid_q : data_i;

  always @(posedge clock) begin
    if (stalls) skid_q <= data_i;
  end

  always @(posedge clock) begin
    if (reset) full_q <= 1'b0;
    else if (stalls) full_q <= 1'b1;
    else if (ready_i) full_q <= 1'b0;
  end

  generate
    if (REGISTERED != 0) begin : registered
      reg valid_q;
      reg [WIDTH-1:0] data_q;
      always @(posedge clock) begin
        if (reset) begin
          valid_q <= 1'b0;
          data_q <= {WIDTH{1'b0}};
        end else if (!valid_q || ready_i) begin
          valid_q <= valid_i || full_q;
          data_q <= valid_i || full_q ? oldest : {WIDTH{1'b0}};
        end
      end
      assign valid_o = valid_q;
      assign data_o = data_q;
    end else begin : passing
      assign valid_o = valid_i || full_q;
      assign data_o = valid_o ? oldest : {WIDTH{1'b0}};
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && full_q && !valid_o) $fatal(1, "order: a word waits here, and none is offered");
  end
`endif
endmodule

`default_nettype wire
