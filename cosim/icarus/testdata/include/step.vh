`define STEP 3
