// Has no timescale of its own, but parts that have.
module clockwork (
    input  wire        clk_i,
    output wire [7:0]  count_o,
    output wire [63:0] picoseconds_o
);
    reg  rst = 1;
    wire wrap;

    counter counter (.clk_i(clk_i), .rst_i(rst), .enable_i(1'b1), .count_o(count_o), .wrap_o(wrap));
    teller teller (.clk_i(clk_i), .picoseconds_o(picoseconds_o));
    always @(posedge clk_i) rst <= 0;
endmodule

`timescale 1ps / 1ps
module teller (
    input  wire        clk_i,
    output reg  [63:0] picoseconds_o
);
    always @(posedge clk_i) picoseconds_o <= $time;
endmodule
