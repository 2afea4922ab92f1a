module counter #(parameter W = 6, TOP = 49) (input clk, input rst, input en, input load, input [W-1:0] value,
    output reg [W-1:0] count, output wrap);
  assign wrap = en && count == TOP;
  always @(posedge clk)
    if (rst) count <= 0;
    else if (load) count <= value > TOP ? TOP : value;
    else if (en) count <= count == TOP ? 0 : count + 1;
endmodule
