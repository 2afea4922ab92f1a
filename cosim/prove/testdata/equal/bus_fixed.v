// bus TAPS=3 PHIT_BITS=4 ARBITER=1 KIND=0 SLICE_CYCLES=1
// One-hot state, a multiplexer by cases.
module dut(input clock, input reset, input [2:0] request_i, input [11:0] rail1_i, input [11:0] rail0_i,
           output reg [3:0] rail1_o, output reg [3:0] rail0_o, output violation_o, output [2:0] grant_o);
  reg [1:0] open; // 0: none, else tap + 1
  wire [1:0] lowest = request_i[0] ? 1 : request_i[1] ? 2 : request_i[2] ? 3 : 0;
  wire stays = (open == 1 && request_i[0]) || (open == 2 && request_i[1]) || (open == 3 && request_i[2]);
  always @(posedge clock) if (reset) open <= 0; else if (!stays) open <= lowest;
  always @* case (open)
    1: begin rail1_o = rail1_i[3:0]; rail0_o = rail0_i[3:0]; end
    2: begin rail1_o = rail1_i[7:4]; rail0_o = rail0_i[7:4]; end
    3: begin rail1_o = rail1_i[11:8]; rail0_o = rail0_i[11:8]; end
    default: begin rail1_o = 0; rail0_o = 0; end
  endcase
  assign grant_o = {open == 3, open == 2, open == 1};
  assign violation_o = |(rail1_o & rail0_o);
endmodule
