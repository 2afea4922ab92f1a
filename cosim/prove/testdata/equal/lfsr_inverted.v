// lfsr SEED=2128394904
// reset: low arst_n
// The register holds the inverse and is reset asynchronously.
module dut(input clock, input arst_n, input enable_i, output [31:0] value_o);
  reg [31:0] q;
  wire [31:0] v = ~q;
  wire [31:0] shifted = v >> 1;
  always @(posedge clock or negedge arst_n)
    if (!arst_n) q <= ~32'h7EDCBA98;
    else if (enable_i) q <= ~(v[0] ? shifted ^ 32'h80200003 : shifted);
  assign value_o = v;
endmodule
