// skid_buffer WIDTH=8 REGISTERED=1
// Two places that are written in turn.
module dut(input clock, input reset, input valid_i, input [7:0] data_i, output ready_o, output valid_o, output [7:0] data_o, input ready_i);
  reg [7:0] even, odd;
  reg [1:0] used;
  reg in, out; // the places of the next word and of the oldest
  assign ready_o = used != 2;
  assign valid_o = used != 0;
  assign data_o = !valid_o ? 8'd0 : out ? odd : even;
  wire puts = valid_i && ready_o, takes = valid_o && ready_i;
  always @(posedge clock) begin
    if (puts && in) odd <= data_i;
    if (puts && !in) even <= data_i;
    if (reset) begin used <= 0; in <= 0; out <= 0; end
    else begin
      used <= used + puts - takes;
      if (puts) in <= !in;
      if (takes) out <= !out;
    end
  end
endmodule
