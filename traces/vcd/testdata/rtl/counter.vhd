-- A counter, and a signal of every kind that GHDL can dump.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity counter is
  port (clk, rst_n : in std_logic; q : out std_logic_vector(7 downto 0); up : out std_logic_vector(0 to 3));
end;

architecture rtl of counter is
  signal n : unsigned(7 downto 0);
begin
  process (clk) begin
    if rising_edge(clk) then
      if rst_n = '0' then n <= (others => '0'); else n <= n + 1; end if;
    end if;
  end process;
  q <= std_logic_vector(n);
  up <= std_logic_vector(n(3 downto 0));
end;

library ieee;
use ieee.std_logic_1164.all;

entity tb is end;

architecture sim of tb is
  type state is (idle, run);
  signal clk, rst_n : std_logic := '0';
  signal q : std_logic_vector(7 downto 0);
  signal up : std_logic_vector(0 to 3);
  signal n : integer := 0;
  signal r : real := 0.5;
  signal b : boolean := false;
  signal s : state := idle;
  signal t : std_logic := 'Z';
begin
  d : entity work.counter port map (clk, rst_n, q, up);
  process begin
    for i in 0 to 99 loop
      clk <= '0'; wait for 5 ns;
      clk <= '1'; wait for 5 ns;
      if i = 2 then rst_n <= '1'; s <= run; b <= true; t <= 'H'; r <= 1.25; end if;
      n <= n + 1;
    end loop;
    wait;
  end process;
end;
