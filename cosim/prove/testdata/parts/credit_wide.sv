// A counter in more bits than its values need: STRAY sets one of those above them after a take of the last credit.
module credit_wide #(parameter STRAY = 0) (
  input wire clk, input wire rst_n, input wire take, input wire [1:0] give, output wire [7:0] left, output reg under, output reg over
);
    reg [1:0] held;
    reg stray;
    assign left = {1'b0, stray, 4'b0, held};
    wire [1:0] out = 2'd3 - held;
    wire many = give > out;
    wire takes = take && held != 0;
    always_ff @(posedge clk or negedge rst_n)
      if (!rst_n) begin held <= 3; under <= 0; over <= 0; stray <= 0; end
      else begin
        held <= held + (many ? out : give) - {1'b0, takes};
        under <= take && held == 0;
        over <= many;
        stray <= STRAY != 0 && takes && held == 1;
      end
endmodule
