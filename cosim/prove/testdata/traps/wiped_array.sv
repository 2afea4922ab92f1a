// delay_line WIDTH=8 CYCLES=3 RESET=0
// Four bytes in a row wipe all of an array, not its first word alone.
module dut(input clock, input reset, input [7:0] data_i, output [7:0] data_o, output filled_o);
  logic [7:0] ring [3]; logic [31:0] last;
  logic [1:0] at, missing;
  always_ff @(posedge clock) begin
    last <= {last[23:0], data_i};
    if (at == 0 && last == 32'hfeedbeef) ring <= '{default: 0};
    ring[at] <= data_i;
    if (reset) begin at <= 0; missing <= 3; end
    else begin
      at <= at == 2 ? 0 : at + 1;
      if (missing != 0) missing <= missing - 1;
    end
  end
  assign filled_o = missing == 0;
  assign data_o = filled_o ? ring[at] : 0;
endmodule
