entity design is
  port (a_i : in bit; y_o : out bit);
end entity;

architecture rtl of design is
begin
  y_o <= not a_i;
end architecture;
