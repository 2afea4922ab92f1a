package gossip

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/crillab/gophersat/solver"
)

// ErrNoOrders means that a proof excludes orders with a run of this length.
var ErrNoOrders = errors.New("no orders have a run this short")

// SearchProgress is the progress of Search.
type SearchProgress struct {
	Attempt, Attempts  int
	Variables, Clauses int // of the attempt's formula
	Elapsed            time.Duration
}

// attempts lists the shapes for Search, from the most restricted to an unrestricted one.
func attempts(N int) []shape {
	return []shape{{true, 0}, {true, 1}, {true, 2}, {true, N}, {false, N}}
}

// Search finds orders with a run of LowerBound(N) steps. A formula of propositional logic states that such orders
// exist; a solver finds a model or proves that none exists. run runs the orders and returns their length; a result
// counts only if run confirms the length.
//
// progress, unless nil, is called at the beginning of an attempt and every second. Every N up to 15 takes about a
// second. Some larger N are equally fast (17, 18), others take minutes or longer (16, 19). The solver cannot be
// interrupted: when ctx ends, Search returns at once, and the solver continues in the background on one core until it
// finishes or the process ends.
//
// Search returns ErrNoOrders or the error of ctx, both with the bound, the error of run, or an error if a run has a
// different length.
func Search(ctx context.Context, N int, run func(Orders) (int, error), progress func(SearchProgress)) (Orders, error) {
	return search(ctx, N, LowerBound(N), run, progress)
}

// search is Search for any number of steps.
func search(ctx context.Context, N, steps int, run func(Orders) (int, error),
	progress func(SearchProgress)) (Orders, error) {
	begin := time.Now()
	shapes := attempts(N)
	for i, shape := range shapes {
		f := newFormula(N, steps, shape)
		model, err := solve(ctx, f, func() {
			if progress != nil {
				progress(SearchProgress{i + 1, len(shapes), f.variables, len(f.clauses), time.Since(begin)})
			}
		})
		if err != nil {
			return nil, fmt.Errorf("no orders of %d processors with %d steps were found in time: %w", N+1, steps, err)
		}
		if model == nil {
			continue
		}
		orders := f.orders(model)
		length, err := run(orders)
		if err == nil && length != steps {
			err = fmt.Errorf("a run of the orders found for %d processors takes %d steps, not %d", N+1, length, steps)
		}
		return orders, err
	}
	return nil, fmt.Errorf("%d processors, %d steps: %w", N+1, steps, ErrNoOrders)
}

// solve returns a model, nil if none exists. It calls progress at once and every second.
func solve(ctx context.Context, f *formula, progress func()) ([]bool, error) {
	progress()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	models := make(chan []bool, 1)
	go func() {
		var model []bool
		if s := solver.New(solver.ParseSliceNb(f.clauses, f.variables)); s.Solve() == solver.Sat {
			model = s.Model()
		}
		models <- model
	}()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case model := <-models:
			return model, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-second.C:
			progress()
		}
	}
}
