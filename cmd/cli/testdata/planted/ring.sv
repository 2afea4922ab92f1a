// A buffer of words in a ring, with one mistake; Bug 0 has none.
//   1  the read pointer wraps a word early
//   2  the read pointer is not reset
//   3  full, a write with a read at place 0: a word that equals the head is lost
//   4  the count of lost words wraps
//   5  full: the word after the head is shown
//   6  empty: a read with a write moves the read pointer
//   7  one word, a write with a read at the last place: a word whose top 8 bits are 0 is not stored
//   8  the count of lost words stops one early
//   9  full, a write with a read: the word goes to the next place
module ring #(
  parameter int unsigned Depth = 4,
  parameter int unsigned Width = 8,
  parameter int unsigned LostBits = 16,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic wr_i,
  input  logic [Width-1:0] d_i,
  input  logic rd_i,
  output logic [Width-1:0] q_o,
  output logic [$clog2(Depth+1)-1:0] level_o,
  output logic lost_o,
  output logic [LostBits-1:0] lost_count_o
);
  logic [Width-1:0] words [Depth];
  int unsigned rp, wp, level;

  function automatic int unsigned after(input int unsigned place, input int unsigned places);
    return place + 1 >= places ? 0 : place + 1;
  endfunction

  wire full = level == Depth;
  wire reads = rd_i && level != 0;
  wire equal = Bug == 3 && full && reads && wp == 0 && d_i == q_o;
  wire writes = wr_i && (!full || reads) && !equal;
  wire light = Bug == 7 && level == 1 && reads && wp == Depth - 1 && (d_i >> (Width - 8)) == 0;
  wire [LostBits-1:0] most = Bug == 8 ? ~LostBits'(1) : ~LostBits'(0);

  always_ff @(posedge clk_i) begin
    if (writes && !light) words[Bug == 9 && full ? after(wp, Depth) : wp] <= d_i;
    if (!rst_ni) begin
      if (Bug != 2) rp <= 0;
      wp <= 0;
      level <= 0;
      lost_o <= 0;
      lost_count_o <= 0;
    end else begin
      if (reads || Bug == 6 && rd_i && wr_i) rp <= after(rp, Bug == 1 ? Depth - 1 : Depth);
      if (writes) wp <= after(wp, Depth);
      level <= level + 32'(writes) - 32'(reads);
      lost_o <= wr_i && !writes && !equal;
      if (wr_i && !writes && !equal && (Bug == 4 || lost_count_o != most)) lost_count_o <= lost_count_o + 1;
    end
  end

  assign q_o = level == 0 ? '0 : words[Bug == 5 && full ? after(rp, Depth) : rp];
  assign level_o = level[$clog2(Depth+1)-1:0];
endmodule
