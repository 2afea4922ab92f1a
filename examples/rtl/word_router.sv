// A router of three ports and two virtual channels (VCs) in another style: a flit is one word with all fields, including the VCs
// permitted for its packet, and a credit is a pulse on the wire of its VC. The fields of a word without valid are undefined. Input
// queues, islip for VCs and switch; a head is routed in one cycle, gets a VC in the next cycle, and crosses one cycle later.
package word_router_pkg;
    localparam int Ports = 3, VCs = 2, N = Ports * VCs;
    typedef struct packed {
        logic         valid, head, tail, vc;
        logic [N-1:0] way; // permitted VCs of a head: output * VCs + VC
        logic [11:0]  load;
    } flit_t;
endpackage

module word_router
    import word_router_pkg::*;
#(
    parameter int Depth = 4
) (
    input  logic                        clk, rst_n,
    input  flit_t [Ports-1:0]           flit_in,
    output logic  [Ports-1:0][VCs-1:0]  credit_out,
    output flit_t [Ports-1:0]           flit_out,
    input  logic  [Ports-1:0][VCs-1:0]  credit_in
);
    typedef enum logic [1:0] {Idle, Wait, Active} state_t;
    typedef logic [2:0] place_t; // of N; of a buffer

    flit_t  queue_q [N][Depth], queue_d [N][Depth], queue [N][Depth];
    place_t count_q [N], count_d [N], count [N], out_q [N], out_d [N], owed_q [N], owed_d [N], owed [N];
    state_t state_q [N], state_d [N];
    logic [N-1:0] way_q [N], way_d [N], used_q, used_d;
    place_t vc_grant_q [N], vc_grant_d [N], vc_accept_q [N], vc_accept_d [N];
    place_t grant_q [Ports], grant_d [Ports], accept_q [Ports], accept_d [Ports];
    logic [Ports-1:0] first_q, first_d; // by input: VC with priority
    flit_t [Ports-1:0] cross_q, cross_d;
    logic [Ports-1:0][VCs-1:0] credit_d;

    logic [N-1:0] asks [N], granted [N], ready;
    logic [Ports-1:0] wants [Ports], given [Ports];
    logic [Ports-1:0] chosen [Ports]; // VC by input and output

    // The first member of a set from a given position on.
    function automatic place_t next(input logic [N-1:0] of, input place_t from, input int n);
        next = 3'd7;
        for (int k = n - 1; k >= 0; k--) begin
            automatic int at = (int'(from) + k) % n;
            if (of[at]) next = place_t'(at);
        end
    endfunction

    function automatic place_t after(input int at, input int n);
        after = at == n - 1 ? 3'd0 : place_t'(at + 1);
    endfunction

    always_comb begin // what has come
        queue = queue_q; count = count_q; owed = owed_q;
        for (int i = 0; i < Ports; i++) begin
            automatic int v = i * VCs + int'(flit_in[i].vc);
            if (flit_in[i].valid && int'(count[v]) < Depth) begin
                queue[v][count[v]] = flit_in[i];
                count[v]++;
            end
        end
        for (int w = 0; w < N; w++) if (credit_in[w / VCs][w % VCs] && owed[w] != 0) owed[w]--;
    end

    always_comb begin // VCs
        vc_grant_d = vc_grant_q; vc_accept_d = vc_accept_q;
        out_d = out_q; way_d = way_q; state_d = state_q; used_d = used_q;
        count_d = count; queue_d = queue; owed_d = owed;
        for (int v = 0; v < N; v++) begin
            asks[v] = state_q[v] == Wait ? way_q[v] & ~used_q : '0;
            granted[v] = '0;
        end
        for (int w = 0; w < N; w++) begin
            automatic logic [N-1:0] of = '0;
            automatic place_t v;
            for (int k = 0; k < N; k++) of[k] = asks[k][w];
            v = next(of, vc_grant_q[w], N);
            if (v != 3'd7) granted[v][w] = 1'b1;
        end
        for (int v = 0; v < N; v++) begin
            automatic place_t w = next(granted[v], vc_accept_q[v], N);
            if (w != 3'd7) begin
                state_d[v] = Active; out_d[v] = w; used_d[w] = 1'b1;
                vc_grant_d[w] = after(v, N); vc_accept_d[v] = after(int'(w), N);
            end
            if (state_q[v] == Idle && count[v] != 0) begin
                state_d[v] = Wait; way_d[v] = queue[v][0].way;
            end
        end

        // The switch.
        grant_d = grant_q; accept_d = accept_q; first_d = first_q; cross_d = cross_q; credit_d = '0;
        for (int o = 0; o < Ports; o++) cross_d[o].valid = 1'b0;
        for (int v = 0; v < N; v++) ready[v] = state_q[v] == Active && count[v] != 0 && int'(owed[out_q[v]]) < Depth;
        for (int i = 0; i < Ports; i++) begin
            wants[i] = '0; chosen[i] = '0; given[i] = '0;
            for (int k = VCs - 1; k >= 0; k--) begin // the last assignment has priority
                automatic int vc = (int'(first_q[i]) + k) % VCs;
                if (ready[i * VCs + vc]) begin
                    wants[i][out_q[i * VCs + vc] / 3'(VCs)] = 1'b1;
                    chosen[i][out_q[i * VCs + vc] / 3'(VCs)] = 1'(vc);
                end
            end
        end
        for (int o = 0; o < Ports; o++) begin
            automatic logic [N-1:0] of = '0;
            automatic place_t i;
            for (int k = 0; k < Ports; k++) of[k] = wants[k][o];
            i = next(of, grant_q[o], Ports);
            if (i != 3'd7) given[i][o] = 1'b1;
        end
        for (int i = 0; i < Ports; i++) begin
            automatic place_t o = next(N'(given[i]), accept_q[i], Ports);
            automatic int vc = int'(chosen[i][o % 3'(Ports)]), v = i * VCs + vc;
            if (o != 3'd7) begin
                grant_d[o] = after(i, Ports); accept_d[i] = after(int'(o), Ports); first_d[i] = ~1'(vc);
                cross_d[o] = queue[v][0];
                cross_d[o].vc = out_q[v][0];
                credit_d[i][vc] = 1'b1;
                owed_d[out_q[v]] = owed[out_q[v]] + 3'd1;
                if (queue[v][0].tail) begin
                    state_d[v] = Idle; used_d[out_q[v]] = 1'b0;
                end
                for (int k = 0; k < Depth - 1; k++) queue_d[v][k] = queue[v][k + 1];
                count_d[v] = count[v] - 3'd1;
            end
        end
    end

    always_ff @(posedge clk or negedge rst_n)
        if (!rst_n) begin
            for (int v = 0; v < N; v++) begin
                count_q[v] <= '0; out_q[v] <= '0; owed_q[v] <= '0; state_q[v] <= Idle; way_q[v] <= '0;
                vc_grant_q[v] <= '0; vc_accept_q[v] <= '0;
            end
            for (int i = 0; i < Ports; i++) begin
                grant_q[i] <= '0; accept_q[i] <= '0;
            end
            used_q <= '0; first_q <= '0; cross_q <= '0; flit_out <= '0; credit_out <= '0;
        end else begin
            queue_q <= queue_d; count_q <= count_d; out_q <= out_d; owed_q <= owed_d; state_q <= state_d; way_q <= way_d;
            vc_grant_q <= vc_grant_d; vc_accept_q <= vc_accept_d; grant_q <= grant_d; accept_q <= accept_d;
            used_q <= used_d; first_q <= first_d; cross_q <= cross_d; flit_out <= cross_q; credit_out <= credit_d;
        end
endmodule
