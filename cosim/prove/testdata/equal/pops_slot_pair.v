// pops_slot D=1 G=1 PHIT_BITS=8 FRAME_BYTES_MAX=16 COMPUTE_CYCLES=0 PROPAGATION_CYCLES=1 GUARD_CYCLES=1
// with the parts of its twin
// One sender and one receiver: no coupler, a ring for the slot, and a sender that keeps its frame where it is.
module dut(input clock, input reset, input load_i, input [127:0] frame_i, input [15:0] length_i, input [15:0] port_i, input [15:0] hear_i,
           output last_o, output [2:0] status_o, output [15:0] heard_length_o, output [127:0] heard_o, output violation_o,
           output reg [7:0] rail1_o, output reg [7:0] rail0_o);
  reg [17:0] slot; // one-hot
  assign last_o = slot[17];
  reg [127:0] frame;
  reg [4:0] left;
  reg on;
  wire [7:0] next = frame[7:0];
  wire lit = left != 0 && on;
  always @(posedge clock) begin
    slot <= reset ? 18'h20000 : {slot[16:0], slot[17]};
    if (reset) begin left <= 0; on <= 0; frame <= 0; end
    else if (left != 0) begin
      left <= left - 1;
      frame <= frame >> 8;
    end else if (load_i && last_o && length_i >= 1 && length_i <= 16) begin
      left <= length_i[4:0];
      frame <= frame_i;
      on <= port_i == 0 || port_i == 16'hfffe;
    end
    rail1_o <= lit && !reset ? next : 8'd0;
    rail0_o <= lit && !reset ? ~next : 8'd0;
  end
  assign violation_o = 0; // no one to meet
  deserialiser #(.PHIT_BITS(8), .FRAME_BYTES_MAX(16), .PORTS(1)) ear (
    .clock(clock), .reset(reset), .end_slot_i(last_o), .port_i(hear_i), .rail1_i(rail1_o), .rail0_i(rail0_o),
    .state_o(), .bits_o(), .status_o(status_o), .length_o(heard_length_o), .frame_o(heard_o)
  );
endmodule
