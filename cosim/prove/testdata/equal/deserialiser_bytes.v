// deserialiser PHIT_BITS=8 FRAME_BYTES_MAX=16 PORTS=1
// Every byte goes to its place at once, and what is wrong with it is known there.
module dut(input clock, input reset, input end_slot_i, input [15:0] port_i, input [7:0] rail1_i, input [7:0] rail0_i,
           output reg [2:0] state_o, output [15:0] bits_o, output reg [2:0] status_o, output [15:0] length_o, output [127:0] frame_o);
  localparam IDLE = 0, RECEIVING = 1, GOOD = 2, DAMAGED = 3, VIOLATED = 4;
  reg hears, gap, headed; // headed: version and kind are right
  reg [4:0] got;
  reg [127:0] bytes;
  reg [15:0] crc;
  wire [7:0] one = hears ? rail1_i : 8'd0, zero = hears ? rail0_i : 8'd0;
  wire light = one != 0 || zero != 0;
  wire idle = state_o == IDLE;
  wire [4:0] at = idle ? 5'd0 : got;

  reg [15:0] next;
  integer i;
  always @* begin
    next = idle ? 16'hffff : crc;
    for (i = 7; i >= 0; i = i - 1) next = {next[14:0], 1'b0} ^ (next[15] ^ one[i] ? 16'h1021 : 16'd0);
  end

  wire long = at == 3 && (bytes[23:16] != 0 || one != 0); // there is no room for a payload
  wire takes = (one ^ zero) == 8'hff && (idle || state_o == RECEIVING && !gap) && !long;
  wire heads = at == 0 ? one[7:4] == 1 && one[3:0] <= 2 : headed;
  always @(posedge clock)
    if (reset) begin state_o <= IDLE; hears <= 0; gap <= 0; got <= 0; end
    else if (end_slot_i) begin state_o <= IDLE; hears <= port_i == 0; end
    else if ((one & zero) != 0) state_o <= VIOLATED;
    else if (!light) gap <= 1;
    else if (state_o != VIOLATED) begin
      if (idle) got <= 0;
      state_o <= DAMAGED;
      if (takes) begin
        state_o <= at != 15 ? RECEIVING : heads && next == 0 ? GOOD : DAMAGED;
        got <= at + 1;
        gap <= 0;
        headed <= heads;
        crc <= next;
        for (i = 0; i < 16; i = i + 1) if (at == i) bytes[8*i +: 8] <= one;
      end
    end
  assign bits_o = {8'd0, got, 3'd0};
  always @* case (state_o)
    IDLE: status_o = 0;
    GOOD: status_o = 1;
    VIOLATED: status_o = 2;
    default: status_o = 3;
  endcase
  assign length_o = state_o == GOOD ? 16 : 0;
  assign frame_o = state_o == GOOD ? bytes : 128'd0;
endmodule
