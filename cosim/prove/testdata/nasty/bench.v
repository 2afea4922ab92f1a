// What a simulator with four states sees of dut: 1 for a difference from what it should show, or X.
module bench;
  reg clock = 0, reset = 1, a = 0, b = 0, wanted = 0, seen = 0;
  wire rail1, rail0;
  integer cycle;
  dut dut (.clock(clock), .reset(reset), .rail1_i(a), .rail0_i(b), .rail1_o(rail1), .rail0_o(rail0));
  initial begin
    for (cycle = 0; cycle < 400; cycle = cycle + 1) begin
      #1 a = $random;
      b = $random;
      reset = cycle < 2 || cycle % 37 == 20;
      #1 clock = 1;
      wanted = reset ? 1'b0 : a;
      #1 if (!reset && rail1 !== wanted) seen = 1;
      clock = 0;
    end
    $display("seen %b", seen);
    $finish;
  end
endmodule
