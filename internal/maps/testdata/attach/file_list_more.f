file_list.sv -DFILE_LIST_ONE=one_i
