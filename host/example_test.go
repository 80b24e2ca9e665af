package host_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

const shout = `import { defineTool, s } from "rho-ext";
export default defineTool({
  name: "shout", description: "Say a text loudly.", risk: "read",
  parameters: { text: s.string() },
  execute: ({ text }) => text.toUpperCase() + "!",
});`

// A Go program loads the extensions of a project and calls one of their tools.
// Its main, here the tests' own, has [host.WorkerMain] at the top.
func ExampleNew() {
	root, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	dir := filepath.Join(root, ".rho", "extensions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "shout.ts"), []byte(shout), 0o644); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	reg := registry.New()
	h, err := host.New(ctx, host.Options{Root: root, Trusted: true, UserDir: "-", Registry: reg})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	for _, f := range h.Failures() {
		fmt.Println(f.Error())
	}
	door := registry.NewDoor(reg, nil)
	out := door.Call(ctx, registry.Request{Tool: "shout", Arguments: []byte(`{"text":"hi"}`)})
	fmt.Println(out.Status, out.Text)
	// Output: success HI!
}
