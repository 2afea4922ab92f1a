// Everything that a circuit must not do, by mode.
module misbehave #(
  parameter int LAST = 5
) (
  input  logic        clk_i,
  input  logic        rst_i,
  input  logic [2:0]  mode_i,
  output logic [7:0]  count_o,
  output logic        loop_o,
  output logic [31:0] turns_o
);
  always_ff @(posedge clk_i)
    if (rst_i) begin
      count_o <= 8'd0;
    end else begin
      count_o <= count_o + 8'd1;
      if (mode_i == 3'd1 && count_o == LAST - 1) begin
        $display("the last one is %0d", count_o);
        $finish;
      end
      if (mode_i == 3'd2 && count_o == LAST - 1) $stop;
      if (mode_i == 3'd3 && count_o == LAST - 1) $fatal(1, "count is %0d", count_o);
      if (mode_i == 3'd6 && count_o != 8'd200) $display("count %0d", count_o);
    end

  // Never settles in mode 4.
  wire back = loop_o;
  assign loop_o = mode_i == 3'd4 ? !back : 1'b0;

  // Never ends in mode 5.
  always_comb begin
    turns_o = 32'd0;
    while (mode_i == 3'd5 && turns_o != 32'hffffffff) turns_o = turns_o + 32'd2;
  end
endmodule
