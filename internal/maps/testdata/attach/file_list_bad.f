file_list.sv
-timescale=1ns/1ps
