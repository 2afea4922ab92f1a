// arbiter_fixed REQUESTERS=6
// absent: index_o
// latency: grant_o=-1
// reset: low rst_n
// The grant comes with its request, and the register remembers who holds it.
module dut(input clock, input rst_n, input [5:0] request_i, output [5:0] grant_o);
  reg [5:0] holder;
  wire [5:0] held = holder & request_i;
  reg [5:0] lowest;
  integer i;
  always @* begin
    lowest = 0;
    for (i = 0; i < 6; i = i + 1) if (request_i[i] && lowest == 0) lowest[i] = 1;
  end
  assign grant_o = held != 0 ? held : lowest;
  always @(posedge clock or negedge rst_n) if (!rst_n) holder <= 0; else holder <= grant_o;
endmodule
