package enum_port_pkg;
  typedef enum logic [3:0] {IDLE, ONE, TWO, OTHER = 4'd9} state_t;
endpackage
module dut import enum_port_pkg::*; (input logic clk, rst_n, input state_t one_i, input logic [3:0] zero_i, output state_t one_o, output logic [3:0] zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin one_o <= IDLE; zero_o <= '0; end else begin one_o <= one_i; zero_o <= zero_i; end
endmodule
