package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// draws is a tool that answers with images: "one" and "two" in base64.
const draws = `export default { name: "draws", tools: [{ name: "draw", description: "d", risk: "read",
  execute: () => ({ content: [{ type: "text", text: "here" }, { type: "image", data: "b25l", mimeType: "image/png" }, { type: "image", data: "dHdv", mimeType: "image/x-odd" }] }) },
  { name: "writes", description: "d", risk: "read", execute: () => "text" }],
  commands: [{ name: "draw.it", run: () => ({ content: [{ type: "image", data: "b25l", mimeType: "image/jpeg" }] }) }] };`

var savedPath = regexp.MustCompile(`(?m)^saved (.*) \((\S+), 3 bytes\)$`)

func TestImagesBecomeFilesAndAreTold(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "draws.ts": draws})
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	got := s.run("run", "draw")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "here")
	saved := savedPath.FindAllStringSubmatch(got.err, -1)
	require.Len(t, saved, 2, got.err)
	require.Equal(t, "one", read(t, saved[0][1]))
	require.Equal(t, "two", read(t, saved[1][1]))
	require.Equal(t, "draw-1.png", filepath.Base(saved[0][1]))
	require.Equal(t, "draw-1.bin", filepath.Base(saved[1][1]))
	folder := filepath.Dir(saved[0][1])
	require.Equal(t, temp, filepath.Dir(folder))
	if runtime.GOOS != "windows" {
		st, err := os.Stat(folder)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), st.Mode().Perm(), "others see none of it")
	}

	got = s.run("command", "draw.it")
	require.Equal(t, exitOK, got.code, got.err)
	require.Regexp(t, `saved .*command-draw_it-1\.jpg \(image/jpeg`, got.err)

	// A program has them in the document, and nothing is written.
	require.NoError(t, os.RemoveAll(temp))
	require.NoError(t, os.Mkdir(temp, 0o700))
	got = s.run("run", "draw", "--json")
	require.Contains(t, got.out, `"data": "b25l"`)
	require.Empty(t, got.err)
	got = s.run("run", "writes")
	require.Empty(t, got.err)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestSaveSaysWhereImagesGoAndOverwritesNothing(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "draws.ts": draws})
	dir := filepath.Join(t.TempDir(), "new", "folder")
	for range 2 {
		got := s.run("run", "draw", "--save", dir)
		require.Equal(t, exitOK, got.code, got.err)
	}
	for name, text := range map[string]string{"draw-1.png": "one", "draw-2.png": "one", "draw-1.bin": "two", "draw-2.bin": "two"} {
		require.Equal(t, text, read(t, filepath.Join(dir, name)))
	}
	got := s.run("run", "draw", "--json", "--save", dir)
	require.Equal(t, exitOK, got.code)
	validate(t, "outcome", got.out)
	require.FileExists(t, filepath.Join(dir, "draw-3.png"))

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	got = s.run("run", "draw", "--save", file)
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.out, "here", "the answer is not lost")
	require.Contains(t, got.err, "the image could not be saved: ")
	require.Equal(t, "mine", read(t, file))
	got = s.run("run", "draw", "--save", "")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "--save is empty")
}

func TestWhereThereIsNoPlaceForImagesTheAnswerStands(t *testing.T) {
	s := newSetting(t, map[string]string{ext + "draws.ts": draws})
	gone := filepath.Join(t.TempDir(), "gone")
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, gone)
	}
	got := s.run("run", "draw")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, "here")
	require.Contains(t, got.err, "--save DIR says where else")
}
