// arbiter_round_robin REQUESTERS=32
// A subtraction on the requests written twice finds the first one from the base on.
module dut(input clock, input reset, input [31:0] request_i, output [31:0] grant_o, output [5:0] index_o);
  reg [31:0] base, own;
  wire [63:0] twice = {request_i, request_i};
  wire [63:0] first = twice & ~(twice - {32'd0, base});
  wire [31:0] choice = first[63:32] | first[31:0];
  wire busy = |(own & request_i);
  always @(posedge clock)
    if (reset) begin own <= 0; base <= 1; end
    else if (!busy) begin
      own <= choice;
      if (|choice) base <= {choice[30:0], choice[31]};
    end
  assign grant_o = own;
  genvar b;
  generate for (b = 0; b < 5; b = b + 1) begin : code
    wire [31:0] with_bit;
    genvar k;
    for (k = 0; k < 32; k = k + 1) begin : line
      assign with_bit[k] = own[k] & (k >> b) % 2;
    end
    assign index_o[b] = |with_bit;
  end endgenerate
  assign index_o[5] = 0;
endmodule
