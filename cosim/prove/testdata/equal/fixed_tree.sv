// arbiter_fixed REQUESTERS=4
// reset: low rst_n
// absent: index_o
// A tree of nodes in generate, each of which names the lower one of two.
module dut(input logic clock, rst_n, input logic [3:0] request_i, output logic [3:0] grant_o);
  logic [6:0] any;
  logic [6:0][1:0] at;
  for (genvar k = 0; k < 3; k++) begin : g_node
    assign any[k] = any[2*k+1] | any[2*k+2];
    assign at[k] = any[2*k+1] ? at[2*k+1] : at[2*k+2];
  end
  for (genvar k = 0; k < 4; k++) begin : g_leaf
    assign any[3+k] = request_i[k];
    assign at[3+k] = 2'(k);
  end
  always_ff @(posedge clock or negedge rst_n)
    if (!rst_n) grant_o <= '0;
    else if (!(|(grant_o & request_i))) grant_o <= any[0] ? 4'b1 << at[0] : '0;
endmodule
