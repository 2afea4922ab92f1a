// the sources
+incdir+file_list_inc +define+FILE_LIST_ZERO=zero_i
-f file_list_more.f   # a list in it
