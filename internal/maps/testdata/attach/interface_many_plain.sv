module plain (input logic clk, rst_n, input logic [3:0] in1, in0, output logic [3:0] out1, out0);
  interface_many_if rails [2] ();
  assign rails[1].in = in1;
  assign rails[0].in = in0;
  assign out1 = rails[1].out;
  assign out0 = rails[0].out;
  dut d (.clk, .rst_n, .rails(rails));
endmodule
