// A round-robin arbiter for streams. Its grant is combinational; a granted stream keeps the grant until the grant is
// accepted.
module locked_arbiter #(
  parameter int unsigned NumIn = 4
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic [NumIn-1:0]         req_i,
  output logic [NumIn-1:0]         gnt_o,
  output logic                     req_o,
  input  logic                     gnt_i,
  output logic [$clog2(NumIn)-1:0] idx_o
);
  logic [NumIn-1:0] last_q, lock_q, later, pick;
  assign later = req_i & ~(last_q | (last_q - 1'b1));
  assign pick  = |last_q && |later ? later : req_i;
  assign gnt_o = |lock_q ? lock_q : pick & (~pick + 1'b1);
  assign req_o = |gnt_o;
  always_comb begin
    idx_o = '0;
    for (int unsigned i = 0; i < NumIn; i++) if (gnt_o[i]) idx_o = i[$clog2(NumIn)-1:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= '0;
      lock_q <= '0;
    end else begin
      lock_q <= gnt_i ? '0 : gnt_o;
      if (gnt_i && req_o) last_q <= gnt_o;
    end
  end
endmodule
