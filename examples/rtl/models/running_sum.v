// The sum of the last four words, without an adder tree: the word that leaves is subtracted.
module running_sum(input clk, input rst_n, input valid, input [7:0] data, output reg [15:0] sum);
    reg [31:0] words;
    always @(posedge clk)
        if (!rst_n) begin
            words <= 0;
            sum <= 0;
        end else if (valid) begin
            words <= {words[23:0], data};
            sum <= sum + data - words[31:24];
        end
endmodule
