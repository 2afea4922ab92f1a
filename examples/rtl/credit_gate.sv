// Credits of a link: an interface returns one credit at a time, and a structure shows the number of remaining credits.
interface credit_back_if;
    logic give;
    modport sink(input give);
endinterface

package credit_gate_pkg;
    typedef struct packed {
        logic       under, over;
        logic [2:0] left;
    } status_t;
endpackage

module credit_gate
    import credit_gate_pkg::*;
#(
    parameter int Credits = 4
) (
    input  logic         clk, rst_n,
    credit_back_if.sink  back,
    input  logic         take,
    output status_t      status
);
    wire empty = status.left == 0, all = status.left == 3'(Credits);
    always_ff @(posedge clk or negedge rst_n)
        if (!rst_n) status <= '{under: 1'b0, over: 1'b0, left: 3'(Credits)};
        else begin
            status.left <= status.left + 3'(back.give && !all) - 3'(take && !empty);
            status.under <= take && empty;
            status.over <= back.give && all;
        end
endmodule
