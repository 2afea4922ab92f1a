// Two credit counters: ports that are an array of interfaces and an array of unpacked structures.
interface credit_if #(parameter W = 3);
  logic [W-1:0] give;
  logic take;
  modport sink (input give, input take);
endinterface
package gp;
  typedef struct { logic [2:0] left; logic under; logic over; } status_t;
endpackage
module credit_gates (
  input  wire clk,
  input  wire rst_n,
  credit_if.sink back [2],
  output gp::status_t status [2]
);
  genvar i;
  for (i = 0; i < 2; i++) begin : g
    logic [2:0] left_q; logic under_q, over_q;
    wire [2:0] out = 3'd4 - left_q;
    wire many = back[i].give > out;
    wire takes = back[i].take && left_q != 0;
    always_ff @(posedge clk or negedge rst_n)
      if (!rst_n) begin left_q <= 4; under_q <= 0; over_q <= 0; end
      else begin
        left_q <= left_q + (many ? out : back[i].give) - {2'd0, takes};
        under_q <= back[i].take && left_q == 0;
        over_q <= many;
      end
    assign status[i].left = left_q;
    assign status[i].under = under_q;
    assign status[i].over = over_q;
  end
endmodule
