package host_test

import (
	"path/filepath"
	"testing"

	"github.com/rho-ext/rho-ext/host"
)

// explicit has a folder of extensions in the project, by a path below its root.
func explicit(dir string, texts map[string]string) func(t *testing.T, o *host.Options) {
	return func(t *testing.T, o *host.Options) {
		files(texts)(t, o)
		o.Dirs = append(o.Dirs, filepath.Join(o.Root, dir))
	}
}

// homeAt puts the user's own folder into the project.
func homeAt(dir string, texts map[string]string) func(t *testing.T, o *host.Options) {
	return func(t *testing.T, o *host.Options) {
		files(texts)(t, o)
		o.Home = filepath.Join(o.Root, dir)
	}
}

const (
	denied = "no PermissionDenied write"
	unread = "no PermissionDenied read"
)

// placeAttacks try to put something in the place of what decides.
var placeAttacks = map[string]attack{
	"a parent of a folder of extensions is moved away": {
		allow: []string{"write ."}, setup: explicit("tools/ext", map[string]string{"tools/ext/other.ts": emptyExtension}),
		body: `return all(() => ctx.fs.rename("tools", "old"))`, want: denied, safe: unchanged("tools/ext/other.ts", emptyExtension)},
	"another directory takes the place of one that is not there yet": {
		allow: []string{"write ."}, setup: homeAt("cfg/rho", nil),
		body: `return all(() => ctx.fs.write("mine/rho/grants.jsonl", "{}"), () => ctx.fs.rename("mine", "cfg"))`, want: "got done, " + denied},
	"the parent of the user's own folder is moved away": {
		allow: []string{"write ."}, setup: homeAt("cfg/rho", map[string]string{"cfg/rho/secrets.json": "SECRET"}),
		body: `return all(() => ctx.fs.rename("cfg", "c2"), () => ctx.fs.read("c2/rho/secrets.json"))`, want: denied + ", no Error ENOENT"},
	"the user's own folder is a link, and the link is removed": {
		allow: []string{"write ."}, setup: homeAt("cfg", map[string]string{"cfg": "->dot/rho", "dot/rho/secrets.json": "SECRET"}),
		body: `return all(() => ctx.fs.remove("cfg"), () => ctx.fs.rename("cfg", "c2"), () => ctx.fs.rename("dot", "d2"), () => ctx.fs.read("dot/rho/secrets.json"))`,
		want: denied + ", " + unread + ", " + denied + ", " + unread},
	"a folder of extensions is a link, and the link is replaced": {
		allow: []string{"write ."}, setup: explicit("ext", map[string]string{"ext": "->real/ext", "real/ext/other.ts": emptyExtension}),
		body: `return all(() => ctx.fs.remove("ext"), () => ctx.fs.rename("ext", "e2"), () => ctx.fs.rename("real", "r2"), () => ctx.fs.write("real/ext/other.ts", "x"))`,
		want: denied + ", " + denied + ", " + denied + ", " + denied, safe: unchanged("real/ext/other.ts", emptyExtension)},
	"a link on the way to a folder of extensions is removed": {
		allow: []string{"write ."}, setup: explicit("a/b/ext", map[string]string{"a/b": "->../c", "c/ext/other.ts": emptyExtension}),
		body: `return all(() => ctx.fs.remove("a/b"), () => ctx.fs.rename("c", "d"), () => ctx.fs.rename("a", "e"))`, want: denied + ", " + denied + ", " + denied},
	"an extension that is a link is changed where it leads": {
		allow: []string{"write ."}, setup: explicit("ext", map[string]string{"ext/other.ts": "->../src/other.ts", "src/other.ts": emptyExtension}),
		body: `return all(() => ctx.fs.write("src/other.ts", "x"), () => ctx.fs.rename("src", "s2"), () => ctx.fs.remove("src/other.ts"), () => ctx.fs.write("src/mine.ts", "x"))`,
		want: denied + ", " + denied + ", " + denied + ", got done", safe: unchanged("src/other.ts", emptyExtension)},
	"an extension that is a link to a folder is changed there": {
		allow: []string{"write ."}, setup: explicit("ext", map[string]string{"ext/other": "->../pkg", "pkg/mod.ts": emptyExtension}),
		body: `return all(() => ctx.fs.write("pkg/mod.ts", "x"), () => ctx.fs.write("pkg/new.ts", "x"))`, want: denied + ", " + denied},
	"a grant around a folder of extensions is none in it": {
		allow: []string{"write tools"}, setup: explicit("tools/ext", map[string]string{"tools/ext/other.ts": emptyExtension}),
		body: `return all(() => ctx.fs.write("tools/ext/new.ts", "x"), () => ctx.fs.append("tools/ext/other.ts", "x"), () => ctx.fs.remove("tools/ext/other.ts"), () => ctx.fs.mkdir("tools/ext/d"), () => ctx.fs.rename("tools/ext/other.ts", "o.ts"))`,
		want: denied + ", " + denied + ", " + denied + ", " + denied + ", " + denied},
	"a file is moved into a folder of extensions": {
		allow: []string{"write ."}, setup: explicit("tools/ext", map[string]string{"tools/ext/other.ts": emptyExtension, "evil.ts": "x"}),
		body: `return all(() => ctx.fs.rename("evil.ts", "tools/ext/evil.ts"), () => ctx.fs.rename("evil.ts", "tools/ext/other.ts"))`, want: denied + ", " + denied},
	"the project's own extensions are changed": {
		allow: []string{"write ."},
		body:  `return all(() => ctx.fs.write(".rho/extensions/y.ts", "x"), () => ctx.fs.rename(".rho", "rho2"), () => ctx.fs.rename(".rho/extensions", "e2"), () => ctx.fs.write(".RHO/extensions/y.ts", "x"), () => ctx.fs.mkdir("a/.rho"))`,
		want:  denied + ", " + denied + ", " + denied + ", " + denied + ", " + denied},
	"git's own folder is reached by where its link leads": {
		allow: []string{"write ."}, setup: files(map[string]string{".git": "->gitdata", "gitdata/config": "SECRET"}),
		body: `return all(() => ctx.fs.read("gitdata/config"), () => ctx.fs.write("gitdata/hooks/pre-commit", "x"), () => ctx.fs.rename("gitdata", "g"), () => ctx.fs.read(".git/config"), () => ctx.fs.remove(".git"))`,
		want: unread + ", " + denied + ", " + unread + ", " + unread + ", " + denied},
}
