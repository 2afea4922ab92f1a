// A register stage for AXI-Stream with a registered tready. A second register stores the word that arrives in the
// cycle of a stall. tdata and tlast are undefined without tvalid.
module axis_register #(
  parameter DATA_WIDTH = 32
) (
  input  wire                  clk,
  input  wire                  rst,
  input  wire [DATA_WIDTH-1:0] s_axis_tdata,
  input  wire                  s_axis_tvalid,
  output wire                  s_axis_tready,
  input  wire                  s_axis_tlast,
  output wire [DATA_WIDTH-1:0] m_axis_tdata,
  output wire                  m_axis_tvalid,
  input  wire                  m_axis_tready,
  output wire                  m_axis_tlast
);
  reg main_valid = 1'b0, spare_valid = 1'b0;
  reg [DATA_WIDTH:0] main, spare;

  assign s_axis_tready = !spare_valid;
  assign m_axis_tvalid = main_valid;
  assign {m_axis_tlast, m_axis_tdata} = main;

  always @(posedge clk) begin
    if (m_axis_tready || !main_valid) begin
      main <= spare_valid ? spare : {s_axis_tlast, s_axis_tdata};
      main_valid <= spare_valid || s_axis_tvalid;
      spare_valid <= 1'b0;
    end else if (s_axis_tready) begin
      spare <= {s_axis_tlast, s_axis_tdata};
      spare_valid <= s_axis_tvalid;
    end
    if (rst) {main_valid, spare_valid} <= 2'b00;
  end
endmodule
