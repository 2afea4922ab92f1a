module dut (input logic clk, rst_n, input logic [3:0] one_i, zero_i, output struct packed {logic [3:0] one, zero; logic spare;} out_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) out_o <= '0;
    else begin out_o.one <= one_i; out_o.zero <= zero_i; out_o.spare <= ~out_o.spare; end
endmodule
