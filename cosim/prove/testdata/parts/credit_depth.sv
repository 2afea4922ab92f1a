module credit_depth #(parameter DEPTH = 2, parameter LESS = 0, localparam W = $clog2(DEPTH + 1)) (
  input wire clk, input wire rst_n, input wire take, input wire [W-1:0] give, output reg [W-1:0] left, output reg under, output reg over
);
    localparam [W-1:0] ALL = W'(DEPTH - LESS);
    wire [W-1:0] out = ALL - left;
    wire many = give > out;
    wire takes = take && left != 0;
    always_ff @(posedge clk or negedge rst_n)
      if (!rst_n) begin left <= ALL; under <= 0; over <= 0; end
      else begin
        left <= left + (many ? out : give) - {{(W-1){1'b0}}, takes};
        under <= take && left == 0;
        over <= many;
      end
endmodule
