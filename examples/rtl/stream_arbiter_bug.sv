// Round-robin arbiter for packets on valid/ready streams, as other people write
// them, with a mistake: SystemVerilog, asynchronous reset that is active low, a grant
// that is combinational.
//
// A packet is a run of cycles with valid_i[k] high. ready_o[k] rises within the cycle
// in which stream k is chosen, and stays while the packet lasts; a phit moves in
// every cycle in which both are high. When a packet ends, the next stream behind it
// that is valid goes on in the same cycle. Nothing is accepted while halt_i is high.
module stream_arbiter #(
  parameter Streams = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               halt_i,
  input  logic [Streams-1:0] valid_i,
  output logic [Streams-1:0] ready_o,
  output logic               busy_o
);
  logic [Streams-1:0] owner_q; // whose packet it is, one-hot, 0 for nobody
  logic [Streams-1:0] after_q; // ones for the streams behind the one that was served last

  logic [Streams-1:0] behind, pick;
  assign behind = valid_i & after_q;
  assign pick = |behind ? behind & (~behind + 1'b1) : valid_i & (~valid_i + 1'b1);

  always_comb begin
    ready_o = '0;
    if (!halt_i) ready_o = |(owner_q & valid_i) && !(|behind) ? owner_q : pick;
  end
  assign busy_o = |(valid_i & ready_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owner_q <= '0;
      after_q <= '1;
    end else begin
      owner_q <= ready_o;
      if (|ready_o) after_q <= ~(ready_o | (ready_o - 1'b1));
    end
  end
endmodule
