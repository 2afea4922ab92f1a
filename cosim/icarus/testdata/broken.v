module broken (input wire a_i, output wire b_o);
    assign b_o = ;
endmodule
