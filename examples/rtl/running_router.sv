// A router of three ports and two virtual channels (VCs) with running credit counts. For each VC, the receiver of flits shows
// the number of places freed so far, modulo 16, and the sender subtracts, so a count that is lost or read twice does no harm.
// Flits are plain words: two bits of type and, below the load, the VCs permitted for the packet of a head. Flits carry their
// route, so a head requests a VC in the cycle of its arrival. islip allocates VCs; the switch is separable, inputs first.
//
//   21 20 | 19 | 18 .. 7 | 6 .. 1 | 0
//   type    VC   load      way      valid     type: 0 body, 1 tail, 2 head, 3 a packet of one flit
module running_router #(
    parameter int Depth = 4 // at most 8
) (
    input  logic           clk, rst,
    input  logic [2:0][21:0] flit_in,
    output logic [5:0][3:0]  freed_out, // by VC of the inputs: port * 2 + VC
    output logic [2:0][21:0] flit_out,
    input  logic [5:0][3:0]  freed_in   // by VC of the outputs
);
    localparam int Tail = 20;

    logic [21:0] buffer_q [6][Depth];
    logic [3:0]  count_q [6], put_q [6], sent_q [6];  // flits in a buffer; flits arrived; flits sent to an output VC
    logic [5:0]  has_q, waits_q, taken_q;             // a packet has an output VC, or waits for one; a packet owns the output VC
    logic [5:0]  way_q [6], at_q [6];                 // permitted output VCs; owned output VC, one-hot
    logic [2:0]  from_q [6], to_q [6];                // pointers of VCs
    logic [1:0]  output_q [3], input_q [3];           // of the switch
    logic [2:0]  turn_q;                              // by input: VC with priority
    logic [2:0][21:0] crossed_q;

    // The front flit, including a flit that arrives in this cycle.
    logic [21:0] front [6];
    logic [5:0]  filled, comes;
    always_comb
        for (int v = 0; v < 6; v++) begin
            comes[v] = flit_in[v / 2][0] && int'(flit_in[v / 2][19]) == v % 2 && int'(count_q[v]) < Depth;
            filled[v] = count_q[v] != 0 || comes[v];
            front[v] = count_q[v] != 0 ? buffer_q[v][int'(4'(put_q[v] - count_q[v])) % Depth] : flit_in[v / 2];
        end

    // The position of the first one bit from a given position on, of n bits in circular order; n if all are 0.
    function automatic logic [2:0] first(input logic [5:0] bits, input logic [2:0] from, input int n);
        first = 3'(n);
        for (int k = n - 1; k >= 0; k--) if (bits[(int'(from) + k) % n]) first = 3'((int'(from) + k) % n);
    endfunction

    // VCs: each output VC makes an offer to one request, and each requester accepts one offer.
    logic [5:0] asks [6], offers [6], takes, wants_vc;
    logic [2:0] taken [6];
    always_comb begin
        for (int v = 0; v < 6; v++) begin
            wants_vc[v] = waits_q[v] || (!has_q[v] && filled[v]);
            asks[v] = wants_vc[v] ? (waits_q[v] ? way_q[v] : front[v][6:1]) & ~taken_q : 6'b0;
            offers[v] = '0;
        end
        for (int w = 0; w < 6; w++) begin
            automatic logic [5:0] by;
            for (int v = 0; v < 6; v++) by[v] = asks[v][w];
            if (by != 0) offers[first(by, from_q[w], 6)][w] = 1'b1;
        end
        for (int v = 0; v < 6; v++) begin
            taken[v] = first(offers[v], to_q[v], 6);
            takes[v] = taken[v] != 3'd6;
        end
    end

    // The switch: each input chooses an output, then each output chooses one of the inputs that have chosen it.
    logic [5:0] open, ready, moves;
    logic [1:0] picks [3];  // 3 for none
    logic       vc [3];     // that moves
    logic [2:0] chosen [3]; // by output: the input, 3 for none
    always_comb begin
        moves = '0;
        for (int w = 0; w < 6; w++) open[w] = int'(4'(sent_q[w] - freed_in[w])) < Depth;
        for (int v = 0; v < 6; v++) ready[v] = has_q[v] && filled[v] && (at_q[v] & open) != 0;
        for (int i = 0; i < 3; i++) begin
            automatic logic [2:0] outputs;
            for (int o = 0; o < 3; o++)
                outputs[o] = (ready[2*i] && at_q[2*i][2*o+:2] != 0) || (ready[2*i+1] && at_q[2*i+1][2*o+:2] != 0);
            picks[i] = 2'(first(6'(outputs), 3'(input_q[i]), 3));
            vc[i] = turn_q[i];
            if (picks[i] != 2'd3 && !(ready[2*i+int'(turn_q[i])] && at_q[2*i+int'(turn_q[i])][2*int'(picks[i])+:2] != 0)) vc[i] = ~turn_q[i];
        end
        for (int o = 0; o < 3; o++) begin
            automatic logic [2:0] inputs;
            for (int i = 0; i < 3; i++) inputs[i] = picks[i] == 2'(o);
            chosen[o] = first(6'(inputs), 3'(output_q[o]), 3);
            for (int i = 0; i < 3; i++) if (chosen[o] == 3'(i)) moves[2*i+int'(vc[i])] = 1'b1;
        end
    end

    always_ff @(posedge clk)
        if (rst) begin
            for (int v = 0; v < 6; v++) begin
                count_q[v] <= '0; put_q[v] <= '0; sent_q[v] <= '0; way_q[v] <= '0; at_q[v] <= '0; from_q[v] <= '0; to_q[v] <= '0;
            end
            for (int i = 0; i < 3; i++) begin
                output_q[i] <= '0; input_q[i] <= '0;
            end
            has_q <= '0; waits_q <= '0; taken_q <= '0; turn_q <= '0;
            crossed_q <= '0; flit_out <= '0; freed_out <= '0;
        end else begin
            for (int v = 0; v < 6; v++) begin
                if (comes[v]) begin
                    buffer_q[v][int'(put_q[v]) % Depth] <= flit_in[v/2];
                    put_q[v] <= put_q[v] + 4'd1;
                end
                count_q[v] <= count_q[v] + 4'(comes[v]) - 4'(moves[v]);
                if (moves[v]) freed_out[v] <= freed_out[v] + 4'd1;
                if (wants_vc[v]) begin
                    waits_q[v] <= !takes[v];
                    if (!waits_q[v]) way_q[v] <= front[v][6:1];
                end
                if (takes[v]) begin
                    has_q[v] <= 1'b1; at_q[v] <= 6'b1 << taken[v]; taken_q[taken[v]] <= 1'b1;
                    from_q[taken[v]] <= v == 5 ? 3'd0 : 3'(v + 1); to_q[v] <= taken[v] == 3'd5 ? 3'd0 : taken[v] + 3'd1;
                end
            end
            for (int o = 0; o < 3; o++) begin
                crossed_q[o][0] <= 1'b0;
                for (int i = 0; i < 3; i++) if (chosen[o] == 3'(i)) begin
                    crossed_q[o] <= front[2*i+int'(vc[i])];
                    crossed_q[o][19] <= at_q[2*i+int'(vc[i])][2*o+1];
                    sent_q[2*o+int'(at_q[2*i+int'(vc[i])][2*o+1])] <= sent_q[2*o+int'(at_q[2*i+int'(vc[i])][2*o+1])] + 4'd1;
                    if (front[2*i+int'(vc[i])][Tail]) begin
                        has_q[2*i+int'(vc[i])] <= 1'b0;
                        taken_q[2*o+int'(at_q[2*i+int'(vc[i])][2*o+1])] <= 1'b0;
                    end
                    output_q[o] <= i == 2 ? 2'd0 : 2'(i + 1); input_q[i] <= o == 2 ? 2'd0 : 2'(o + 1); turn_q[i] <= ~vc[i];
                end
            end
            flit_out <= crossed_q;
        end
endmodule

// Counts as pulses, as a map requires: a freed place is a pulse in the cycle in which the count shows it.
module running_router_pulses #(
    parameter int Depth = 4
) (
    input  logic             clk, rst,
    input  logic [2:0][21:0] flit_in,
    output logic [5:0]       credit_out,
    output logic [2:0][21:0] flit_out,
    input  logic [5:0]       credit_in
);
    logic [5:0][3:0] freed_out, freed_in, shown_q, come_q;
    always_comb
        for (int v = 0; v < 6; v++) begin
            credit_out[v] = freed_out[v] != shown_q[v];
            freed_in[v] = come_q[v] + 4'(credit_in[v]);
        end
    always_ff @(posedge clk)
        if (rst) begin
            shown_q <= '0; come_q <= '0;
        end else begin
            shown_q <= freed_out; come_q <= freed_in;
        end
    running_router #(.Depth(Depth)) router (.clk, .rst, .flit_in, .freed_out, .flit_out, .freed_in);
endmodule
