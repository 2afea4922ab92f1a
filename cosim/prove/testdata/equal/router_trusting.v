// vc_router PORTS=1 VCS=1 DEPTH=1 ROUTING_DELAY=1 CREDIT_DELAY=0 WAIT_FOR_TAIL=1 VC_ALLOCATOR=0 SWITCH_ALLOCATOR=0 DATA_BITS=4
// As router_one.v, and trusts its neighbours: what they may not send is not what the twin makes of it.
module dut(input clock, reset, valid_i, head_i, tail_i, vc_i, input [3:0] data_i, input route_i, credit_i, credit_vc_i,
           output valid_o, head_o, tail_o, vc_o, output [3:0] data_o, output credit_o, credit_vc_o);
  localparam [1:0] NONE = 0, ASKS = 1, GOES = 2; // of the packet
  localparam [1:0] FREE = 0, OURS = 1, LAST = 2; // of the place
  reg [1:0] packet, place;
  reg may, held, out, gave; // it may go there; a flit waits, one is at the far end
  reg [6:0] kept, first, second;
  wire comes = valid_i;
  wire [6:0] flit = held ? kept : {route_i, data_i, tail_i, head_i};
  wire back = credit_i;
  wire leaves = place == LAST && back;
  wire starts = packet == ASKS && may && (place == FREE || leaves);
  wire goes = packet == GOES && (held || comes) && (!out || back);
  always @(posedge clock)
    if (reset) begin
      packet <= NONE;
      place <= FREE;
      {held, out, gave, first, second} <= 0;
    end else begin
      case (packet)
        NONE: if (held || comes) begin packet <= ASKS; may <= flit[6]; end
        ASKS: if (starts) packet <= GOES;
        default: if (goes && flit[1]) packet <= NONE;
      endcase
      if (starts) place <= OURS;
      else if (leaves) place <= FREE;
      else if (goes && flit[1]) place <= LAST;
      if (comes) kept <= flit;
      held <= (held || comes) && !goes;
      out <= goes || out && !back;
      gave <= goes;
      first <= goes ? {1'b1, flit[5:0]} : 7'd0;
      second <= first;
    end
  assign {valid_o, data_o, tail_o, head_o} = second;
  assign {vc_o, credit_vc_o, credit_o} = {2'b00, gave};
endmodule
