-- A counter with a generic, as the Verilog one beside it.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity counter is
  generic (width : positive := 8);
  port (
    clk_i    : in  std_logic;
    rst_i    : in  std_logic;
    enable_i : in  std_logic;
    count_o  : out std_logic_vector(width - 1 downto 0)
  );
end entity;

architecture rtl of counter is
  signal count : unsigned(width - 1 downto 0);
begin
  process (clk_i)
  begin
    if rising_edge(clk_i) then
      if rst_i = '1' then
        count <= (others => '0');
      elsif enable_i = '1' then
        count <= count + 1;
      end if;
    end if;
  end process;
  count_o <= std_logic_vector(count);
end architecture;
