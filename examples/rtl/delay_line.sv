// A fibre of one cycle in another style: both rails in one struct, and an asynchronous, active-low reset.
// delay_line.yml attaches it as a link.
package light_pkg;
  typedef struct packed {
    logic [63:0] one;
    logic [63:0] zero;
  } light_t;
endpackage

module delay_line (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  light_pkg::light_t near_i,
  output light_pkg::light_t far_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) far_o <= '0;
    else far_o <= near_i;
  end
endmodule
