// packet_source VCS=1 DEPTH=1 WAIT_FOR_TAIL=0 DATA_BITS=1 SIZE_BITS=2 QUEUE=1
// Counts the remaining flits of the packet, where the twin counts those sent.
module dut(input clock, input reset, input create_i, input [1:0] size_i, input data_i, input vcs_i, input hold_i,
           input credit_i, input credit_vc_i,
           output reg valid_o, output reg head_o, output reg tail_o, output vc_o, output reg data_o);
  reg out, queued, begun, kept;
  reg [1:0] left;
  wire enters = create_i && vcs_i && !queued;
  wire returns = credit_i && !credit_vc_i;
  wire [1:0] rest = queued ? left : size_i;
  wire sends = (queued || enters) && (!out || returns) && (begun || !hold_i);
  wire ends = rest <= 2'd1;
  assign vc_o = 1'b0;
  always @(posedge clock) begin
    out <= !reset && (sends || out && !returns);
    queued <= !reset && (queued || enters) && !(sends && ends);
    left <= sends ? rest - 2'd1 : rest;
    if (enters) kept <= data_i;
    begun <= !reset && (sends ? !ends : begun);
    valid_o <= !reset && sends;
    head_o <= !reset && sends && !begun;
    tail_o <= !reset && sends && ends;
    data_o <= !reset && sends && (queued ? kept : data_i);
  end
endmodule
