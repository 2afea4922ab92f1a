// Drives the arbiter like top.cpp does, and dumps it: with a pause unless +whole.
`timescale 1ns/1ps
module tb;
  reg clk = 0, rst_n = 0;
  reg [15:0] lfsr = 16'hACE1;
  wire [3:0] grant;
  wire [7:0] count;
  wire busy;
  real temperature = 1.5;
  event done;
  dut u_dut(.clk_i(clk), .rst_ni(rst_n), .request_i(lfsr[3:0]), .grant_q(grant), .count_q(count), .busy_o(busy));
  always #5 clk = ~clk;
  always @(posedge clk) lfsr <= {lfsr[14:0], lfsr[15] ^ lfsr[13] ^ lfsr[12] ^ lfsr[10]};
  initial begin
    $dumpfile("icarus.vcd");
    $dumpvars;
    #22 rst_n = 1;
    #100 temperature = 2.25;
    -> done;
    #500 if (!$test$plusargs("whole")) $dumpoff;
    #40 if (!$test$plusargs("whole")) $dumpon;
    #20 $dumpall;
    #300 $finish;
  end
endmodule
