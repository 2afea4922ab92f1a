// A transmitter that counts phits, with one mistake; Bug 0 has none.
//   1  the last phit of the longest frame is dark
//   2  the first phit of a frame that is loaded in the first cycle after another is dark
module send #(
  parameter int unsigned Phit = 8,
  parameter int unsigned Bytes = 32,
  parameter int unsigned Wait = 0,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic load_i,
  input  logic [8*Bytes-1:0] frame_i,
  input  logic [15:0] length_i,
  input  logic [15:0] port_i,
  output logic [Phit-1:0] ones_o,
  output logic [Phit-1:0] zeros_o,
  output logic [15:0] port_o,
  output logic busy_o
);
  localparam int unsigned Bits = 8 * Bytes;
  logic [Bits-1:0] frame;
  int unsigned length, sent, waits;
  logic was_busy, hurt;
  wire sends = busy_o && waits == 0;
  wire last = sends && sent + Phit >= length;

  always_comb begin
    ones_o = '0;
    zeros_o = '0;
    for (int unsigned i = 0; i < Phit; i++) begin
      automatic int unsigned bit_no = sent + i;
      if (sends && bit_no < length) begin
        ones_o[Phit-1-i] = frame[(bit_no / 8) * 8 + 7 - bit_no % 8];
        zeros_o[Phit-1-i] = ~frame[(bit_no / 8) * 8 + 7 - bit_no % 8];
      end
    end
    if (Bug == 1 && last && length == Bits || Bug == 2 && hurt && sent == 0) begin
      ones_o = '0;
      zeros_o = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      busy_o <= 0;
      was_busy <= 0;
      hurt <= 0;
      waits <= 0;
      sent <= 0;
      length <= 0;
      port_o <= 16'hFFFF;
    end else begin
      was_busy <= busy_o;
      if (waits != 0) waits <= waits - 1;
      if (!busy_o && load_i && length_i != 0 && length_i <= 16'(Bytes)) begin
        busy_o <= 1;
        hurt <= was_busy;
        frame <= frame_i;
        length <= 8 * 32'(length_i);
        sent <= 0;
        waits <= Wait;
        port_o <= port_i;
      end else if (last) begin
        busy_o <= 0;
        port_o <= 16'hFFFF;
      end else if (sends) sent <= sent + Phit;
    end
endmodule
