// route_table PORTS=2 VCS=2 CLASS_VCS=1 NODES=2 BY_INPUT=1
// Entries of 3 bits: output, VC of the class, next phase. The entry of an input is found by its position.
module dut(input [1:0] head_i, input [1:0] vc_i, input [1:0] phase_i, input [1:0] destination_i, input [23:0] routes_i,
           output [7:0] route_o, output [1:0] phase_o);
  wire [4:0] at0 = (phase_i[0] ? 5'd6 : 5'd0) + (destination_i[0] ? 5'd3 : 5'd0);
  wire [4:0] at1 = (phase_i[1] ? 5'd18 : 5'd12) + (destination_i[1] ? 5'd3 : 5'd0);
  wire [2:0] e0 = routes_i[at0 +: 3], e1 = routes_i[at1 +: 3];
  assign route_o[3:0] = head_i[0] & e0[1] ? 4'd1 << {e0[0], vc_i[0]} : 4'd0;
  assign route_o[7:4] = head_i[1] & e1[1] ? 4'd1 << {e1[0], vc_i[1]} : 4'd0;
  assign phase_o = head_i & {e1[2], e0[2]};
endmodule
