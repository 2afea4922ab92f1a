package interface_pair_pkg;
  typedef struct {logic valid; logic [3:0] data;} word_t;
endpackage
interface interface_pair_if;
  interface_pair_pkg::word_t in;
  logic [3:0] out;
  modport device(input in, output out);
endinterface
module dut (input logic clk, rst_n, interface_pair_if.device rails [1:0]);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin rails[0].out <= '0; rails[1].out <= '0; end
    else begin
      rails[0].out <= rails[0].in.data & {4{rails[0].in.valid}};
      rails[1].out <= rails[1].in.data & {4{rails[1].in.valid}};
    end
endmodule
