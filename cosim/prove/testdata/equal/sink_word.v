// packet_sink VCS=2 DATA_BITS=3
module dut(input clock, input reset, input valid_i, input head_i, input tail_i, input vc_i, input [2:0] data_i,
           output begin_o, output end_o, output [2:0] data_o, output credit_o, output credit_vc_o);
  reg [1:0] credit;
  always @(posedge clock) credit <= reset ? 2'd0 : {valid_i, valid_i & vc_i};
  assign {credit_o, credit_vc_o} = credit;
  assign {begin_o, end_o} = {2{valid_i}} & {head_i, tail_i};
  assign data_o = {3{begin_o | end_o}} & data_i;
endmodule
