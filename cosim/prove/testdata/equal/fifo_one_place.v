// fifo DEPTH=1 WIDTH=4 COUNT_BITS=2
// reset: low rst_n
// A word and a valid bit, reset asynchronously.
module dut(input clock, input rst_n, input push_i, input [3:0] data_i, input pop_i,
           output [3:0] head_o, output count_o, output overflow_o, output [1:0] overflows_o);
  reg valid, lost;
  reg [3:0] word;
  reg [1:0] total;
  wire ready = !valid || pop_i;
  always @(posedge clock or negedge rst_n)
    if (!rst_n) {valid, lost, word, total} <= 0;
    else begin
      if (ready) valid <= push_i;
      if (push_i && ready) word <= data_i;
      lost <= push_i && !ready;
      if (push_i && !ready && total != 3) total <= total + 1;
    end
  assign head_o = valid ? word : 0;
  assign count_o = valid;
  assign overflow_o = lost;
  assign overflows_o = total;
endmodule
