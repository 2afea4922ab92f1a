module shifter #(parameter DIV = 3) (input clk, input rst_n, input [7:0] data, input valid, output ready, output line);
  reg [8:0] bits;  // the next bits of the frame, the present one lowest
  reg [3:0] left;  // bits that are not sent yet
  reg [$clog2(DIV)-1:0] tick;
  assign ready = left == 0;
  assign line = ready || bits[0];
  always @(posedge clk)
    if (!rst_n) begin
      left <= 0;
      tick <= DIV - 1;
    end else if (ready) begin
      tick <= DIV - 1;
      if (valid) begin
        bits <= {data, 1'b0};
        left <= 10;
      end
    end else if (tick != 0) tick <= tick - 1;
    else begin
      tick <= DIV - 1;
      bits <= {1'b1, bits[8:1]};
      left <= left - 1;
    end
endmodule
