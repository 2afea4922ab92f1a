// cap_arbiter PORTS=3 CAP=1 KIND=0
// A knock-out of pairs; the cap of one is a bit.
module dut(input clock, input reset, input start_i, input [2:0] request_i, input [47:0] tag_i,
           output reg served_o, output reg [1:0] served_input_o, output reg [2:0] grant_o);
  reg waiting;
  wire [15:0] t0 = tag_i[15:0], t1 = tag_i[31:16], t2 = tag_i[47:32];
  wire one = request_i[1] && (!request_i[0] || t1 < t0);
  wire [15:0] best = one ? t1 : t0;
  wire two = request_i[2] && (!(request_i[0] || request_i[1]) || t2 < best);
  wire [1:0] who = two ? 2 : one ? 1 : 0;
  wire choose = |request_i && (start_i || (waiting && grant_o == 0));
  always @(posedge clock)
    if (reset) begin waiting <= 0; served_o <= 0; served_input_o <= 0; grant_o <= 0; end
    else begin
      waiting <= choose;
      served_o <= choose;
      served_input_o <= choose ? who : 0;
      if (choose) grant_o <= 1 << who;
      else if (start_i) grant_o <= 0;
    end
endmodule
