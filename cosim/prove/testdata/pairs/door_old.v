module door (input clk, input rst, input open, input close, input blocked, input limit, output up, output down,
    output alarm);
  reg [1:0] state;
  reg [2:0] wait_q;
  localparam SHUT = 2'd0, RISING = 2'd1, UP = 2'd2, FALLING = 2'd3;
  assign up = state == RISING;
  assign down = state == FALLING;
  assign alarm = state == FALLING && blocked;
  always @(posedge clk)
    if (rst) begin
      state <= SHUT;
      wait_q <= 0;
    end else
      case (state)
        SHUT: if (open) state <= RISING;
        RISING: if (limit) begin
          state <= UP;
          wait_q <= 5;
        end
        UP: if (wait_q != 0) wait_q <= wait_q - 1;
            else if (close && !blocked) state <= FALLING;
        FALLING: if (blocked || open) state <= RISING;
                 else if (limit) state <= SHUT;
      endcase
endmodule
