// contention PORTS=4
// The output of each input is looked up, instead of trying all.
module dut(input clock, input reset, input start_i, input [3:0] request_i, input [7:0] addressee_i, input [63:0] tag_i,
           input [3:0] transmit_i, input [3:0] listen_i, input [3:0] filter_i, input [63:0] filter_tag_i,
           output [2:0] count_o, output reg [3:0] contends_o, output [3:0] passed_o, output [3:0] collided_o);
  wire [3:0] ok;
  genvar i;
  generate for (i = 0; i < 4; i = i + 1) begin : each
    wire [1:0] to = addressee_i[2*i+1:2*i];
    wire [15:0] wanted = to == 0 ? filter_tag_i[15:0] : to == 1 ? filter_tag_i[31:16] : to == 2 ? filter_tag_i[47:32] : filter_tag_i[63:48];
    assign ok[i] = request_i[i] & listen_i[to] & (~filter_i[to] | (wanted == tag_i[16*i+15:16*i]));
  end endgenerate
  reg [3:0] sent;
  always @(posedge clock) begin
    if (start_i) contends_o <= ok;
    if (start_i) sent <= transmit_i; else sent <= sent | transmit_i;
    if (reset) begin contends_o <= 0; sent <= 0; end
  end
  assign count_o = contends_o[0] + contends_o[1] + contends_o[2] + contends_o[3];
  wire one = sent == 1 || sent == 2 || sent == 4 || sent == 8;
  assign passed_o = one ? sent : 0;
  assign collided_o = one ? 0 : sent;
endmodule
