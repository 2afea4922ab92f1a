// Round-robin arbiter as a tree: every node hands on the first of its two sides that requests, once for
// those after the last one granted and once for all; the root takes the former if there is one.
`default_nettype none

module tree_arbiter #(
  parameter int unsigned PORTS = 16,
  parameter int unsigned DATA_BITS = 32,
  localparam int unsigned LEVELS = $clog2(PORTS)
) (
  input  wire                            clk_i,
  input  wire                            rst_ni,
  input  wire [PORTS-1:0]                req_i,
  input  wire [PORTS-1:0][DATA_BITS-1:0] data_i,
  output wire [PORTS-1:0]                gnt_o,
  output wire                            req_o,
  input  wire                            gnt_i,
  output wire [LEVELS-1:0]               idx_o,
  output wire [DATA_BITS-1:0]            data_o
);
  logic [PORTS-1:0] after_q; // those after the last one

  for (genvar level = 0; level <= LEVELS; level++) begin : tree
    localparam int unsigned NODES = 2**level;
    wire [NODES-1:0] late, any, gnt;
    wire [NODES-1:0][LEVELS-1:0] late_idx, any_idx;
    wire [NODES-1:0][DATA_BITS-1:0] late_data, any_data;
    for (genvar n = 0; n < NODES; n++) begin : node
      if (level == LEVELS) begin : leaf
        assign any[n] = req_i[n];
        assign late[n] = req_i[n] & after_q[n];
        assign any_idx[n] = LEVELS'(n);
        assign late_idx[n] = LEVELS'(n);
        assign any_data[n] = data_i[n];
        assign late_data[n] = data_i[n];
      end else begin : join_two
        assign any[n] = tree[level+1].any[2*n] | tree[level+1].any[2*n+1];
        assign late[n] = tree[level+1].late[2*n] | tree[level+1].late[2*n+1];
        assign any_idx[n] = tree[level+1].any[2*n] ? tree[level+1].any_idx[2*n] : tree[level+1].any_idx[2*n+1];
        assign late_idx[n] = tree[level+1].late[2*n] ? tree[level+1].late_idx[2*n] : tree[level+1].late_idx[2*n+1];
        assign any_data[n] = tree[level+1].any[2*n] ? tree[level+1].any_data[2*n] : tree[level+1].any_data[2*n+1];
        assign late_data[n] = tree[level+1].late[2*n] ? tree[level+1].late_data[2*n] : tree[level+1].late_data[2*n+1];
      end
      if (level == 0) begin : root
        assign gnt[n] = any[n];
      end else if (n % 2 == 0) begin : first
        assign gnt[n] = tree[level-1].gnt[n/2] & (tree[0].late[0] ? late[n] : any[n]);
      end else begin : second
        assign gnt[n] = tree[level-1].gnt[n/2] & ~(tree[0].late[0] ? late[n-1] : any[n-1]);
      end
    end
  end

  assign gnt_o = tree[LEVELS].gnt;
  assign req_o = tree[0].any[0];
  assign idx_o = !req_o ? '0 : tree[0].late[0] ? tree[0].late_idx[0] : tree[0].any_idx[0];
  assign data_o = tree[0].late[0] ? tree[0].late_data[0] : tree[0].any_data[0];

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) after_q <= '1;
    else if (req_o && gnt_i) after_q <= ~(gnt_o | (gnt_o - 1'b1));
endmodule

`default_nettype wire
