// Package folder stores the results of a sweep. Finished runs survive any end of the process, and tables are derived
// from them.
//
//	DIR/points/KEY/NAME.jsonl      some runs of a point: head, a line for each run, their hash
//	DIR/points/KEY/NAME.started    a process is running the point, or ended while it did
//	DIR                            tables: of points, of runs, of reports
//
// A file is written under a temporary name, synced and renamed; files are never changed or locked. So any number of
// processes may write to one folder, on NFS, too. Runs that two processes repeat count once. KEY is the hash of
// everything that determines a point's results.
package folder
