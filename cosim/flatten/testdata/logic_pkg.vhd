-- Entities in the style of open VHDL libraries: records, functions, two processes.
library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity h_stage is
  generic (Width_g : positive := 8);
  port (Clk : in std_logic; Rst : in std_logic; In_Data : in std_logic_vector(Width_g-1 downto 0); In_Valid : in std_logic; In_Ready : out std_logic;
        Out_Data : out std_logic_vector(Width_g-1 downto 0); Out_Valid : out std_logic; Out_Ready : in std_logic; Level : out std_logic_vector(3 downto 0));
end entity;
architecture rtl of h_stage is
  type TwoProcess_r is record Valid, Shad : std_logic; Data, ShadData : std_logic_vector(Width_g-1 downto 0); Level : unsigned(3 downto 0); end record;
  type Mem_t is array (0 to 7) of std_logic_vector(Width_g-1 downto 0);
  signal r, r_next : TwoProcess_r; signal mem : Mem_t := (others => (others => '0'));
  function rotated(a : std_logic_vector) return std_logic_vector is variable v : std_logic_vector(a'length-1 downto 0) := a;
  begin for k in v'range loop if k > 0 then v(k) := a(k-1); end if; end loop; v(0) := a(a'high); return v; end function;
begin
  p_comb : process (all) variable v : TwoProcess_r; begin
    v := r;
    if r.Valid = '1' and Out_Ready = '1' then v.Valid := r.Shad; v.Data := r.ShadData; v.Shad := '0'; end if;
    if In_Valid = '1' and r.Shad = '0' then
      if v.Valid = '0' then v.Valid := '1'; v.Data := rotated(In_Data); else v.Shad := '1'; v.ShadData := In_Data; end if;
      if r.Level /= 15 then v.Level := r.Level + 1; end if;
    end if;
    if In_Data(1 downto 0) = "11" then v.Level := v.Level - 2; elsif In_Data(1 downto 0) /= "00" then v.Level := v.Level xor "0001"; end if;
    r_next <= v;
  end process;
  In_Ready <= not r.Shad; Out_Valid <= r.Valid; Level <= std_logic_vector(r.Level);
  Out_Data <= mem(to_integer(r.Level(2 downto 0))) when r.Valid = '0' else r.Data;
  p_seq : process (Clk) begin
    if rising_edge(Clk) then r <= r_next; if In_Valid = '1' then mem(to_integer(unsigned(In_Data(2 downto 0)))) <= In_Data; end if;
      if Rst = '1' then r.Valid <= '0'; r.Shad <= '0'; r.Level <= (others => '0'); end if; end if;
  end process;
end architecture;
