package tools

import (
	"context"

	"starloom/nic"
	"starloom/traces/info"
)

// Info says what is in VCDs and packet captures. Errors about a file are *input.Error.
func Info(ctx context.Context, paths []string, o info.Options) (*info.Report, error) {
	o.StatusNames, o.Interrupted = nic.StatusNames, ctx.Err
	all := &info.Report{Schema: info.Schema}
	for _, path := range paths {
		file, err := info.Read(path, o)
		if err != nil {
			return nil, err
		}
		all.Files = append(all.Files, *file)
	}
	return all, nil
}
