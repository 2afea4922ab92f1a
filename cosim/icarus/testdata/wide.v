`default_nettype none

module wide_half (
    input  wire [255:0] a_i,
    output wire [255:0] y_o
);
    assign y_o = ~a_i;
endmodule

// Wide, odd and backward ports: through registers, through hierarchy, straight through.
module wide (
    input  wire         clk_i,
    input  wire [99:0]  hundred_i,
    input  wire [511:0] many_i,
    input  wire [0:64]  backward_i,
    input  wire signed [31:0] word_i,
    input  wire         unused_i,
    output reg  [99:0]  hundred_o,
    output wire [511:0] many_o,
    output wire [0:64]  backward_o,
    output integer      word_o,
    output wire [63:0]  same_o,
    output wire [95:0]  z_o
);
    always @(posedge clk_i) hundred_o <= {hundred_i[0], hundred_i[99:1]};
    always @* word_o = -word_i;
    wide_half low (.a_i(many_i[255:0]), .y_o(many_o[255:0]));
    wide_half high (.a_i(many_i[511:256]), .y_o(many_o[511:256]));
    assign backward_o = backward_i;
    assign same_o     = many_i[163:100];
    assign z_o[31:0]  = word_i;
endmodule
