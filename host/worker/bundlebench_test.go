package worker

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/host/bundle"
)

const benchSource = `import { defineTool, s } from "rho-ext";
export default { name: "bench", tools: [defineTool({ name: "t", description: "d", risk: "read", parameters: { a: s.string() }, execute: ({ a }: any) => a })] }`

// BenchmarkBundle compares the ways to bundle a small extension, and twenty at
// once with a bundler that has to be started.
func BenchmarkBundle(b *testing.B) {
	o := single(b, benchSource)
	b.Run("in_process", func(b *testing.B) {
		for b.Loop() {
			_, err := bundle.Build(o)
			require.NoError(b, err)
		}
	})
	b.Run("worker", func(b *testing.B) {
		bundler := newBundler(b, Options{})
		bundler.Expect(o)
		for b.Loop() {
			_, err := bundler.Build(context.Background(), o)
			require.NoError(b, err)
		}
	})
	b.Run("worker_start", func(b *testing.B) {
		for b.Loop() {
			bundler, err := NewBundler(Options{})
			require.NoError(b, err)
			bundler.Expect(o)
			_, err = bundler.Lockdown(context.Background())
			require.NoError(b, err)
			b.StopTimer()
			require.NoError(b, bundler.Close())
			b.StartTimer()
		}
	})
	var list []bundle.Options
	for range 20 {
		list = append(list, single(b, benchSource))
	}
	all := func(b *testing.B, build func(bundle.Options) error) {
		var wait sync.WaitGroup
		places := make(chan struct{}, processors())
		for _, o := range list {
			wait.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				if err := build(o); err != nil {
					b.Error(err)
				}
			})
		}
		wait.Wait()
	}
	b.Run("20_in_process", func(b *testing.B) {
		for b.Loop() {
			all(b, func(o bundle.Options) error { _, err := bundle.Build(o); return err })
		}
	})
	b.Run("20_worker_cold", func(b *testing.B) {
		for b.Loop() {
			bundler, err := NewBundler(Options{})
			require.NoError(b, err)
			bundler.Expect(list...)
			all(b, func(o bundle.Options) error { _, err := bundler.Build(context.Background(), o); return err })
			b.StopTimer()
			require.NoError(b, bundler.Close())
			b.StartTimer()
		}
	})
}
