package registry_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rho-ext/rho-ext/internal/sessionlog"
	"github.com/rho-ext/rho-ext/registry"
)

func TestLogLinesAreKeptRedactedAndBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := sessionlog.Open(sessionlog.Options{Dir: dir})
	require.NoError(t, err)
	var shown strings.Builder
	next := slog.NewTextHandler(&shown, &slog.HandlerOptions{Level: slog.LevelWarn})
	l := slog.New(registry.LogHandler(log, redactor(t), next, nil))
	l.Info("quiet", "extension", "demo", "tool", "greet", "data", `{"password":"`+secret+`","n":1}`)
	l.Warn("the word is "+secret, "n", 7)
	l.Log(t.Context(), slog.LevelDebug-4, "never")
	l.With("extension", "demo").WithGroup("g").Error(strings.Repeat("é", 10_000), "k", []int{1})
	many := []any{}
	for i := range 40 {
		many = append(many, "k"+string(rune('A'+i)), strings.Repeat("x", 20_000))
	}
	l.Debug("many", many...)

	require.NotContains(t, shown.String(), "quiet")
	require.Contains(t, shown.String(), "the word is")
	var lines []registry.LogLine
	var all strings.Builder
	_, err = sessionlog.Read(dir, func(e sessionlog.Entry) error {
		require.Equal(t, registry.LogKindLine, e.Kind)
		var line registry.LogLine
		require.NoError(t, json.Unmarshal(e.Data, &line))
		lines = append(lines, line)
		all.Write(e.Data)
		return nil
	})
	require.NoError(t, err)
	require.NotContains(t, all.String(), secret)
	require.Len(t, lines, 4)
	require.Equal(t, "info demo greet quiet", strings.Join([]string{lines[0].Level, lines[0].Extension, lines[0].Tool, lines[0].Message}, " "))
	require.True(t, json.Valid([]byte(lines[0].Data["data"])), lines[0].Data["data"])
	require.Equal(t, map[string]string{"n": "7"}, lines[1].Data)
	require.Equal(t, "warn", lines[1].Level)
	require.False(t, lines[1].Truncated)
	require.Equal(t, "demo", lines[2].Extension)
	require.Equal(t, map[string]string{"g.k": "[1]"}, lines[2].Data)
	require.True(t, lines[2].Truncated)
	require.LessOrEqual(t, len(lines[2].Message), 8<<10)
	require.Len(t, lines[3].Data, 16)
	require.True(t, lines[3].Truncated)
	require.Less(t, all.Len(), 200_000)
}

func TestALogThatCannotBeWrittenIsToldOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := sessionlog.Open(sessionlog.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, log.Close())
	var heard []error
	l := slog.New(registry.LogHandler(log, nil, slog.DiscardHandler, func(err error) { heard = append(heard, err) }))
	l.Info("a")
	l.Info("b")
	require.Len(t, heard, 1)
	require.True(t, errors.Is(heard[0], sessionlog.ErrClosed))
}
