`default_nettype none

// Finds 101; hit_o answers within the cycle.
module mealy (
    input  wire clk_i,
    input  wire rst_i,
    input  wire bit_i,
    output reg  hit_o
);
    reg [1:0] state_q, state_d;

    always @* begin
        state_d = 2'd0;
        hit_o   = 1'b0;
        case (state_q)
            2'd0: state_d = bit_i ? 2'd1 : 2'd0;
            2'd1: state_d = bit_i ? 2'd1 : 2'd2;
            2'd2: begin
                state_d = bit_i ? 2'd1 : 2'd0;
                hit_o   = bit_i;
            end
            default: ;
        endcase
    end

    always @(posedge clk_i) state_q <= rst_i ? 2'd0 : state_d;
endmodule
