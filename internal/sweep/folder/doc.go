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
package folder
