// serialiser PHIT_BITS=8 FRAME_BYTES_MAX=4 COMPUTE_CYCLES=1
// The frame stays where it is; a counter says which byte is next.
module dut(input clock, input reset, input load_i, input [31:0] frame_i, input [15:0] length_i, input [15:0] port_i,
           output [7:0] rail1_o, output [7:0] rail0_o, output [15:0] port_o, output busy_o);
  reg [31:0] frame;
  reg [15:0] port;
  reg [2:0] left; // bytes
  reg [1:0] next;
  reg waits;
  wire on = left != 0 && !waits;
  reg [7:0] byte_now;
  always @* case (next)
    0: byte_now = frame[7:0];
    1: byte_now = frame[15:8];
    2: byte_now = frame[23:16];
    default: byte_now = frame[31:24];
  endcase
  always @(posedge clock)
    if (reset) begin left <= 0; waits <= 0; port <= 16'hffff; next <= 0; frame <= 0; end
    else begin
      waits <= 0;
      if (left == 0) begin
        if (load_i && length_i >= 1 && length_i <= 4) begin
          frame <= frame_i; left <= length_i[2:0]; port <= port_i; waits <= 1; next <= 0;
        end
      end else if (on) begin
        left <= left - 1;
        next <= next + 1;
        if (left == 1) port <= 16'hffff;
      end
    end
  assign rail1_o = on ? byte_now : 8'd0;
  assign rail0_o = on ? ~byte_now : 8'd0;
  assign port_o = port;
  assign busy_o = left != 0;
endmodule
