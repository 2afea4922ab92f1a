`default_nettype none
module stranger (
    input  wire a,
    output wire b
);
    assign b = ~a;
endmodule
