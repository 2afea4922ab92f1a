library ieee;
use ieee.std_logic_1164.all;
use ieee.std_logic_arith.all;
use ieee.std_logic_unsigned.all;

entity dut is
  port (clk, rst_n : in std_logic; one_i, zero_i : in std_logic_vector(3 downto 0);
    one_o, zero_o : out std_logic_vector(3 downto 0));
end entity;
architecture rtl of dut is
  
begin
  
  process (clk, rst_n) begin
    if rst_n = '0' then one_o <= (others => '0'); zero_o <= (others => '0');
    elsif rising_edge(clk) then one_o <= one_i + 0; zero_o <= zero_i; end if;
  end process;
end architecture;
