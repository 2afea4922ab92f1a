package systemtest

import (
	"fmt"
	"starloom"
)

// LossesOf are the violations of a rule, as slot, path and message.
func LossesOf(report *starloom.Report, rule string) (losses []string) {
	for _, v := range report.Violations {
		if v.Rule == rule {
			losses = append(losses, fmt.Sprintf("slot %d %s: %s", v.Slot, v.Path, v.Message))
		}
	}
	return losses
}
