// requester PHIT_BITS=8 FRAME_BYTES_MAX=16 COMPUTE_CYCLES=1 ARBITRATION_CYCLES=1
// A phit is a byte, the next one at the bottom; the CRC goes bit by bit and is kept while it is sent.
module dut(input clock, input reset, input load_i, input [127:0] frame_i, input [15:0] length_i, input [15:0] port_i, input [15:0] serving_i,
           output [7:0] rail1_o, output [7:0] rail0_o, output reg [15:0] port_o, output busy_o, output reg [15:0] tag_o, output request_o,
           output reg [15:0] served_o);
  reg [127:0] bytes;
  reg [4:0] left;
  reg [1:0] waits;
  reg first, listed;
  reg [15:0] crc;
  wire on = left != 0 && waits == 0;
  wire any = port_o == 16'hffff;

  reg [15:0] next;
  integer i;
  always @* begin
    next = first ? 16'hffff : crc;
    for (i = 7; i >= 0; i = i - 1) next = {next[14:0], 1'b0} ^ (next[15] ^ bytes[i] ? 16'h1021 : 16'd0);
  end

  wire [31:0] to = {serving_i[7:0], serving_i[15:8], 16'd0};
  wire [127:0] addressed = first && any ? {bytes[127:96], to, bytes[63:0]} : bytes;
  always @(posedge clock)
    if (reset) begin
      left <= 0; waits <= 0; first <= 0; listed <= 0; port_o <= 16'hffff; tag_o <= 0; served_o <= 16'hffff; bytes <= 0; crc <= 16'hffff;
    end else if (left == 0) begin
      if (load_i && length_i == 16) begin
        left <= 16; waits <= 2; first <= 1; listed <= 0; port_o <= port_i; tag_o <= {frame_i[103:96], frame_i[111:104]};
        served_o <= 16'hffff; bytes <= frame_i;
      end
    end else if (waits != 0) waits <= waits - 1;
    else begin
      first <= 0;
      bytes <= {8'd0, addressed[127:8]};
      left <= left - 1;
      if (left > 2) crc <= next;
      if (first) begin served_o <= serving_i; listed <= any; if (any) port_o <= serving_i; end
      if (left == 1 || first && serving_i == 16'hffff) begin left <= 0; port_o <= 16'hffff; end
    end
  wire [7:0] sent = !listed || left > 2 ? bytes[7:0] : left == 2 ? crc[15:8] : crc[7:0];
  assign rail1_o = on ? sent : 8'd0;
  assign rail0_o = on ? ~sent : 8'd0;
  assign busy_o = left != 0;
  assign request_o = busy_o && waits <= 1;
endmodule
