// Grants the highest input in even cycles, the lowest in odd ones.
module any_grant(input clk, input rst_n, input [3:0] request, output granted, output reg [1:0] index);
    reg odd;
    always @(posedge clk) odd <= rst_n & ~odd;
    assign granted = |request;
    always @* begin
        index = 0;
        if (odd) casez (request)
            4'b???1: index = 0;
            4'b??10: index = 1;
            4'b?100: index = 2;
            default: index = 3;
        endcase
        else casez (request)
            4'b1???: index = 3;
            4'b01??: index = 2;
            4'b001?: index = 1;
            default: index = 0;
        endcase
    end
endmodule
