// Combinational choice of at most one request, for all kinds of arbiters. The choice is one-hot.
//
// While take_i is high, a choice is granted, and the kind updates its memory. The numbers of the kinds are those of
// hw.ArbiterKind. The module of a kind, such as choice_fixed, is in the file of its arbiter, arbiter_fixed.v.
`default_nettype none

module arbiter_choice #(
  parameter integer REQUESTERS = 4,  // 1..1024
  parameter integer KIND = 1,        // 0 fixed, 1 round robin, 2 matrix (least recently granted), 3 TDMA
  parameter integer SLICE_CYCLES = 1 // TDMA: 1..65535; otherwise 1
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  generate
    case (KIND)
      0: begin : fixed
        choice_fixed #(.REQUESTERS(REQUESTERS)) rule (
          .clock(clock), .reset(reset), .request_i(request_i), .take_i(take_i), .choice_o(choice_o)
        );
      end
      1: begin : round_robin
        choice_round_robin #(.REQUESTERS(REQUESTERS)) rule (
          .clock(clock), .reset(reset), .request_i(request_i), .take_i(take_i), .choice_o(choice_o)
        );
      end
      2: begin : matrix
        choice_matrix #(.REQUESTERS(REQUESTERS)) rule (
          .clock(clock), .reset(reset), .request_i(request_i), .take_i(take_i), .choice_o(choice_o)
        );
      end
      3: begin : tdma
        choice_tdma #(.REQUESTERS(REQUESTERS), .SLICE_CYCLES(SLICE_CYCLES)) rule (
          .clock(clock), .reset(reset), .request_i(request_i), .take_i(take_i), .choice_o(choice_o)
        );
      end
      default: begin : none
        initial begin
          $display("%m: there is no arbiter of KIND %0d", KIND);
          $finish;
        end
        assign choice_o = {REQUESTERS{1'b0}};
      end
    endcase
  endgenerate
endmodule

`default_nettype wire
