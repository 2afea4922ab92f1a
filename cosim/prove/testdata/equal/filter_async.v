// output_filter INPUTS=3
// reset: low rst_n
// Asynchronous reset, and a bit that says that all tags pass.
module dut(input clock, input rst_n, input load_i, input listen_i, input [15:0] accept_i, input [2:0] request_i, input [47:0] tag_i,
           output [2:0] request_o);
  reg on, all;
  reg [15:0] only;
  always @(posedge clock or negedge rst_n)
    if (!rst_n) begin on <= 0; all <= 1; only <= 0; end
    else if (load_i) begin on <= listen_i; all <= &accept_i; only <= accept_i; end
  assign request_o[0] = on & request_i[0] & (all | ~|(tag_i[15:0] ^ only));
  assign request_o[1] = on & request_i[1] & (all | ~|(tag_i[31:16] ^ only));
  assign request_o[2] = on & request_i[2] & (all | ~|(tag_i[47:32] ^ only));
endmodule
