// output_port INPUTS=4 KIND=1
// Filter and arbiter in one module.
module dut(input clock, input reset, input load_i, input listen_i, input [15:0] accept_i, input [3:0] request_i, input [63:0] tag_i,
           output [3:0] grant_o);
  reg on;
  reg [15:0] tag;
  reg [1:0] first;
  reg [2:0] holder; // 4: none
  reg [3:0] asks;
  reg [2:0] pick;
  integer i;
  always @* begin
    for (i = 0; i < 4; i = i + 1) asks[i] = on && request_i[i] && (tag == 16'hffff || tag == tag_i[16*i +: 16]);
    pick = 4;
    for (i = 3; i >= 0; i = i - 1) if (asks[(first + i) % 4]) pick = (first + i) % 4;
  end
  always @(posedge clock)
    if (reset) begin on <= 0; tag <= 16'hffff; first <= 0; holder <= 4; end
    else begin
      if (load_i) begin on <= listen_i; tag <= accept_i; end
      if (holder == 4 || !asks[holder[1:0]]) begin
        holder <= pick;
        if (pick != 4) first <= pick[1:0] + 1;
      end
    end
  assign grant_o = holder == 4 ? 4'd0 : 4'd1 << holder[1:0];
endmodule
