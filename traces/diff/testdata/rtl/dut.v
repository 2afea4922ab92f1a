`default_nettype none
// Four-way round-robin arbiter with a counter of grants.
module dut #(parameter WIDTH = 4) (
  input  wire clk_i, input wire rst_ni, input wire [WIDTH-1:0] request_i,
  output reg [WIDTH-1:0] grant_q, output reg [7:0] count_q, output wire busy_o
);
  reg [1:0] last_q;
  reg [WIDTH-1:0] grant_d;
  reg [1:0] last_d;
  integer i;
  always @* begin : search
    reg [1:0] at;
    grant_d = 0; last_d = last_q;
    for (i = WIDTH; i >= 1; i = i - 1) begin
      at = last_q + i[1:0];
      if (request_i[at]) begin grant_d = 0; grant_d[at] = 1'b1; last_d = at; end
    end
  end
  assign busy_o = |grant_q;
  always @(posedge clk_i) begin
    if (!rst_ni) begin grant_q <= 0; count_q <= 0; last_q <= 0; end
    else begin grant_q <= grant_d; last_q <= last_d; if (|grant_d) count_q <= count_q + 1; end
  end
endmodule
