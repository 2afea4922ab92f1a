// A round-robin arbiter that holds, with one mistake; Bug 0 has none.
//   1  the one that was served is asked first again
//   2  port 11 loses its grant when port 3 asks
//   3  4,095 cycles after a reset a grant is not held
module turns #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Ports-1:0] req_i,
  output logic [Ports-1:0] gnt_o
);
  int unsigned last;
  logic [11:0] age;
  logic [Ports-1:0] next;
  int unsigned who;
  wire hold = |(req_i & gnt_o) && !(Bug == 2 && gnt_o[11 % Ports] && req_i[3 % Ports]) && !(Bug == 3 && &age);

  always_comb begin
    next = '0;
    who = last;
    for (int unsigned i = Ports; i > 0; i--) begin
      automatic int unsigned at = (last + i - (Bug == 1 ? 1 : 0)) % Ports;
      if (req_i[at]) begin
        next = '0;
        next[at] = 1'b1;
        who = at;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last <= Ports - 1;
      gnt_o <= '0;
      age <= '0;
    end else begin
      age <= age + 1;
      if (!hold) begin
        gnt_o <= next;
        last <= who;
      end
    end
  end
endmodule
