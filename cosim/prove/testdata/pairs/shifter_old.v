// A transmitter of a start bit, eight bits and a stop bit, each for DIV cycles.
module shifter #(parameter DIV = 3) (input clk, input rst_n, input [7:0] data, input valid, output ready,
    output reg line);
  localparam IDLE = 0, START = 1, BITS = 2, STOP = 3;
  reg [1:0] state;
  reg [2:0] at;
  reg [7:0] hold;
  reg [$clog2(DIV)-1:0] tick;
  wire last = tick == DIV - 1;
  assign ready = state == IDLE;
  always @(posedge clk)
    if (!rst_n) begin
      state <= IDLE;
      line <= 1;
      tick <= 0;
    end else begin
      tick <= last || state == IDLE ? 0 : tick + 1;
      case (state)
        IDLE: if (valid) begin
          hold <= data;
          state <= START;
          line <= 0;
        end
        START: if (last) begin
          state <= BITS;
          at <= 0;
          line <= hold[0];
        end
        BITS: if (last) begin
          at <= at + 1;
          line <= at == 7 ? 1 : hold[at+1];
          if (at == 7) state <= STOP;
        end
        default: if (last) state <= IDLE;
      endcase
    end
endmodule
