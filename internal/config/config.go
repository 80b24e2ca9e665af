// Package config reads the configuration: the user's own file, then the
// project's, which may only narrow what the user's allows.
//
// Reading is strict. What is unknown, of the wrong type or out of range is an
// error with its place; what a project's file may not say is a [Warning] and
// has no effect. Every value knows where it came from.
package config

import (
	"fmt"
	"time"
)

// FileName is the name of a configuration file in its folder.
const FileName = "config.toml"

// Action is what the policy says to a call.
type Action string

// The actions, from mild to strict.
const (
	Auto Action = "auto"
	Ask  Action = "ask"
	Deny Action = "deny"
)

// Config is a whole configuration. [Load] and [Default] make one.
type Config struct {
	Approval   Approval
	Extensions Extensions
	Shell      Shell
	Sandbox    Sandbox
	Network    Network
	Redaction  Redaction
	Memory     Memory
	Log        Log
	Secrets    Secrets
	// Settings are the values for settings of extensions, the user's before the
	// project's; see [Config.SettingsOf].
	Settings []ExtensionSetting

	origins map[string][]Origin // by key; of a list one per item
	files   []File
}

// Approval is the policy. Where no rule matches, the risk of the call decides.
type Approval struct {
	Read, Write, Network, Destructive Action

	// Rules are those of [approval.per_tool] and of [[approval.rule]], the
	// user's before the project's. Deny beats ask beats auto whatever their
	// order.
	Rules []Rule
}

// Rule is one sentence of the policy. An empty condition holds for every call.
type Rule struct {
	Action  Action
	Tool    string   // pattern of the tool's name, as of path.Match
	Effects []string // all of these are among the call's: read, write, net, run
	Owner   string   // pattern of the extension's id; "-" is the program itself
	Arg     string   // name of an argument that matches Match
	Match   string
	Key     string // where it stands: approval.rule, or approval.per_tool.NAME
	Origin  Origin
}

// Extensions says which extensions there are.
type Extensions struct {
	Enabled  []string // the only ones; empty means all
	Disabled []string // wins over Enabled
	Dirs     []string // further folders with extensions
}

// Shell changes what the tools that run commands refuse.
type Shell struct {
	DeniedCommands   []string
	DeniedFlagCombos [][]string // a command with all flags of one is refused
	AllowedCommands  []string   // taken off the built-in list
}

// Sandbox is how extensions run.
type Sandbox struct {
	Isolation   string // in-process or process; where nothing says so, run uses in-process
	CallTimeout time.Duration
	LoadTimeout time.Duration
}

// Network is how requests of extensions leave the machine. Whom they may reach
// is a matter of grants.
type Network struct {
	Proxy   string   // a URL, which may hold a password; or environment
	NoProxy []string // hosts that are reached without it
	CAFiles []string // of further certificate authorities, in PEM form
}

// Redaction is what is kept from models, hooks and logs.
type Redaction struct {
	Enabled        bool
	CustomPatterns []string // regular expressions in Go's syntax
}

// Memory is about the memory tools.
type Memory struct{ Enabled bool }

// Log is about log lines and the session log.
type Log struct {
	Level    string // debug, info, warn, error or off
	Session  bool
	MaxBytes int64
}

// Secrets is where the secrets of extensions are kept.
type Secrets struct {
	Store string // auto: the system's keychain, else a file; or file
}

// Source is the kind of place that a value comes from.
type Source string

// The sources. A later one wins, but the project's file may only narrow.
const (
	FromDefault     Source = "default"
	FromUser        Source = "user"   // the user's own file
	FromConfig      Source = "config" // the file that --config names, in place of the user's
	FromProject     Source = "project"
	FromEnvironment Source = "environment"
	FromFlag        Source = "flag"
)

// Origin is where a value comes from.
type Origin struct {
	Source Source `json:"source"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"` // 1-based
	Name   string `json:"name,omitempty"` // of the flag or variable
}

// String is the origin for people: a place, the name of a flag, or default.
func (o Origin) String() string {
	switch {
	case o.File != "":
		return fmt.Sprintf("%s:%d", o.File, o.Line)
	case o.Name != "":
		return o.Name
	}
	return string(o.Source)
}

// File is a place where a configuration file may be.
type File struct {
	Source Source `json:"source"`
	Path   string `json:"path"`
	Found  bool   `json:"found"`
}

// Files lists the places that [Load] looked at.
func (c *Config) Files() []File { return c.files }

// Origin tells where the value of a key comes from, such as of log.level. Of a
// list it is that of the first item.
func (c *Config) Origin(key string) Origin {
	if o := c.origins[key]; len(o) > 0 {
		return o[0]
	}
	return Origin{Source: FromDefault}
}

// Default is the configuration without any file.
func Default() *Config {
	return &Config{
		Approval:  Approval{Read: Auto, Write: Ask, Network: Ask, Destructive: Ask},
		Sandbox:   Sandbox{Isolation: "process", CallTimeout: 30 * time.Second, LoadTimeout: 5 * time.Second},
		Redaction: Redaction{Enabled: true},
		Log:       Log{Level: "info", Session: true, MaxBytes: 10 << 20},
		Secrets:   Secrets{Store: "auto"},
		origins:   map[string][]Origin{},
	}
}

// Warning is a line of the project's file that has no effect.
type Warning struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Key    string `json:"key"`
	Why    string `json:"why"`
}

// String is the warning in one line.
func (w Warning) String() string {
	return place(w.File, w.Line, w.Column) + w.Key + " is ignored: " + w.Why
}

// Override is a value from a flag or the environment. It is trusted as the
// user's own file is.
type Override struct {
	Key    string // such as sandbox.call_timeout
	Value  string // as it is typed; of a list one more item
	Source Source // FromFlag or FromEnvironment
	Name   string // such as --timeout
}

// Options say where to look.
type Options struct {
	// Home is the folder of the user's own file; empty means none.
	Home string
	// File is read in place of the user's own file, and must exist.
	File string
	// Root is the project's; empty means none.
	Root      string
	Overrides []Override
	// Suggest picks the candidate that a misspelt name probably meant, or "".
	Suggest func(name string, candidates []string) string
	// Frame draws the lines around a place in a text.
	Frame func(text string, line, column int) string
}
