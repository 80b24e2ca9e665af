package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/rho-ext/rho-ext/registry"
)

//go:embed apply_patch.md
var applyPatchDescription string

//go:embed apply_patch.lark
var applyPatchGrammar string

const applyPatchOutput = `{
  "type": "object",
  "properties": {
    "summary": {"type": "string", "description": "One line for each file: A, M or D and its path"},
    "warnings": {"type": "array", "items": {"type": "string"}}
  },
  "required": ["summary"],
  "additionalProperties": false
}`

// applyPatch is the tool apply_patch.
type applyPatch struct{ *files }

// Name implements registry.Tool.
func (*applyPatch) Name() string { return "apply_patch" }

// Description implements registry.Tool.
func (*applyPatch) Description() string { return description(applyPatchDescription) }

// Parameters implements registry.Tool.
func (*applyPatch) Parameters() json.RawMessage {
	return registry.FreeformParameters("The whole patch, from *** Begin Patch to *** End Patch")
}

// Risk implements registry.Tool.
func (*applyPatch) Risk() registry.Risk { return registry.Write }

// Info implements registry.Informer.
func (*applyPatch) Info() registry.Info {
	return registry.Info{
		Title:        "Apply patch",
		Kind:         registry.KindEdit,
		Effects:      registry.EffectRead | registry.EffectWrite,
		OutputSchema: json.RawMessage(applyPatchOutput),
		InputFormat:  &registry.InputFormat{Syntax: registry.SyntaxLark, Definition: applyPatchGrammar},
		Examples: []registry.Example{{
			Args: json.RawMessage(`{"input":"*** Begin Patch\n*** Add File: notes.txt\n+first line\n*** End Patch"}`),
		}},
	}
}

type patchArgs struct {
	Input string `json:"input"`
}

// FootprintOf implements registry.Footprinter.
func (*applyPatch) FootprintOf(args json.RawMessage) registry.Footprint {
	var a patchArgs
	if json.Unmarshal(args, &a) != nil {
		return registry.Footprint{Exclusive: true}
	}
	all, err := parsePatch(a.Input)
	if err != nil {
		return registry.Footprint{} // it will touch nothing
	}
	var f registry.Footprint
	for _, p := range all {
		f.Writes = append(f.Writes, footprintPath(p.path))
		if p.moveTo != "" {
			f.Writes = append(f.Writes, footprintPath(p.moveTo))
		}
	}
	return f
}

type patchAnswer struct {
	Summary  string   `json:"summary"`
	Warnings []string `json:"warnings,omitempty"`
}

// Execute implements registry.Tool.
func (t *applyPatch) Execute(ctx context.Context, args json.RawMessage) (*registry.Result, error) {
	var a patchArgs
	if err := decode(args, &a); err != nil {
		return nil, err
	}
	all, err := parsePatch(a.Input)
	if err != nil {
		return nil, refuse("invalid_patch", err.Error()+". Nothing was written.")
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	p := &patchPlan{files: t.files, ctx: ctx, of: map[string]*planned{}}
	for i := range all {
		if err := p.add(&all[i]); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := p.apply(); err != nil {
		return nil, err
	}
	answer := patchAnswer{Summary: strings.Join(p.summary, "\n"), Warnings: p.warnings()}
	var b strings.Builder
	b.WriteString("Success. Updated the following files:\n" + answer.Summary)
	for _, note := range p.notes {
		b.WriteString("\n  " + note)
	}
	for _, w := range answer.Warnings {
		b.WriteString("\n[warning] " + w)
	}
	return structured(b.String(), answer)
}

// failed says what became of a patch that could not be written.
func failed(err error, left []string) error {
	text := err.Error()
	var f *registry.Failure
	if !errors.As(err, &f) {
		f = refuse("write_failed", text)
	}
	g := *f
	g.Message = message(f) + ". Nothing of the patch is left."
	if len(left) > 0 {
		g.Message = fmt.Sprintf("%s. These files could not be put back as they were: %s.", message(f), strings.Join(left, ", "))
	}
	return &g
}
