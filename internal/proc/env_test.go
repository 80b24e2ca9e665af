package proc

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEnvironmentFilter(t *testing.T) {
	t.Parallel()
	pass := strings.Fields(`PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TMPDIR TEMP TMP TERM NO_COLOR
		CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE
		GOPATH GOCACHE GOMODCACHE GOROOT GOFLAGS GOPROXY GOTOOLCHAIN CGO_ENABLED
		CC CFLAGS PKG_CONFIG_PATH JAVA_HOME NVM_DIR NODE_PATH VIRTUAL_ENV PYTHONPATH GEM_HOME DOTNET_ROOT SDKROOT
		XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR HTTPS_PROXY https_proxy no_proxy SSL_CERT_FILE COMSPEC PATHEXT`)
	drop := strings.Fields(`GITHUB_TOKEN GH_TOKEN NPM_TOKEN CARGO_REGISTRY_TOKEN CARGO_REGISTRIES_MINE_TOKEN
		OPENAI_API_KEY ANTHROPIC_API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE AZURE_CLIENT_SECRET
		GOOGLE_APPLICATION_CREDENTIALS DB_PASSWORD PGPASSWORD MYSQL_PWD DATABASE_URL SENTRY_DSN SESSION_COOKIE
		XDG_SECRET XDG_API_TOKEN LC_PASSWORD XDG_SIGNING_KEY SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO KUBECONFIG
		LD_PRELOAD DYLD_INSERT_LIBRARIES BASH_ENV ENV PROMPT_COMMAND GIT_DIR GIT_SSH_COMMAND EDITOR PAGER
		RHO_HOME RHO_EXT_RUN FOO PATHS HOMEX X_PATH`)
	var from []string
	for _, name := range append(append([]string{}, pass...), drop...) {
		from = append(from, name+"=v")
	}
	var want []string
	for _, name := range pass {
		want = append(want, name+"=v")
	}
	if runtime.GOOS != "windows" { // where HTTPS_PROXY and https_proxy are one
		assert.ElementsMatch(t, want, Environment{From: from}.List())
	}
	for _, name := range pass {
		assert.True(t, Passed(name), name)
		assert.False(t, LooksSecret(name), name)
	}
	for _, name := range drop {
		assert.False(t, Passed(name), name)
	}
	if runtime.GOOS == "windows" {
		assert.True(t, Passed("SystemRoot"))
		assert.True(t, Passed("Path"))
	} else {
		assert.False(t, Passed("Path"))
	}
}

func TestEnvironmentNamesAndSet(t *testing.T) {
	t.Parallel()
	from := []string{"PATH=/bin", "AWS_PROFILE=me", "AWS_REGION=eu", "FOO=1", "HOME=/a", "broken", "=C:=C:\\x", "TZ=a\x00b"}
	assert.Equal(t, []string{"AWS_PROFILE=me", "FOO=1", "HOME=/b", "NEW=x", "PATH=/bin"},
		Environment{From: from, Names: []string{"AWS_PROFILE", "FOO", "MISSING", "AWS_*"}, Set: map[string]string{"HOME": "/b", "NEW": "x", "A=B": "c", "": "d"}}.List())
	assert.Empty(t, Environment{From: []string{}}.List(), "an empty environment is not the one of the process")
	assert.Equal(t, []string{"TZ=b"}, Environment{From: []string{"TZ=a", "TZ=b"}}.List(), "each name once")
}

func TestValuesWithPasswordsAreNotPassed(t *testing.T) {
	t.Parallel()
	for value, holds := range map[string]bool{
		"http://proxy:3128":                          false,
		"https://proxy.golang.org,direct":            false,
		"http://me@proxy:3128":                       false,
		"http://me:pw@proxy:3128":                    true,
		"https://a.example,https://u:p@b.example|x":  true,
		"socks5://u:@host":                           true,
		"https://host/path:with@signs":               false,
		"https://host/?q=a:b@c":                      false,
		"/usr/bin:/home/me@work/bin":                 false,
		"https://a.example/x https://u:p%40q@b/path": true,
	} {
		assert.Equal(t, holds, holdsPassword(value), value)
	}
	from := []string{"HTTPS_PROXY=http://me:pw@proxy", "GOPROXY=https://u:p@x,direct"}
	assert.Empty(t, Environment{From: from}.List())
	assert.Equal(t, from[:1], Environment{From: from, Names: []string{"HTTPS_PROXY"}}.List())
}

func TestTheProgramSeesTheFilteredEnvironment(t *testing.T) {
	t.Parallel()
	c := act("env")
	c.Env.From = []string{"GOPATH=/go", "GITHUB_TOKEN=t0ken", "SystemRoot=C:\\Windows"}
	out := run1(t, c).Stdout.String()
	assert.Contains(t, out, "GOPATH=/go")
	assert.NotContains(t, out, "t0ken")
	assert.NotContains(t, out, "HOME=")
}
