module lonely (input wire a_i, output wire b_o);
    stranger s (.a(a_i), .b(b_o));
endmodule
