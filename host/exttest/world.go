package exttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/host/permission"
	"github.com/rho-ext/rho-ext/registry"
)

// world is where the extension under test lives: a host in an empty project.
type world struct {
	file *fileRun
	dir  string // holds project and home
	host *host.Host
	reg  *registry.Registry
	door *registry.Door
	used bool
	test atomic.Pointer[testRun] // that it serves

	mu       sync.Mutex
	running  map[string]bool // calls, by id
	env      map[string]string
	settings map[string]json.RawMessage
}

// takeWorld gives a world as new.
func (f *fileRun) takeWorld(ctx context.Context, t *testRun) (*world, error) {
	f.mu.Lock()
	var w *world
	if n := len(f.worlds); n > 0 {
		w, f.worlds = f.worlds[n-1], f.worlds[:n-1]
	}
	f.mu.Unlock()
	if w == nil {
		return f.newWorld(ctx, t)
	}
	w.test.Store(t)
	if err := w.renew(); err != nil {
		return nil, err
	}
	return w, nil
}

func (f *fileRun) giveBack(w *world) {
	w.test.Store(nil)
	w.used = true
	f.mu.Lock()
	defer f.mu.Unlock()
	f.worlds = append(f.worlds, w)
}

// project is the root that extensions see.
func (w *world) project() string { return filepath.Join(w.dir, "project") }

func (w *world) home() string { return filepath.Join(w.dir, "home") }

// whole are the kinds of permissions that count as granted: behind them is
// nothing but what the test has made up.
var whole = []permission.Kind{
	permission.KindNet, permission.KindRead, permission.KindWrite, permission.KindEnv, permission.KindTool, permission.KindHook,
}

func (f *fileRun) newWorld(ctx context.Context, t *testRun) (*world, error) {
	dir, err := f.runner.scratch()
	if err != nil {
		return nil, err
	}
	w := &world{file: f, dir: dir, reg: registry.New()}
	w.test.Store(t)
	for _, d := range []string{w.project(), w.home()} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return nil, err
		}
	}
	if err := builtin.Register(w.reg, builtin.Options{Root: w.project()}); err != nil {
		return nil, err
	}
	w.host, err = host.New(ctx, host.Options{
		Engine: f.runner.engine, Root: w.project(), CodeRoot: f.opts.Root, UserDir: "-", Home: w.home(),
		Dirs: []string{f.file.Folder}, Enabled: f.file.enabled, Registry: w.reg, LoadTimeout: f.opts.LoadTimeout,
		Allow: f.opts.Allow, Whole: whole, Transport: w, Environ: w.variable, Settings: w.configured, Secrets: w.secret,
		Logger: newLogger(w),
	})
	if err != nil {
		return nil, err
	}
	w.door = registry.NewDoor(w.reg, &registry.DoorOptions{ProjectRoot: w.project(), Policy: f.runner.policy()})
	f.mu.Lock()
	f.all = append(f.all, w)
	f.mu.Unlock()
	return w, nil
}

// policy lets every call run but those of built-in tools that would reach past
// the temporary project: they know no grants.
func (r *Runner) policy() *registry.Policy {
	var rules []registry.Rule
	for _, e := range []registry.Effects{registry.EffectRun, registry.EffectNet} {
		rules = append(rules, registry.Rule{Action: registry.Deny, Owner: "-", Effects: e, Source: "rho-ext test, where built-in tools start no program and reach no network"})
	}
	p, err := registry.NewPolicy(registry.PolicyOptions{Rules: append(rules, registry.Rule{Action: registry.Auto})})
	if err != nil {
		panic(err) // the rules above
	}
	return p
}

// renew makes a world that was used as new.
func (w *world) renew() error {
	if !w.used {
		return nil
	}
	w.host.Renew()
	w.mu.Lock()
	w.env, w.settings = nil, nil
	w.mu.Unlock()
	return errors.Join(empty(w.project()), empty(w.home()))
}

// empty removes what is in a folder, and not the folder, which is held open.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

func (w *world) close() {
	_ = w.host.Close()
	_ = w.reg.Swap("", nil)
	_ = os.RemoveAll(w.dir)
}

// broken says why the extension is not there.
func (w *world) broken() error {
	for _, f := range w.host.Failures() {
		return fmt.Errorf("the extension %s does not load: %w", f.Extension, &f)
	}
	return nil
}

// variable is the environment of the extension: what the test has set, and what
// the user allows.
func (w *world) variable(name string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v, ok := w.env[name]; ok {
		return v, true
	}
	if w.file.opts.allowsVariable(name) {
		return os.LookupEnv(name)
	}
	return "", false
}

func (w *world) setVariable(name string, value *string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if value == nil {
		delete(w.env, name)
		return
	}
	if w.env == nil {
		w.env = map[string]string{}
	}
	w.env[name] = *value
}

// configured are the settings of the extension: what the test has set.
func (w *world) configured(host.SettingsKey) map[string]json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[string]json.RawMessage, len(w.settings))
	for k, v := range w.settings {
		out[k] = v
	}
	return out
}

func (w *world) secret(_ context.Context, _ host.SettingsKey, name string) (string, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var text string
	if err := json.Unmarshal(w.settings[name], &text); err != nil {
		return "", false, nil // none, or no text
	}
	return text, true, nil
}

func (w *world) configure(values map[string]json.RawMessage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for k, v := range values {
		if string(v) == "null" {
			delete(w.settings, k)
			continue
		}
		if w.settings == nil {
			w.settings = map[string]json.RawMessage{}
		}
		w.settings[k] = v
	}
}
