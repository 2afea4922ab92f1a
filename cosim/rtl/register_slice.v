// Register slice: registers between two sides with valid and ready, to cut long paths.
//
// MODE 0 (forward): valid_o and data_o are registers, ready_o follows ready_i; one word per cycle. MODE 1 (full):
// ready_o is also a register; two words, one word per cycle. MODE 2 (reverse): ready_o is a register, valid_o and
// data_o follow valid_i and data_i. MODE 3 (light): all three are registers; one word, one word in two cycles. data_o
// is 0 without valid_o. Reset: empty.
// Twin of package twin's stream.
`default_nettype none

module register_slice #(
  parameter integer WIDTH = 8, // 1..64
  parameter integer MODE = 0   // 0 forward, 1 full, 2 reverse, 3 light
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
  initial if (WIDTH < 1 || WIDTH > 64 || MODE < 0 || MODE > 3) begin
    $display("%m: allowed are WIDTH 1 to 64, MODE 0 to 3");
    $finish;
  end

  reg a_full_q;
  reg [WIDTH-1:0] a_q;
  wire [WIDTH-1:0] mask = {WIDTH{valid_o}};

  generate
    if (MODE == 0) begin : forward
      assign ready_o = !a_full_q || ready_i;
      assign valid_o = a_full_q;
      assign data_o = a_q & mask;
      always @(posedge clock) begin
        if (ready_o) a_q <= data_i;
        if (reset) a_full_q <= 1'b0;
        else if (ready_o) a_full_q <= valid_i;
      end
    end else if (MODE == 1) begin : full
      reg b_full_q; // the newer word
      reg [WIDTH-1:0] b_q;
      assign ready_o = !b_full_q;
      assign valid_o = a_full_q;
      assign data_o = a_q & mask;
      always @(posedge clock) begin
        if (!a_full_q || ready_i) a_q <= b_full_q ? b_q : data_i;
        if (!b_full_q) b_q <= data_i;
        if (reset) {a_full_q, b_full_q} <= 2'b00;
        else if (!a_full_q || ready_i) {a_full_q, b_full_q} <= {b_full_q || valid_i, 1'b0};
        else if (!b_full_q) b_full_q <= valid_i;
      end
    end else if (MODE == 2) begin : reverse
      assign ready_o = !a_full_q;
      assign valid_o = a_full_q || valid_i;
      assign data_o = (a_full_q ? a_q : data_i) & mask;
      always @(posedge clock) begin
        if (ready_o) a_q <= data_i;
        if (reset) a_full_q <= 1'b0;
        else a_full_q <= valid_o && !ready_i;
      end
    end else begin : light
      assign ready_o = !a_full_q;
      assign valid_o = a_full_q;
      assign data_o = a_q & mask;
      always @(posedge clock) begin
        if (ready_o) a_q <= data_i;
        if (reset) a_full_q <= 1'b0;
        else a_full_q <= a_full_q ? !ready_i : valid_i;
      end
    end
  endgenerate

`ifndef SYNTHESIS
  reg stalled_q;
  reg [WIDTH-1:0] offered_q;
  always @(posedge clock) begin
    stalled_q <= !reset && MODE != 2 && valid_o && !ready_i;
    offered_q <= data_o;
    if (!reset && stalled_q && (!valid_o || data_o != offered_q)) $fatal(1, "stable: offers %b %h after %h", valid_o, data_o, offered_q);
  end
`endif
endmodule

`default_nettype wire
