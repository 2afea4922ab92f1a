// Route tables of a router: selects the permitted output virtual channels (VCs) of an arriving head, in the same cycle.
//
// The destination of a head selects an entry of routes_i, which is constant in a machine: the output port (low), the
// set of VCs in the head's class, and the packet's phase after the router (high). VC v belongs to class v / CLASS_VCS.
// With BY_INPUT, input and phase of the head select one of 2 * PORTS tables, which follow each other: input * 2 +
// phase. For each input, route_o has the permitted VCs as bits output * VCS + VC, 0 without a head. The ports of the
// inputs stand side by side.
// Twin of hw.Routers, for the routing of one router.
`default_nettype none

module route_table #(
  parameter integer PORTS = 3,     // PORTS * VCS is 1..64
  parameter integer VCS = 2,
  parameter integer CLASS_VCS = 2, // VCs of each class; a divisor of VCS
  parameter integer NODES = 4,     // destinations, 1..4096
  parameter integer BY_INPUT = 0   // 0 or 1
) (
  input  wire [PORTS-1:0] head_i,
  input  wire [PORTS*(VCS > 1 ? $clog2(VCS) : 1)-1:0] vc_i,
  input  wire [PORTS-1:0] phase_i,
  input  wire [PORTS*(NODES > 1 ? $clog2(NODES) : 1)-1:0] destination_i,
  input  wire [(BY_INPUT != 0 ? 2 * PORTS : 1)*NODES*((PORTS > 1 ? $clog2(PORTS) : 1)+CLASS_VCS+1)-1:0] routes_i,
  output wire [PORTS*PORTS*VCS-1:0] route_o,
  output wire [PORTS-1:0] phase_o
);
  initial if (PORTS < 1 || VCS < 1 || PORTS * VCS > 64 || CLASS_VCS < 1 || VCS % CLASS_VCS != 0 || NODES < 1 ||
      NODES > 4096 || BY_INPUT < 0 || BY_INPUT > 1) begin
    $display("%m: allowed are PORTS * VCS 1 to 64, CLASS_VCS a divisor of VCS, NODES 1 to 4096, BY_INPUT 0 or 1");
    $finish;
  end

  localparam integer VC_BITS = VCS > 1 ? $clog2(VCS) : 1;
  localparam integer NODE_BITS = NODES > 1 ? $clog2(NODES) : 1;
  localparam integer PORT_BITS = PORTS > 1 ? $clog2(PORTS) : 1;
  localparam integer ENTRY_BITS = PORT_BITS + CLASS_VCS + 1;
  localparam [VCS-1:0] ONE = 1;
  localparam integer TABLE_BITS = NODES * ENTRY_BITS;

  genvar i, o, v;
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : g_input
      wire [TABLE_BITS-1:0] entries;
      if (BY_INPUT != 0) begin : g_by_input
        assign entries = phase_i[i] ? routes_i[(2*i+1)*TABLE_BITS+:TABLE_BITS] : routes_i[2*i*TABLE_BITS+:TABLE_BITS];
      end else begin : g_common
        wire unused = &{1'b0, phase_i[i]};
        assign entries = routes_i;
      end

      reg [ENTRY_BITS-1:0] entry;
      integer d;
      always @* begin
        entry = {ENTRY_BITS{1'b0}};
        for (d = 0; d < NODES; d = d + 1)
          if (destination_i[i*NODE_BITS+:NODE_BITS] == d[NODE_BITS-1:0]) entry = entries[d*ENTRY_BITS+:ENTRY_BITS];
      end

      wire [VCS-1:0] vcs = ONE << vc_i[i*VC_BITS+:VC_BITS]; // the head's VC
      for (o = 0; o < PORTS; o = o + 1) begin : g_output
        localparam integer PORT = o;
        for (v = 0; v < VCS; v = v + 1) begin : g_vc
          localparam integer CLASS = v / CLASS_VCS;
          wire same = CLASS_VCS == VCS || |vcs[CLASS*CLASS_VCS+:CLASS_VCS];
          assign route_o[(i*PORTS+o)*VCS+v] = head_i[i] && same && entry[0+:PORT_BITS] == PORT[PORT_BITS-1:0] &&
            entry[PORT_BITS+v%CLASS_VCS];
        end
      end
      assign phase_o[i] = head_i[i] && entry[ENTRY_BITS-1];
    end
  endgenerate
endmodule

`default_nettype wire
