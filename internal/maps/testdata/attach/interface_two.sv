interface stream_if #(parameter int W = 2) (input logic clk);
  logic [W-1:0] data;
  logic [W-1:0] back;
  modport sink(input data, output back);
  modport source(output data, input back);
endinterface
module dut #(parameter type T = logic) (input logic clk, rst_n, stream_if.sink s, stream_if.source m);
  T word;
  assign word = s.data;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {m.data, s.back} <= '0;
    else {m.data, s.back} <= {word, m.back};
endmodule
