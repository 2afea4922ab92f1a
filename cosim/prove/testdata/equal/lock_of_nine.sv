// delay_line WIDTH=4 CYCLES=1 RESET=1
// A branch that nine words in sequence open: the output is the same in both ways, in another register.
module dut(input clock, input reset, input [3:0] data_i, output logic [3:0] data_o, output logic filled_o);
  logic [3:0] step, r, n;
  wire [35:0] code = 36'h93c51e72a >> {step, 2'b00};
  always_ff @(posedge clock)
    if (reset) begin
      step <= 0; r <= 0; n <= '1; filled_o <= 0;
    end else begin
      filled_o <= 1; r <= data_i; n <= ~data_i;
      if (step < 9 && data_i == code[3:0]) step <= step + 1;
      else if (step < 9) step <= 0;
    end
  assign data_o = step == 9 ? ~n : r;
endmodule
