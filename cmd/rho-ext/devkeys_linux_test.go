package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDevTakesKeysAtATerminal(t *testing.T) {
	s := newSetting(t, map[string]string{".rho/extensions/live.ts": versioned("now", "one"),
		".rho/extensions/writes.ts": `export default { name: "w", permissions: { write: ["./out"] }, tools: [{ name: "keep", description: "d", risk: "write", execute: () => "kept" }] }`})
	p := newConsole(t)
	r := s.at(p, "dev")
	p.expect("h and enter for help")
	p.typed("h\n")
	p.expect("call a tool; c alone repeats the last call")
	p.typed("c now\n")
	p.expectAll("\none\n", "  call  now {}  ok ") // the line comes from the session log
	p.typed("c\n")
	p.expect("\none\n")
	p.typed("c keep\n")
	p.expect("run it? [o]nce")
	p.typed("once\n")
	p.expect("\nkept\n")
	p.typed("d live\n")
	p.expect("disabled live; -now")
	p.typed("c now\n")
	p.expect("now")
	p.typed("u live\n")
	p.expect("added live (v2)")
	p.typed("r live\n")
	p.expect("reloaded live (v3)")
	p.typed("r lives\n")
	p.expect(`there is no extension "lives"`)
	p.typed("l\n")
	p.expect("keep")
	p.typed("e\n")
	p.expect("nothing is wrong")
	p.typed("zzz\n")
	p.expect("is no key")
	p.typed("q\n")
	require.Equal(t, 0, r.code())
}
