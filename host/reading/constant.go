package reading

import (
	"math/big"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// maxConstantBits bounds a constant that the engine folds when it compiles.
// It has no interrupt there: 2n**(2n**34n) would keep it busy for ever.
const maxConstantBits = 1 << 20

// boundedConstant reports whether e, if it is a constant BigInt expression,
// stays below maxConstantBits. Anything else is fine.
func boundedConstant(e *ast.BinaryExpression) bool {
	if e.Operator != token.EXPONENT && e.Operator != token.SHIFT_LEFT && e.Operator != token.MULTIPLY {
		return true
	}
	_, ok := fold(e, 0)
	return ok
}

// fold computes a constant BigInt expression. A nil value with ok is no such
// expression; not ok is one that is too large.
func fold(e ast.Expression, depth int) (value *big.Int, ok bool) {
	if depth > 100 {
		return nil, true // the walk's own limit on depth comes first in practice
	}
	switch e := e.(type) {
	case *ast.NumberLiteral:
		v, _ := e.Value.(*big.Int)
		return v, true
	case *ast.UnaryExpression:
		v, ok := fold(e.Operand, depth+1)
		if v == nil || e.Operator != token.MINUS {
			return nil, ok
		}
		return new(big.Int).Neg(v), true
	case *ast.BinaryExpression:
		a, ok := fold(e.Left, depth+1)
		if !ok {
			return nil, false
		}
		b, ok := fold(e.Right, depth+1)
		if !ok {
			return nil, false
		}
		if a == nil || b == nil {
			return nil, true
		}
		return foldBinary(e.Operator, a, b)
	}
	return nil, true
}

func foldBinary(op token.Token, a, b *big.Int) (*big.Int, bool) {
	switch op {
	case token.PLUS:
		return new(big.Int).Add(a, b), true
	case token.MINUS:
		return new(big.Int).Sub(a, b), true
	case token.MULTIPLY:
		if a.BitLen()+b.BitLen() > maxConstantBits {
			return nil, false
		}
		return new(big.Int).Mul(a, b), true
	case token.SHIFT_LEFT:
		if b.Sign() < 0 {
			return nil, true
		}
		if !b.IsInt64() || b.Int64() > maxConstantBits || int64(a.BitLen())+b.Int64() > maxConstantBits {
			return nil, false
		}
		return new(big.Int).Lsh(a, uint(b.Int64())), true
	case token.EXPONENT:
		if b.Sign() < 0 {
			return nil, true
		}
		if a.BitLen() <= 1 { // 0, 1 and -1 stay small
			return nil, true
		}
		if !b.IsInt64() || b.Int64() > maxConstantBits || int64(a.BitLen())*b.Int64() > maxConstantBits {
			return nil, false
		}
		return new(big.Int).Exp(a, b, nil), true
	default:
		return nil, true
	}
}
