// list_allocator PORTS=2 LIST=2 CAP=0 ROUND_ROBIN=0
// Two inputs, two outputs: everything is spelled out.
module dut(input clock, input reset, input start_i, input [1:0] request_i, input [31:0] tag_i, input [1:0] listen_i,
           input [1:0] filter_i, input [31:0] filter_tag_i, input [1:0] list_i, input [1:0] valid_i, input [1:0] first_i,
           output turn_o, output input_o, output reg served_o, output reg served_input_o, output reg position_o,
           output reg [1:0] grant_o, output reg [1:0] claimed_o, output reg [1:0] source_o);
  reg busy;
  reg [1:0] had_q;
  wire [1:0] had = start_i ? 2'b00 : had_q, granted = start_i ? 2'b00 : grant_o, claimed = start_i ? 2'b00 : claimed_o;
  wire [1:0] asks = (start_i | busy) ? request_i & ~had : 2'b00;
  wire second = asks == 2'b10 || (asks == 2'b11 && tag_i[31:16] < tag_i[15:0]);
  wire [15:0] tag = second ? tag_i[31:16] : tag_i[15:0];
  assign turn_o = asks != 0;
  assign input_o = second;
  wire [1:0] open;
  assign open[0] = listen_i[0] && !claimed[0] && (!filter_i[0] || filter_tag_i[15:0] == tag);
  assign open[1] = listen_i[1] && !claimed[1] && (!filter_i[1] || filter_tag_i[31:16] == tag);
  wire fits0 = valid_i[0] && open[list_i[0]], fits1 = valid_i[1] && open[list_i[1]];
  wire got = turn_o && (fits0 || fits1);
  wire at = fits1 && (!fits0 || first_i == 1);
  wire to = at ? list_i[1] : list_i[0];
  always @(posedge clock)
    if (reset) begin
      busy <= 0; had_q <= 0; served_o <= 0; served_input_o <= 0; position_o <= 0; grant_o <= 0; claimed_o <= 0; source_o <= 0;
    end else begin
      busy <= turn_o;
      had_q <= had | (turn_o ? (second ? 2'b10 : 2'b01) : 2'b00);
      served_o <= got;
      served_input_o <= got && second;
      position_o <= got && at;
      grant_o <= granted | (got ? (second ? 2'b10 : 2'b01) : 2'b00);
      claimed_o <= claimed | (got ? (to ? 2'b10 : 2'b01) : 2'b00);
      if (start_i) source_o <= 0;
      if (got && to) source_o[1] <= second;
      if (got && !to) source_o[0] <= second;
    end
endmodule
