`default_nettype none

// Goes wrong in the way that mode_i says.
module misbehave #(
    parameter AT_ONCE = 0
) (
    input  wire       clk_i,
    input  wire [3:0] mode_i,
    output reg  [7:0] count_o,
    output wire       ring_o,
    output reg        race_o
);
    initial begin
        count_o = 0;
        race_o  = 0;
        if (AT_ONCE) $finish;
    end

    // without delay: an oscillator of gates, of processes, of registers
    assign ring_o = mode_i == 4 ? ~(ring_o === 1'b1) : 1'b0;
    always @(race_o or mode_i) if (mode_i == 6) race_o <= ~race_o;

    always @(posedge clk_i) begin
        count_o <= count_o + 1;
        case (mode_i)
            1: begin
                $display("enough");
                $finish;
            end
            2: $fatal(1, "count is %0d", count_o);
            3: $stop;
            5: while (1) race_o = ~race_o;
            7: $display("line %0d of many, and long enough to fill a log with", count_o);
            8: begin
                $display("FATAL: so the user says");
                $finish;
            end
            default: ;
        endcase
    end
endmodule
