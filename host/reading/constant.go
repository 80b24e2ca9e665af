package reading

import (
	"math/big"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// The engine folds constant expressions when it compiles, and has no interrupt
// there: 2n**(2n**34n) would keep it busy for ever.
const (
	maxConstantBits = 1 << 18 // of one BigInt constant
	maxAllBits      = 1 << 25 // of all of them together: the engine keeps each
)

// constants bounds the BigInt constants of a script.
type constants struct {
	known map[ast.Expression]int
	all   int
}

// bounded reports whether e, if it is a constant BigInt expression, stays within
// the limits. Anything else is fine.
func (c *constants) bounded(e *ast.BinaryExpression) bool {
	n := c.bits(e)
	if n > 0 {
		c.all += n
	}
	return n <= maxConstantBits && c.all <= maxAllBits
}

// noBigInt stands for an expression that never is a BigInt the engine folds.
const noBigInt = -1

// bits is an upper bound for the length of the BigInt that e folds to. It may be
// far too high, but not for what people write. Once over the limit it stays
// there.
func (c *constants) bits(e ast.Expression) int {
	switch e := e.(type) {
	case *ast.NumberLiteral:
		if v, ok := e.Value.(*big.Int); ok {
			return v.BitLen()
		}
	case *ast.UnaryExpression:
		switch e.Operator {
		case token.MINUS:
			return c.bits(e.Operand)
		case token.BITWISE_NOT:
			return longer(c.bits(e.Operand))
		}
	case *ast.BinaryExpression:
		if n, ok := c.known[e]; ok {
			return n
		}
		n := combined(e.Operator, c.bits(e.Left), c.bits(e.Right))
		if c.known == nil {
			c.known = map[ast.Expression]int{}
		}
		c.known[e] = n
		return n
	}
	return noBigInt
}

func longer(n int) int {
	if n == noBigInt {
		return noBigInt
	}
	return n + 1
}

func combined(op token.Token, a, b int) int {
	switch op {
	case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
		return max(a, b) // either, whatever the other one is
	}
	if a == noBigInt || b == noBigInt {
		return noBigInt
	}
	const tooLong = maxConstantBits + 1
	switch op {
	case token.PLUS, token.MINUS, token.AND, token.OR, token.EXCLUSIVE_OR:
		return min(max(a, b)+1, tooLong)
	case token.MULTIPLY:
		return min(a+b, tooLong)
	case token.SLASH, token.REMAINDER:
		return a
	case token.SHIFT_LEFT, token.SHIFT_RIGHT: // by a negative number, one is the other
		if a == 0 {
			return 0
		}
		if b >= 20 {
			return tooLong
		}
		return min(a+(1<<b), tooLong)
	case token.EXPONENT:
		if a <= 1 { // 0, 1 and -1 stay small
			return a
		}
		if b >= 20 {
			return tooLong
		}
		return min(a<<b, tooLong)
	default:
		return noBigInt // a comparison
	}
}
