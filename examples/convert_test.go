package examples_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

type converted struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Text  string  `json:"text"`
}

func TestUnitConvertIsExact(t *testing.T) {
	t.Parallel()
	p := open(t, "unit_convert", nil)
	for _, tc := range []struct {
		value    float64
		from, to string
		text     string
	}{
		{26.2, "mi", "km", "26.2 mi = 42.1648128 km"},
		{1, "in", "cm", "1 in = 2.54 cm"},
		{0.1, "m", "mm", "0.1 m = 100 mm"},
		{1.1, "km", "m", "1.1 km = 1100 m"},
		{3, "ft", "yd", "3 ft = 1 yd"},
		{1, "nmi", "mi", "1 nmi = 1.15077944802354 mi"},
		{1, "mm", "nmi", "1 mm = 5.39956803455724e-7 nmi"},
		{-2.5, "ft", "in", "-2.5 ft = -30 in"},
		{0, "m", "ft", "0 m = 0 ft"},
		{1, "lb", "g", "1 lb = 453.59237 g"},
		{1, "st", "lb", "1 st = 14 lb"},
		{16, "oz", "lb", "16 oz = 1 lb"},
		{37, "C", "F", "37 C = 98.6 F"},
		{98.6, "F", "C", "98.6 F = 37 C"},
		{-40, "F", "C", "-40 F = -40 C"},
		{0, "K", "F", "0 K = -459.67 F"},
		{-273.15, "C", "K", "-273.15 C = 0 K"},
		{1, "F", "K", "1 F = 255.927777777778 K"},
		{8, "bit", "B", "8 bit = 1 B"},
		{1, "GiB", "MB", "1 GiB = 1073.741824 MB"},
		{1.5, "TiB", "bit", "1.5 TiB = 13194139533312 bit"},
		{123456, "TiB", "B", "123456 TiB = 135741307518713856 B"},
		{1, "bit", "TiB", "1 bit = 1.13686837721616e-13 TiB"},
		{7, "kg", "kg", "7 kg = 7 kg"},
	} {
		out := p.succeed("unit_convert", args{"value": tc.value, "from": tc.from, "to": tc.to})
		var got converted
		require.NoError(t, json.Unmarshal(out.Structured, &got))
		require.Equal(t, tc.text, got.Text)
		require.Equal(t, tc.to, got.Unit)
		require.Empty(t, out.Uses)
	}
}

// Exact fractions in Go are the judge.
func TestUnitConvertAgreesWithFractionsOfAnySize(t *testing.T) {
	t.Parallel()
	p := open(t, "unit_convert", nil)
	inMetres := map[string]string{"mm": "1/1000", "m": "1", "km": "1000", "in": "254/10000", "mi": "1609344/1000", "nmi": "1852"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		value := math.Round(random.Float64()*1e6) / 1e3 * math.Pow(10, float64(random.IntN(60)-30))
		for from := range inMetres {
			for _, to := range []string{"mi", "in"} {
				if random.IntN(4) > 0 {
					continue
				}
				exact, ok := new(big.Rat).SetString(strconv.FormatFloat(value, 'g', -1, 64))
				require.True(t, ok)
				source, _ := new(big.Rat).SetString(inMetres[from])
				target, _ := new(big.Rat).SetString(inMetres[to])
				exact.Mul(exact, source).Quo(exact, target)
				var got converted
				require.NoError(t, json.Unmarshal(p.succeed("unit_convert", args{"value": value, "from": from, "to": to}).Structured, &got))
				if exact.Sign() == 0 {
					require.Zero(t, got.Value)
					continue
				}
				off := new(big.Rat).SetFloat64(got.Value)
				off.Sub(off, exact).Quo(off, exact).Abs(off)
				require.Negative(t, off.Cmp(big.NewRat(1, 1e14)), "%v %s to %s: got %v", value, from, to, got.Value)
			}
		}
	}
}

func TestUnitConvertRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	p := open(t, "unit_convert", nil)
	for _, tc := range []struct {
		value    float64
		from, to string
		says     string
		hint     string
	}{
		{1, "kg", "km", "kg is a unit of mass, km of length", "kg converts to mg, g, t, oz, lb, st"},
		{1, "C", "B", "temperature", "K, F"},
		{-1, "K", "C", "-1 K is below absolute zero", "0 K"},
		{-273.16, "C", "F", "below absolute zero", "-459.67 F"},
		{1e308, "TiB", "bit", "too large", ""},
	} {
		t.Run(fmt.Sprint(tc.value, tc.from, tc.to), func(t *testing.T) {
			t.Parallel()
			out := p.fail(registry.KindInvalidArgs, "unit_convert", args{"value": tc.value, "from": tc.from, "to": tc.to})
			require.Contains(t, out.Text, tc.says)
			require.Contains(t, out.Failure.Hint, tc.hint)
			require.Equal(t, registry.RetryNo, out.Failure.Retryable)
		})
	}
}

// A model that makes a mistake is shown the units there are.
func TestUnitConvertListsTheUnitsForAWrongOne(t *testing.T) {
	t.Parallel()
	out := open(t, "unit_convert", nil).fail(registry.KindInvalidArgs, "unit_convert", args{"value": 1, "from": "kilometre", "to": "km"})
	require.Contains(t, out.Text, "from")
	require.Contains(t, out.Text, "kilometre")
	require.Contains(t, out.Text, "nmi")
}
