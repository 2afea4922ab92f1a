`default_nettype none

// b_o samples what a_o was before edges at the same time.
module two_clocks (
    input  wire       fast_i,
    input  wire       slow_i,
    input  wire       rst_i,
    output reg  [7:0] a_o,
    output reg  [7:0] b_o
);
    always @(posedge fast_i or posedge rst_i) a_o <= rst_i ? 8'd0 : a_o + 8'd1;
    always @(posedge slow_i or posedge rst_i) b_o <= rst_i ? 8'd0 : a_o;
endmodule
