package binary

// elements reads the functions in tables, after known earlier ones.
func (r *Reader) elements(known int, function found) {
	note := func(index uint32, from, end int) {
		known++
		function(index, from, end)
	}
	for n := r.list("element segments"); n > 0 && r.Err == nil; n-- {
		flags := r.U32()
		if flags > 7 {
			r.Broken("an element segment has the unknown flags %d", flags)
		}
		if flags&3 == 2 {
			r.U32() // table
		}
		if flags&1 == 0 {
			r.constant(note)
		}
		if flags&3 != 0 {
			r.Byte() // kind or type
		}
		count := r.Count()
		r.tooMany("functions in tables", known+count, ElementsMax)
		for ; count > 0 && r.Err == nil; count-- {
			if flags&4 != 0 {
				r.constant(note)
				continue
			}
			from := r.At
			index := r.U32()
			note(index, from, r.At)
		}
	}
}
