package jail

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The jail against os on one file three directories down. "os atomic" does by
// hand what WriteFile does: temporary file, sync, rename.
func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	name := filepath.Join("a", "b", "c", "file.txt")
	full := filepath.Join(dir, name)
	data := bytes.Repeat([]byte("x"), 4096)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(full, data, 0o644); err != nil {
		b.Fatal(err)
	}
	j, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	check := func(b *testing.B, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("read/os", func(b *testing.B) {
		for b.Loop() {
			_, err := os.ReadFile(full)
			check(b, err)
		}
	})
	b.Run("read/jail", func(b *testing.B) {
		for b.Loop() {
			_, _, err := j.ReadFile(name, 1<<20)
			check(b, err)
		}
	})
	b.Run("stat/os", func(b *testing.B) {
		for b.Loop() {
			_, err := os.Stat(full)
			check(b, err)
		}
	})
	b.Run("stat/jail", func(b *testing.B) {
		for b.Loop() {
			_, _, err := j.Stat(name)
			check(b, err)
		}
	})
	b.Run("write/os", func(b *testing.B) {
		for b.Loop() {
			check(b, os.WriteFile(full, data, 0o644))
		}
	})
	b.Run("write/os atomic", func(b *testing.B) {
		for b.Loop() {
			f, err := os.CreateTemp(filepath.Dir(full), "tmp")
			check(b, err)
			_, err = f.Write(data)
			check(b, err)
			check(b, f.Sync())
			check(b, f.Close())
			check(b, os.Rename(f.Name(), full))
		}
	})
	b.Run("write/jail", func(b *testing.B) {
		for b.Loop() {
			_, err := j.WriteFile(name, data, WriteOptions{})
			check(b, err)
		}
	})
	b.Run("append/jail", func(b *testing.B) {
		for b.Loop() {
			_, err := j.Append(name, data[:10], WriteOptions{})
			check(b, err)
		}
	})
}
