package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"starloom/fabric/outcome"
)

// runAlone runs the points that have ended processes, one after the other, each in a process of its own: it ends that, if it does
// so again, and no other.
func (s *sweeper) runAlone(ctx context.Context, p *pool) error {
	for _, j := range p.alone {
		if ctx.Err() != nil {
			return nil
		}
		var said bytes.Buffer
		child := s.Child(ctx, j.key)
		child.Stderr = &said
		status := child.Run()
		before := len(j.missing)
		if err := s.findMissing(j.point); err != nil {
			return err
		}
		s.done += uint64(before - len(j.missing))
		p.told = p.told.Add(-tellEvery)
		p.tell()
		if len(j.missing) == 0 {
			if err := s.folder.End(j.key, true); err != nil {
				return err
			}
			continue
		}
		reason := "it ended with runs missing"
		if status != nil {
			reason = status.Error()
		}
		if line := outcome.LastLine(said.String()); line != "" {
			reason += ": " + line
		}
		j.err = errors.New("it has ended " + fmt.Sprint(aloneAfter) + " processes, and in one of its own: " + reason)
		p.over = append(p.over, j)
	}
	return nil
}
