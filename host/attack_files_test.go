package host_test

import "strings"

// fileAttacks try to read or write beyond what was granted: "out" to be written,
// and the project to be read.
var fileAttacks = map[string]attack{
	"ways out by ..": {allow: []string{"write out"}, setup: files(map[string]string{"out/a": "x", "../secret": "SECRET"}),
		body: `return all(() => ctx.fs.read("../secret"), () => ctx.fs.read("out/../../secret"), () => ctx.fs.read("./././../secret"), () => ctx.fs.read("out/./../..//secret"), () => ctx.fs.read("nope/../../secret"), () => ctx.fs.read(".."), () => ctx.fs.list("../"), () => ctx.fs.glob("../*"), () => ctx.fs.glob("out/../../*"), () => ctx.fs.glob("*/../../*"))`,
		want: times(unread, 10)},
	"ways out by links": {allow: []string{"write out"}, setup: files(map[string]string{"../secret": "SECRET", "out/l": "->../../secret", "out/d": "->../..", "out/abs": "->/etc/passwd", "out/p": "->/proc/self/cwd", "out/n": "->/nowhere/new"}),
		body: `return all(() => ctx.fs.read("out/l"), () => ctx.fs.read("out/d/secret"), () => ctx.fs.read("out/abs"), () => ctx.fs.list("out/p"), () => rho.readFile("out/l"), () => ctx.fs.stat("out/l"))`,
		want: times(unread, 6)},
	"writing through links": {allow: []string{"write out"}, setup: files(map[string]string{"../secret": "SECRET", "out/l": "->../../secret", "out/d": "->../..", "out/n": "->/nowhere/new", "out/in": "->../a.txt", "a.txt": "old", "out/dangling": "->../new.txt"}),
		body: `return all(() => ctx.fs.write("out/l", "x"), () => ctx.fs.append("out/l", "x"), () => ctx.fs.write("out/d/new", "x"), () => ctx.fs.write("out/n", "x"), () => ctx.fs.write("out/in", "x"), () => ctx.fs.append("out/in", "x"), () => ctx.fs.write("out/dangling", "x"), () => ctx.fs.mkdir("out/d/new"), () => ctx.fs.remove("out/d/secret"))`,
		want: times(denied, 9), safe: unchanged("a.txt", "old")},
	"a link that is moved": {allow: []string{"write out", "write more"}, setup: files(map[string]string{"out/l": "->../a.txt", "a.txt": "old", "more/x": "", "out/up": "->.."}),
		body: `return all(() => ctx.fs.rename("out/l", "more/l"), () => ctx.fs.write("more/l", "x"), () => ctx.fs.rename("out/up", "more/up"), () => ctx.fs.write("more/up/a.txt", "x"), () => ctx.fs.rename("more/up/a.txt", "out/a"))`,
		want: "got done, " + denied + ", got done, " + denied + ", " + denied, safe: unchanged("a.txt", "old")},
	"odd names": {allow: []string{"write out"},
		body: `return all(...["", "a\u0000b", "out/\u0000/../../a", "/", "//", "\\\\server\\share", "~root/x", "x".repeat(40_000), "a/".repeat(300) + "b", "file:///etc/passwd", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].map((p) => () => ctx.fs.write(p, "x")))`,
		want: "~no ", safe: nothingGot},
	"protected names in other spellings": {allow: []string{"write .", "read ."}, setup: files(map[string]string{".env": "SECRET", "sub/.env.local": "SECRET", "id_rsa": "SECRET", "sub/k.pem": "SECRET", ".git/config": "SECRET", ".npmrc": "x"}),
		body: `return all(...[".env", "./.env", "sub/../.env", ".ENV", ".env.", ".env ", ".env::$DATA", ".e\u200bnv", ".en\u212a", "sub//.env.local", "id_rsa", "ID_RSA", "sub/k.PEM", ".git/config", ".GIT/config", ".git\u200c/config", "git~1/config", ".git./config"].map((p) => () => ctx.fs.read(p)))`,
		want: "~no ", safe: nothingGot},
	"protected names are written": {allow: []string{"write ."}, setup: files(map[string]string{".env": "KEEP", "a": "x", "d/hooks/x": "x"}),
		body: `return all(() => ctx.fs.write(".env", "x"), () => ctx.fs.append(".env", "x"), () => ctx.fs.remove(".env"), () => ctx.fs.rename(".env", "e"), () => ctx.fs.rename("a", ".env"), () => ctx.fs.write(".env.new", "x"), () => ctx.fs.rename("d", ".git"), () => ctx.fs.mkdir(".git/hooks"), () => ctx.fs.write("new/.git/config", "x"), () => ctx.fs.rename("a", "b.key"), () => ctx.fs.write(".rho-tmp-x-0", "x"))`,
		want: times(denied, 11), safe: unchanged(".env", "KEEP")},
	"a protected name by a link": {allow: []string{"write ."}, setup: files(map[string]string{".env": "SECRET", "plain": "->.env", "dir": "->.git", ".git/config": "SECRET", "two": "->plain"}),
		body: `return all(() => ctx.fs.read("plain"), () => ctx.fs.read("two"), () => ctx.fs.read("dir/config"), () => ctx.fs.list("dir"), () => ctx.fs.write("plain", "x"), () => ctx.fs.glob("pl*"), () => ctx.fs.glob("dir/*"))`,
		want: times(unread, 4) + ", " + denied + ", got [], " + unread},
	"a moved directory brings no secret into a place that was granted": {allow: []string{"write .", "read out/.env"}, setup: files(map[string]string{"d/.env": "SECRET", "d/a": ""}),
		body: `return all(() => ctx.fs.rename("d", "out"), () => ctx.fs.read("out/.env"), () => ctx.fs.rename("d", "e"), () => ctx.fs.read("e/.env"))`,
		want: denied + ", no Error ENOENT, got done, " + unread},
	"what was granted to be read is not written": {allow: []string{"read .env", "read ../more"}, setup: files(map[string]string{".env": "KEEP", "../more/a": "x"}),
		body: `return all(() => ctx.fs.write(".env", "x"), () => ctx.fs.remove(".env"), () => ctx.fs.rename(".env", "e"))`, want: times(denied, 3), safe: unchanged(".env", "KEEP")},
	"the root itself": {allow: []string{"write ."},
		body: `return all(() => ctx.fs.remove("."), () => ctx.fs.rename(".", "../x"), () => ctx.fs.remove("a/.."), () => ctx.fs.rename("out", "."), () => ctx.fs.write(".", "x"))`, want: "~no ", safe: nothingGot},
	"the user's own folder where everything was granted": {allow: []string{"read /", "write /"}, setup: homeAt("cfg", map[string]string{"cfg/grants.jsonl": "SECRET", "cfg/extensions/e.ts": "SECRET", "in": "->cfg"}),
		body: `return all(() => ctx.fs.read("cfg/grants.jsonl"), () => ctx.fs.read(ctx.projectRoot + "/cfg/grants.jsonl"), () => ctx.fs.read("in/grants.jsonl"), () => ctx.fs.list("cfg"), () => ctx.fs.read("cfg/extensions/e.ts"), () => ctx.fs.append("cfg/grants.jsonl", "x"), () => ctx.fs.remove("cfg/grants.jsonl"), () => ctx.fs.write("cfg/trust.jsonl", "x"), () => ctx.fs.rename("cfg/grants.jsonl", "g"), () => ctx.fs.glob("cfg/*"))`,
		want: times(unread, 5) + ", " + times(denied, 3) + ", " + unread + ", " + unread},
	"a granted file's name given to a directory": {allow: []string{"write out/f"},
		body: `return all(() => ctx.fs.mkdir("out/f"), () => ctx.fs.write("out/f/x", "x"), () => ctx.fs.write("out/g", "x"), () => ctx.fs.write("out/f2", "x"), () => ctx.fs.write("out/F", "x"))`,
		want: "got done, got done, " + times(denied, 3)},
	"only what the manifest asks for": {permissions: `write: ["out"]`, allow: []string{"write .", "write /", "read /", "net *", "run *", "env PATH", "tool *"}, setup: files(map[string]string{"a": "x"}),
		body: `return all(() => ctx.fs.write("a", "x"), () => ctx.fs.read("/etc/hostname"), () => ctx.exec("true"), () => fetch("http://127.0.0.1:1/"), () => ctx.callTool("read_file", { path: "a" }), () => process.env.PATH ?? "unset", () => ctx.fs.write("out/x", "x"))`,
		want: denied + ", " + unread + ", no PermissionDenied run, no PermissionDenied net, no PermissionDenied tool, got unset, got done"},
	"objects in the place of paths": {allow: []string{"write out"}, setup: files(map[string]string{".env": "SECRET", "a.txt": "x"}),
		body: `let n = 0; const twice = { toString: () => n++ ? ".env" : "a.txt", valueOf: () => ".env", length: 1, 0: ".env" };
			return all(() => ctx.fs.read(twice), () => ctx.fs.write(twice, "x"), () => ctx.fs.read([".env"]), () => rho.readFile(twice), () => ctx.fs.read(new String(".env")), () => ctx.fs.write(new Proxy({}, { get: () => () => ".env" }), "x"))`,
		want: "~no ", safe: nothingGotBut("got x")},
}

func times(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+", ", n), ", ") }
