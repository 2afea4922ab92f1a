`default_nettype none
`timescale 1ns / 1ps

// Counts up from START; X until the reset. wrap_o is combinational, and late.
module counter #(
    parameter WIDTH = 8,
    parameter [WIDTH-1:0] START = 0
) (
    input  wire             clk_i,
    input  wire             rst_i,
    input  wire             enable_i,
    output reg  [WIDTH-1:0] count_o,
    output wire             wrap_o
);
    assign #2.5 wrap_o = enable_i && &count_o;

    always @(posedge clk_i)
        if (rst_i) count_o <= #1 START;
        else if (enable_i) count_o <= #1 count_o + 1'b1;
endmodule
