// packet_ejector VCS=1 DEPTH=1 PLACES=2 DATA_BITS=2
// Counts packets without a place, in place of all packets, and used places, in place of free ones.
module dut(input clock, input reset, input valid_i, input tail_i, input vc_i, input [1:0] data_i, input [1:0] freed_i,
           output begin_o, output end_o, output [1:0] data_o, output credit_o, output credit_vc_o);
  reg full, midway, credit;
  reg [3:0] word;
  reg [1:0] waiting, holding, places; // packets without a place, with one, and places in use
  wire lit = valid_i & ~vc_i & ~full;
  wire [1:0] wanting = waiting + (lit & ~midway);
  wire [1:0] open = 2'd2 - places;
  wire [1:0] given = wanting > open ? open : wanting;
  wire takes = (holding != 0 || given != 0) && (lit || full);
  wire [3:0] flit = full ? word : {tail_i, ~midway, data_i};
  wire [1:0] used = places + given;
  always @(posedge clock)
    if (reset) {full, midway, credit, waiting, holding, places} <= 0;
    else begin
      if (lit) begin
        word <= {tail_i, ~midway, data_i};
        midway <= ~tail_i;
      end
      full <= (lit | full) & ~takes;
      waiting <= wanting - given;
      holding <= holding + given - end_o;
      places <= freed_i > used ? 0 : used - freed_i;
      credit <= takes;
    end
  assign begin_o = takes & flit[2];
  assign end_o = takes & flit[3];
  assign data_o = begin_o | end_o ? flit[1:0] : 0;
  assign credit_o = credit;
  assign credit_vc_o = 0;
endmodule
