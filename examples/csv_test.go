package examples_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/registry"
)

type csvStats struct {
	File    string   `json:"file"`
	Rows    int      `json:"rows"`
	Columns []column `json:"columns"`
	Ragged  []ragged `json:"ragged"`
}

type column struct {
	Name     string   `json:"name"`
	Count    int      `json:"count"`
	Empty    int      `json:"empty"`
	Distinct int      `json:"distinct"`
	Min      *float64 `json:"min"`
	Max      *float64 `json:"max"`
	Mean     *float64 `json:"mean"`
}

type ragged struct {
	Line     int `json:"line"`
	Fields   int `json:"fields"`
	Expected int `json:"expected"`
}

func text(name string, count, empty, distinct int) column {
	return column{Name: name, Count: count, Empty: empty, Distinct: distinct}
}

func numeric(name string, count, empty, distinct int, min, max, mean float64) column {
	return column{name, count, empty, distinct, &min, &max, &mean}
}

func TestCSVStatsReadsRFC4180(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text    string
		more    args
		rows    int
		columns []column
		ragged  []ragged
	}{
		"plain":                    {text: "a,b\n1,x\n2,y\n", rows: 2, columns: []column{numeric("a", 2, 0, 2, 1, 2, 1.5), text("b", 2, 0, 2)}},
		"CRLF":                     {text: "a,b\r\n1,x\r\n2,y\r\n", rows: 2, columns: []column{numeric("a", 2, 0, 2, 1, 2, 1.5), text("b", 2, 0, 2)}},
		"no final newline":         {text: "a,b\n1,x", rows: 1, columns: []column{numeric("a", 1, 0, 1, 1, 1, 1), text("b", 1, 0, 1)}},
		"ends with a delimiter":    {text: "a,b\n1,", rows: 1, columns: []column{numeric("a", 1, 0, 1, 1, 1, 1), text("b", 0, 1, 0)}},
		"delimiter in quotes":      {text: "\"a,b\",c\n\"1,5\",2\n", rows: 1, columns: []column{text("a,b", 1, 0, 1), numeric("c", 1, 0, 1, 2, 2, 2)}},
		"two quotes are one":       {text: "\"say \"\"hi\"\"\"\n\"\"\"\"\n\"\"\n", rows: 2, columns: []column{text(`say "hi"`, 1, 1, 1)}},
		"newlines in quotes":       {text: "\"a\nb\",c\n\"x\r\ny\",1\n1\n", rows: 1, columns: []column{text("a\nb", 1, 0, 1), numeric("c", 1, 0, 1, 1, 1, 1)}, ragged: []ragged{{5, 1, 2}}},
		"quoted last before CRLF":  {text: "a\r\n\"1\"\r\n\"3\"", rows: 2, columns: []column{numeric("a", 2, 0, 2, 1, 3, 2)}},
		"lone CR is data":          {text: "a\nx\ry\n", rows: 1, columns: []column{text("a", 1, 0, 1)}},
		"spaces are data":          {text: "a, b\n x,1\nx, 1\n", rows: 2, columns: []column{text("a", 2, 0, 2), numeric(" b", 2, 0, 2, 1, 1, 1)}},
		"ragged rows":              {text: "a,b\n1\n1,2\n1,2,3\n\n", rows: 1, columns: []column{numeric("a", 1, 0, 1, 1, 1, 1), numeric("b", 1, 0, 1, 2, 2, 2)}, ragged: []ragged{{2, 1, 2}, {4, 3, 2}, {5, 1, 2}}},
		"empty fields":             {text: "a,b\n,\n1,\n", rows: 2, columns: []column{numeric("a", 1, 1, 1, 1, 1, 1), text("b", 0, 2, 0)}},
		"empty lines, one column":  {text: "a\n\n2\n", rows: 2, columns: []column{numeric("a", 1, 1, 1, 2, 2, 2)}},
		"only a header":            {text: "a,b\n", columns: []column{text("a", 0, 0, 0), text("b", 0, 0, 0)}},
		"column without a name":    {text: "a,\n1,2\n", rows: 1, columns: []column{numeric("a", 1, 0, 1, 1, 1, 1), numeric("column 2", 1, 0, 1, 2, 2, 2)}},
		"no header":                {text: "1,x\n2,y\n", more: args{"header": false}, rows: 2, columns: []column{numeric("column 1", 2, 0, 2, 1, 2, 1.5), text("column 2", 2, 0, 2)}},
		"semicolons":               {text: "a;b\n1,5;2\n", more: args{"delimiter": ";"}, rows: 1, columns: []column{text("a", 1, 0, 1), numeric("b", 1, 0, 1, 2, 2, 2)}},
		"tabs":                     {text: "a\tb\n1\t2\n", more: args{"delimiter": "\t"}, rows: 1, columns: []column{numeric("a", 1, 0, 1, 1, 1, 1), numeric("b", 1, 0, 1, 2, 2, 2)}},
		"byte order mark":          {text: "\ufeffa\n1\n", rows: 1, columns: []column{numeric("a", 1, 0, 1, 1, 1, 1)}},
		"forms of numbers":         {text: "a\n-1\n+2.5\n.5\n3.\n1e1\n", rows: 5, columns: []column{numeric("a", 5, 0, 5, -1, 10, 3)}},
		"what is no number":        {text: "a,b,c\n0x10,1e999,\nInfinity,1,1_000\n", rows: 2, columns: []column{text("a", 2, 0, 2), text("b", 2, 0, 2), text("c", 1, 1, 1)}},
		"mean without float dust":  {text: "a,b\n0.1,1e16\n0.2,1\n0.3,-1e16\n", rows: 3, columns: []column{numeric("a", 3, 0, 3, 0.1, 0.3, 0.2), numeric("b", 3, 0, 3, -1e16, 1e16, 0.333333333333333)}},
		"mean that would overflow": {text: "a\n1.5e308\n1.5e308\n", rows: 2, columns: []column{numeric("a", 2, 0, 1, 1.5e308, 1.5e308, 1.5e308)}},
		"UTF-8":                    {text: "größe,\"日本\"\n😀,1\n", rows: 1, columns: []column{text("größe", 1, 0, 1), numeric("日本", 1, 0, 1, 1, 1, 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, "csv_stats", map[string]string{"data.csv": tc.text})
			a := args{"path": "data.csv"}
			for k, v := range tc.more {
				a[k] = v
			}
			var got csvStats
			require.NoError(t, json.Unmarshal(p.succeed("csv_stats", a).Structured, &got))
			want := csvStats{File: "data.csv", Rows: tc.rows, Columns: tc.columns, Ragged: tc.ragged}
			if want.Ragged == nil {
				want.Ragged = []ragged{}
			}
			require.Equal(t, want, got)
		})
	}
}

func TestCSVStatsSaysWhereAFileIsBrokenAndWhatToDo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text, message, hint string
	}{
		"quote never closed":     {"a,b\n1,2\n\"3,4\n5,6\n", "data.csv, line 3: a quote is opened and never closed", "cut off"},
		"quote inside a field":   {"a,b\n5\" pipe,2\n", "data.csv, line 2: there is a quote inside a field", "twice"},
		"text after the quote":   {"a,b\n\"x\ny\"z,2\n", "data.csv, line 3: there is text between a closing quote", "delimiter"},
		"blank before the quote": {"a,b\n1, \"x\"\n", "data.csv, line 2: there is a quote inside a field", "twice"},
		"empty file":             {"", "data.csv is empty", "at least one row"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := open(t, "csv_stats", map[string]string{"data.csv": tc.text}).fail(registry.KindOther, "csv_stats", args{"path": "data.csv"})
			require.Contains(t, out.Text, tc.message)
			require.Contains(t, out.Failure.Hint, tc.hint)
			require.Equal(t, "csv", out.Failure.Code)
			require.Equal(t, registry.RetryNo, out.Failure.Retryable)
			require.Contains(t, out.Failure.Location.File, "csv_stats/mod.ts")
		})
	}
}
