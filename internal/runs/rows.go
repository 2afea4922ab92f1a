package runs

import (
	"strconv"

	"starloom/fabric"
	"starloom/fabric/outcome"
)

func (t *tally) head() error {
	if t.rows == nil {
		return nil
	}
	names := []string{"seed"}
	if t.permuted {
		names = append(names, "permutation")
	}
	if t.rate != nil {
		names = append(names, "rate")
	}
	names = append(names, "verdict", "rule", "violations")
	for i := range t.figures {
		names = append(names, t.figures[i].name)
	}
	return t.rows.Write(append(names, "digest"))
}

func (t *tally) row(run *BatchRun, rule string, figures []fabric.Metric) error {
	if t.rows == nil {
		return nil
	}
	r := run.Report
	row := []string{strconv.FormatUint(run.Seed, 10)}
	if t.permuted {
		row = append(row, strconv.FormatUint(run.Permutation, 10))
	}
	if t.rate != nil {
		row = append(row, outcome.ExactFloat(*t.rate))
	}
	row = append(row, string(r.Verdict), rule, strconv.FormatUint(r.ViolationsTotal, 10))
	for _, m := range figures {
		row = append(row, outcome.ExactMetric(m.Value))
	}
	return t.rows.Write(append(row, r.Digest))
}

func (t *tally) flush() error {
	if t.rows == nil {
		return nil
	}
	t.rows.Flush()
	return t.rows.Error()
}
