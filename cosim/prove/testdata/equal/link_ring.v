// link PHIT_BITS=2 DELAY_CYCLES=7
// A ring of places: what is written now is read when the pointer comes back. Nothing is shown until
// the places have been written once.
module dut(input clock, input reset, input [1:0] rail1_i, input [1:0] rail0_i, output [1:0] rail1_o, output [1:0] rail0_o);
  reg [3:0] ring [0:6];
  reg [2:0] at;
  reg [2:0] dark; // cycles that are still dark
  always @(posedge clock) begin
    ring[at] <= {rail1_i, rail0_i};
    if (reset) begin at <= 0; dark <= 7; end
    else begin
      at <= at == 6 ? 0 : at + 1;
      if (dark != 0) dark <= dark - 1;
    end
  end
  assign {rail1_o, rail0_o} = dark != 0 ? 4'd0 : ring[at];
endmodule
