package unpacked_struct_pkg;
  typedef struct {logic [3:0] one; logic [3:0] zero;} two_t;
  typedef struct {logic valid; two_t rails;} word_t;
endpackage
module dut import unpacked_struct_pkg::*; (input logic clk, rst_n, input word_t word_i [2], output two_t two_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin two_o.one <= '0; two_o.zero <= '0; end
    else begin
      two_o.one <= word_i[1].valid ? word_i[1].rails.one : '0;
      two_o.zero <= word_i[0].valid ? word_i[0].rails.zero : '0;
    end
endmodule
