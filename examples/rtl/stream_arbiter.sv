// Round-robin arbiter for packets on valid/ready streams in another style:
// SystemVerilog, an asynchronous, active-low reset, a combinational grant.
//
// A packet is a run of cycles with valid_i[k] high. ready_o[k] rises in the cycle in
// which stream k is chosen, and stays high until the end of the packet. A phit moves
// in every cycle in which both are high. When the packet ends, the next valid stream
// in circular order is chosen in the same cycle. Nothing is accepted while halt_i is
// high.
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
  logic [Streams-1:0] owner_q; // stream of the current packet, one-hot, 0 for none
  logic [Streams-1:0] after_q; // ones for the streams after the last served stream

  logic [Streams-1:0] behind, pick;
  assign behind = valid_i & after_q;
  assign pick = |behind ? behind & (~behind + 1'b1) : valid_i & (~valid_i + 1'b1);

  always_comb begin
    ready_o = '0;
    if (!halt_i) ready_o = |(owner_q & valid_i) ? owner_q : pick;
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
