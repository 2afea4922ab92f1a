// Packed structures, enumerations and arrays as ports.
package packed_types;
  typedef enum logic [1:0] {IDLE, WAIT, SEND, DONE} state_t;
  typedef struct packed {
    logic [3:0] destination;
    state_t     state;
    logic [6:0] payload;
  } flit_t;
endpackage

module packed_ports
  import packed_types::*;
(
  input  logic            clk_i,
  input  logic            rst_i,
  input  flit_t           flit_i,
  output flit_t           flit_o,
  output state_t          state_o,
  input  logic [2:0][3:0] lanes_i,
  output logic [3:0]      lane_o
);
  always_ff @(posedge clk_i)
    if (rst_i) begin
      flit_o <= '0;
    end else begin
      flit_o <= flit_i;
      flit_o.payload <= flit_i.payload + 7'd1;
    end
  assign state_o = flit_i.state;
  assign lane_o = lanes_i[1];
endmodule
