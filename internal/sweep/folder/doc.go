// Package folder keeps the results of a sweep: what has been run stays, whatever ends the process, and tables are made
// of it.
//
//	DIR/points/KEY/NAME.jsonl      some runs of a point: head, a line for each run, their hash
//	DIR/points/KEY/NAME.started    someone runs it, or did when it ended
//	DIR                            the tables: of points, of runs, of reports
//
// A file is written under a name of its own, brought to the disk and renamed; none is changed or locked. So any number of
// processes may write to one folder, on NFS, too, and what two of them have run twice is there once more and counts once. KEY is
// the hash of all that determines a point's results.
//
//	file        what it holds
//	folder.go   Folder: runs of points, kept and read; folders joined
//	marks.go    who runs a point
//	record.go   Record, and the form of a file
//	whole.go    files that are whole or not there
//	tables.go   the tables
//	column.go   one figure over the seeds of a point: mean, sd, interval
//	meanings.go what columns mean, from metrics.yaml
package folder
