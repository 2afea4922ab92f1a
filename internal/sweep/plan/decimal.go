package plan

import (
	"fmt"
	"math/big"
	"strings"
)

func decimal(text string) (*big.Rat, bool) {
	if strings.ContainsAny(text, "/_xXpPbBoO") || len(text) > decimalDigitsMax {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// decimalDigitsMax bounds a number's text, and with exponentMax what becomes of it.
const (
	decimalDigitsMax = 40
	exponentMax      = 40
)

// valuesMax is how many values a range may have.
const valuesMax = 100_000

// decimalText writes a number with the digits that it needs, and no others.
func decimalText(x *big.Rat) string {
	digits, _ := x.FloatPrec() // it is a sum or a product of decimals
	return x.FloatString(digits)
}

// ladder returns the numbers from the first to the last: each is the one before, plus the step, or times it. The last
// one must be met. wrong says what is wrong otherwise, and what would be right.
func ladder(from, to, step *big.Rat, times bool) (numbers []*big.Rat, reason, remedy string) {
	next := func(x *big.Rat) *big.Rat { return new(big.Rat).Add(x, step) }
	up := step.Sign()
	if times {
		next = func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, step) }
		up = step.Cmp(big.NewRat(1, 1))
		if step.Sign() <= 0 || up == 0 || from.Sign() <= 0 {
			return nil, fmt.Sprintf("multiplies %s by %s", decimalText(from), decimalText(step)), "start above 0, and multiply by more than 1, or by less"
		}
	}
	if up == 0 || to.Cmp(from)*up < 0 {
		return nil, fmt.Sprintf("does not lead from %s to %s", decimalText(from), decimalText(to)), "give a step towards the end, other than 0"
	}
	for x := from; ; x = next(x) {
		switch order := x.Cmp(to) * up; {
		case len(numbers) == valuesMax:
			return nil, fmt.Sprintf("has more than %d values", valuesMax), "take larger steps"
		case order == 0:
			return append(numbers, x), "", ""
		case order > 0:
			last := numbers[len(numbers)-1]
			return nil, fmt.Sprintf("goes from %s to %s and misses the end, %s", decimalText(last), decimalText(x), decimalText(to)),
				fmt.Sprintf("ends are included: end with %s or %s", decimalText(last), decimalText(x))
		}
		numbers = append(numbers, x)
	}
}
