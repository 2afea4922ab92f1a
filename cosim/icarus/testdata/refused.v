// Ports that cannot be driven with words.
module has_inout (input wire clk_i, inout wire [7:0] pad_io);
endmodule

module has_real (input wire clk_i, output wire real level_o);
    assign level_o = 0.5;
endmodule

module has_wide_clock (input wire [1:0] clk_i, output wire q_o);
    assign q_o = clk_i[0];
endmodule
