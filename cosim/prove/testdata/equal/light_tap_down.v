// light_tap PHIT_BITS=4 SLOT_CYCLES=9
// Counts the cycles of a slot down, and remembers the harm in one register.
module dut(input clock, input reset, input [3:0] rail1_i, input [3:0] rail0_i, input dark_i, input flip_i, input [15:0] bit_i,
           output [3:0] rail1_o, output [3:0] rail0_o);
  reg [3:0] left;
  reg begun;
  reg [17:0] kept; // dark, flip, bit
  wire light = (rail1_i | rail0_i) != 0;
  wire [17:0] now = begun ? kept : {dark_i, flip_i, bit_i};
  wire last = left == 0;
  reg [3:0] swap;
  always @* begin
    swap = 0;
    if (light && now[16]) case (now[15:0])
      16'd0: swap = 4'b1000;
      16'd1: swap = 4'b0100;
      16'd2: swap = 4'b0010;
      16'd3: swap = 4'b0001;
      default: swap = 0;
    endcase
  end
  assign rail1_o = now[17] ? 4'd0 : (rail1_i & ~swap) | (rail0_i & swap);
  assign rail0_o = now[17] ? 4'd0 : (rail0_i & ~swap) | (rail1_i & swap);
  always @(posedge clock) begin
    if (reset) left <= 0;
    else left <= last ? 4'd8 : left - 4'd1;
    if (reset || last) begin begun <= 0; kept <= 0; end
    else if (light || begun) begin
      begun <= 1;
      kept <= {now[17], now[16] && now[15:2] != 0, now[15:0] - 16'd4};
    end
  end
endmodule
