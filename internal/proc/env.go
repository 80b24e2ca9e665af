package proc

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Environment says what a program sees of the environment: the variables of a
// fixed list that programs and toolchains need, those named in Names, and those
// of Set. Keys, tokens and all the rest stay here.
type Environment struct {
	// From is what is filtered, as NAME=value; nil means the environment of this
	// process.
	From []string
	// Names are passed as well, whatever they look like. They are exact names.
	Names []string
	// Set is put on top.
	Set map[string]string
}

// kept are the names that are passed. A star stands for anything.
var kept = names(`
	PATH HOME USER LOGNAME SHELL PWD LANG LANGUAGE LC_* TZ TZDIR TMPDIR TEMP TMP TERM COLORTERM NO_COLOR CLICOLOR HOSTNAME
	XDG_* LD_LIBRARY_PATH DYLD_LIBRARY_PATH

	SystemRoot SystemDrive windir ComSpec PATHEXT OS USERNAME USERDOMAIN COMPUTERNAME USERPROFILE HOMEDRIVE HOMEPATH
	APPDATA LOCALAPPDATA ProgramData ALLUSERSPROFILE PUBLIC ProgramFiles ProgramFiles(x86) ProgramW6432
	CommonProgramFiles CommonProgramFiles(x86) CommonProgramW6432 PSModulePath
	NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE PROCESSOR_ARCHITEW6432 PROCESSOR_IDENTIFIER PROCESSOR_LEVEL PROCESSOR_REVISION
	INCLUDE LIB LIBPATH VCINSTALLDIR VSINSTALLDIR VCToolsInstallDir VisualStudioVersion WindowsSdkDir WindowsSDKVersion UCRTVersion UniversalCRTSdkDir

	HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY
	SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO NIX_SSL_CERT_FILE CARGO_HTTP_CAINFO

	CARGO CARGO_HOME CARGO_TARGET_DIR CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_TERM_COLOR CARGO_BUILD_JOBS CARGO_BUILD_TARGET CARGO_BUILD_RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
	RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTUP_DIST_SERVER RUSTUP_UPDATE_ROOT RUSTC RUSTC_WRAPPER RUSTDOC RUSTFLAGS RUSTDOCFLAGS RUST_BACKTRACE RUST_LOG RUST_MIN_STACK
	GOROOT GOPATH GOBIN GOCACHE GOCACHEPROG GOMODCACHE GOFLAGS GOENV GOPROXY GONOPROXY GOPRIVATE GOSUMDB GONOSUMDB GOINSECURE GOVCS GOTOOLCHAIN GOWORK GO111MODULE
	GOOS GOARCH GOARM GOARM64 GOAMD64 GO386 GOEXPERIMENT GODEBUG GOTMPDIR GOMAXPROCS GOMEMLIMIT GOGC
	CGO_ENABLED CGO_CFLAGS CGO_CPPFLAGS CGO_CXXFLAGS CGO_LDFLAGS
	CC CXX CPP AR LD AS NM RANLIB STRIP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH
	PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR MAKEFLAGS CMAKE_PREFIX_PATH CMAKE_GENERATOR CMAKE_BUILD_PARALLEL_LEVEL
	CCACHE_DIR SCCACHE_DIR LIBCLANG_PATH LLVM_CONFIG_PATH PROTOC
	SDKROOT DEVELOPER_DIR MACOSX_DEPLOYMENT_TARGET HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES
	JAVA_HOME JDK_HOME JRE_HOME M2_HOME MAVEN_HOME MAVEN_OPTS GRADLE_HOME GRADLE_USER_HOME GRADLE_OPTS KOTLIN_HOME SCALA_HOME SDKMAN_DIR
	ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME ANDROID_NDK_ROOT FLUTTER_ROOT PUB_CACHE
	NVM_DIR NVM_BIN NODE_PATH NODE_ENV NODE_OPTIONS FNM_DIR VOLTA_HOME N_PREFIX ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR PNPM_HOME YARN_CACHE_FOLDER COREPACK_HOME BUN_INSTALL DENO_DIR DENO_INSTALL
	VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONIOENCODING PYTHONUTF8 PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYENV_ROOT CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE
	PIP_CACHE_DIR PIPX_HOME POETRY_HOME UV_CACHE_DIR UV_PYTHON
	RBENV_ROOT GEM_HOME GEM_PATH BUNDLE_PATH RUBYLIB DOTNET_ROOT DOTNET_CLI_HOME NUGET_PACKAGES COMPOSER_HOME
	GHCUP_INSTALL_BASE_PREFIX CABAL_DIR STACK_ROOT OPAMROOT OPAM_SWITCH_PREFIX MIX_HOME HEX_HOME ERL_LIBS JULIA_DEPOT_PATH ZIG_GLOBAL_CACHE_DIR
`)

// secret are names that are not passed even where the list above would.
var secret = names(`
	*TOKEN* *SECRET* *PASSWORD* *PASSWD* *PASSPHRASE* *CREDENTIAL* *APIKEY* *PRIVATE_KEY* *ACCESS_KEY* *_KEY *_KEYS KEY
	*_PASS *_PWD *_PW *_PAT *_AUTH *_AUTHORIZATION *_COOKIE *_DSN *_SIGNATURE *_CERT_PEM *_JWT *_BEARER
	AWS_* AZURE_* GCP_* GOOGLE_* GCLOUD_* DIGITALOCEAN_* CLOUDFLARE_* HEROKU_* VAULT_* OPENAI_* ANTHROPIC_* GEMINI_* GITHUB_* GITLAB_*
	SSH_* GPG_* NETRC PGPASSFILE DOCKER_AUTH_CONFIG KUBECONFIG
`)

// A nameList holds names in capitals: exact ones, and patterns with stars.
type nameList struct {
	exact    map[string]bool
	patterns []pattern
}

type pattern struct {
	text       string
	head, tail bool // it may begin, or end, with something else
}

func names(text string) nameList {
	l := nameList{exact: map[string]bool{}}
	for _, name := range strings.Fields(strings.ToUpper(text)) {
		p := pattern{strings.Trim(name, "*"), strings.HasPrefix(name, "*"), strings.HasSuffix(name, "*")}
		if p.head || p.tail {
			l.patterns = append(l.patterns, p)
		} else {
			l.exact[name] = true
		}
	}
	return l
}

func (l nameList) has(name string) bool {
	name = strings.ToUpper(name)
	return l.exact[name] || slices.ContainsFunc(l.patterns, func(p pattern) bool {
		switch {
		case p.head && p.tail:
			return strings.Contains(name, p.text)
		case p.head:
			return strings.HasSuffix(name, p.text)
		}
		return strings.HasPrefix(name, p.text)
	})
}

// Passed reports whether a variable of this name is passed without being named.
func Passed(name string) bool {
	if !foldNames && name != strings.ToUpper(name) && !strings.HasSuffix(name, "_proxy") {
		return false // Unix knows one name in small letters from the same in capitals
	}
	return kept.has(name) && !LooksSecret(name)
}

// LooksSecret reports whether a variable of this name usually holds a key, a
// password or the way to one.
func LooksSecret(name string) bool { return secret.has(name) }

// holdsPassword reports whether a value has a URL with a password in it, as
// proxies and package indexes do.
func holdsPassword(value string) bool {
	for {
		_, rest, found := strings.Cut(value, "://")
		if !found {
			return false
		}
		authority := rest
		if i := strings.IndexAny(rest, "/?#,| \t\n"); i >= 0 {
			authority = rest[:i]
		}
		if i := strings.LastIndexByte(authority, '@'); i >= 0 && strings.Contains(authority[:i], ":") {
			return true
		}
		value = rest
	}
}

// List is the environment that a program gets, sorted, each name once.
func (e Environment) List() []string {
	from := e.From
	if from == nil {
		from = os.Environ()
	}
	found := map[string]string{} // by folded name
	for _, v := range from {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" || strings.ContainsRune(v, 0) {
			continue // Windows keeps the current directories of its drives as =C:
		}
		named := slices.ContainsFunc(e.Names, func(n string) bool { return sameName(n, name) })
		if named || Passed(name) && !holdsPassword(value) {
			found[foldName(name)] = v
		}
	}
	for name, value := range e.Set {
		if validVar(name, value) {
			found[foldName(name)] = name + "=" + value
		}
	}
	return slices.Sorted(maps.Values(found))
}

func validVar(name, value string) bool {
	return name != "" && !strings.ContainsAny(name, "=\x00") && !strings.ContainsRune(value, 0)
}

const foldNames = runtime.GOOS == "windows"

func foldName(name string) string {
	if foldNames {
		return strings.ToUpper(name)
	}
	return name
}

func sameName(a, b string) bool { return foldName(a) == foldName(b) }

func lookupVar(env []string, name string) string {
	for _, v := range env {
		if n, value, _ := strings.Cut(v, "="); sameName(n, name) {
			return value
		}
	}
	return ""
}

func setVar(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(v string) bool {
		n, _, _ := strings.Cut(v, "=")
		return sameName(n, name)
	})
	return append(env, name+"="+value)
}
