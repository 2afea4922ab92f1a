// arbiter_fixed REQUESTERS=4
// absent: index_o
// latency: grant_o=-1
// reset: low rst_n
// Requests in an array of structures, cases by membership, and a register that only begins with its value.
module dut(input clock, input rst_n, input [3:0] request_i, output [3:0] grant_o);
  typedef struct packed {logic valid; logic [1:0] lane;} want_t;
  want_t [3:0] wants;
  logic [3:0] holder, lowest, alive = 4'hf;
  logic held;
  always_comb for (int i = 0; i < 4; i++) begin
    wants[i].valid = request_i[i];
    wants[i].lane = 2'(i);
  end
  always_comb case ({wants[3].valid, wants[2].valid, wants[1].valid, wants[0].valid}) inside
    4'b???1: lowest = 4'b1 << wants[0].lane;
    4'd2, [4'd6:4'd6], 4'b1?10: lowest = 4'b1 << wants[1].lane;
    [4'd4:4'd7], 4'd12: lowest = 4'b1 << wants[2].lane;
    [4'd8:4'd15]: lowest = 4'b1 << wants[3].lane;
    default: lowest = 4'b0;
  endcase
  assign held = |(holder & request_i);
  assign grant_o = (held ? holder : lowest) & alive;
  always_ff @(posedge clock or negedge rst_n) if (!rst_n) holder <= '0; else holder <= grant_o;
  always_ff @(posedge clock) if (&grant_o) alive <= '0;
endmodule
