library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity dut is
  generic (WIDTH : natural := 2); port (clk, rst_n : in std_logic; one_i, zero_i : in std_logic_vector(3 downto 0);
    one_o, zero_o : out std_logic_vector(3 downto 0));
end entity;
architecture rtl of dut is
  signal one : unsigned(WIDTH - 1 downto 0);
begin
  one <= unsigned(one_i);
  process (clk, rst_n) begin
    if rst_n = '0' then one_o <= (others => '0'); zero_o <= (others => '0');
    elsif rising_edge(clk) then one_o <= std_logic_vector(one); zero_o <= zero_i; end if;
  end process;
end architecture;
