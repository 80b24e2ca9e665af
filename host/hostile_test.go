package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rho-ext/rho-ext/builtin"
	"github.com/rho-ext/rho-ext/host"
	"github.com/rho-ext/rho-ext/registry"
)

// hostile is a program that tries to hurt whoever runs it, and how it may end.
type hostile struct {
	name string
	do   string // the body of the function of its tool
	top  string // of its module
	more string // further tools
	// files, where set, are the extension as it is, which attacks when it is
	// loaded: paths in .rho/extensions.
	files func() map[string]string
	// ends are the ways in which it may end: done, denied, error for what the
	// code threw, or the kind or code of a failure. Of a load: loaded, or
	// refused.
	ends   string
	says   string        // what it returns where it is done, or a part of why it was refused
	within time.Duration // its deadline; zero means hostilePatience where it may not be late, else hostileDeadline
	allow  []string      // what is granted, which the manifest then asks for
	after  string        // how the next call of the extension's other tool may end; done where empty
	always bool          // it is tried in every run of the tests, see pick
}

const (
	hostileDeadline = 700 * time.Millisecond
	hostilePatience = 30 * time.Second // for what ends by itself, on a busy machine
	hostileLoad     = 2 * time.Second  // the deadline of a load
)

// hostileMargin is how late an answer may be: by a second, where the machine is
// ours alone.
var hostileMargin = func() time.Duration {
	if os.Getenv("RHO_LONG") != "" {
		return time.Second
	}
	return 15 * time.Second
}()

// hostilePrograms is all of them, by family.
func hostilePrograms() []hostile {
	return slices.Concat(deepPrograms, endlessPrograms, greedyPrograms, tallPrograms, patternPrograms, stormPrograms,
		answerPrograms, throwingPrograms, loudPrograms, pollutingPrograms, escapingPrograms, brokerPrograms, latePrograms,
		loadingPrograms, sourcePrograms)
}

// source is the module of an attack by a tool.
func (a hostile) source() string {
	async := ""
	if strings.Contains(a.do, "await ") {
		async = "async "
	}
	permissions := map[string][]string{}
	for _, grant := range a.allow {
		kind, target, _ := strings.Cut(grant, " ")
		if kind == "tool" {
			kind = "tools"
		}
		permissions[kind] = append(permissions[kind], target)
	}
	text, _ := json.Marshal(permissions)
	return a.top + "\nconst tool = (name: string, execute: any) => ({ name, description: \"d\", risk: \"destructive\", execute });\n" +
		"export default { name: \"x\", permissions: " + string(text) + ", tools: [tool(\"after\", () => \"pong\"), " + a.more +
		"{ name: \"attack\", description: \"d\", risk: \"destructive\", " + async + "execute(args: any, ctx: any) { " + a.do + "\n} }] };\n"
}

// calm is the extension that must not notice anything.
const calm = `export default { name: "calm", tools: [
  { name: "calm", description: "d", risk: "read", execute: async () => { await null; return rho.readFile("calm.txt") } }] };`

// trial is what became of one attack.
type trial struct {
	problems []string      // what must not have happened
	end      string        // how it ended
	said     string        // what came of it
	took     time.Duration // until it was answered
	calls    int           // that the calm extension answered meanwhile
	slowest  time.Duration // of those
}

func (r *trial) blame(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// try lets an attack loose on a host of its own, in an empty folder.
func (a hostile) try(root string, mode host.Isolation) (r trial) {
	place := func(name, text string) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
			if err != nil {
				r.blame("cannot write: %v", err)
			}
		}
	}
	const folder = ".rho/extensions/"
	place("calm.txt", "calm")
	place(folder+"calm.ts", calm)
	if a.files == nil {
		place(folder+"x.ts", a.source())
	}
	reg := registry.New()
	if err := builtin.Register(reg, builtin.Options{Root: root}); err != nil {
		r.blame("no built-in tools: %v", err)
	}
	allow, err := grants(root, a.allow...)
	if err != nil {
		r.blame("cannot grant: %v", err)
	}
	h, err := host.New(context.Background(), host.Options{
		Isolation: mode, Root: root, Trusted: true, UserDir: "-", Registry: reg, LoadTimeout: hostileLoad, Allow: allow,
	})
	if err != nil {
		r.blame("no host: %v", err)
		return r
	}
	defer h.Close()
	if list := h.Failures(); len(list) > 0 {
		r.blame("it does not load: %+v", list)
		return r
	}
	door := registry.NewDoor(reg, &registry.DoorOptions{ProjectRoot: root})
	call := func(tool string, within time.Duration) *registry.Outcome {
		return door.Call(context.Background(), registry.Request{Tool: tool, Arguments: json.RawMessage("{}"), Timeout: within})
	}
	beside := newBystander(call)
	begin := time.Now()
	deadline := a.within
	if a.files == nil {
		if deadline == 0 && slices.Contains(strings.Fields(a.ends), "timeout") {
			deadline = hostileDeadline
		} else if deadline == 0 {
			deadline = hostilePatience
		}
		begin = time.Now()
		out := call("attack", deadline)
		r.took = time.Since(begin)
		r.end, r.said = endOf(out)
	} else {
		if deadline == 0 {
			deadline = hostileLoad
		}
		for name, text := range a.files() {
			place(folder+name, text)
		}
		begin = time.Now()
		rep, err := h.Reload(context.Background())
		r.took = time.Since(begin)
		if r.end = "loaded"; err != nil {
			r.blame("no reload: %v", err)
		} else if len(rep.Failures) > 0 {
			r.end, r.said = "refused", string(rep.Failures[0].Stage)+": "+rep.Failures[0].Message
		}
	}
	beside.end(&r)
	if a.files == nil {
		want := a.after
		if want == "" {
			want = "done"
		}
		if end, said := endOf(call("after", 5*time.Second)); !slices.Contains(strings.Fields(want), end) || end == "done" && said != "pong" {
			r.blame("the next call ended as %s: %.200s", end, said)
		}
	}
	if limit := (deadline + hostileMargin) * slowness; r.took > limit {
		r.blame("it took %v, and may take %v", r.took, limit)
	}
	if !slices.Contains(strings.Fields(a.ends), r.end) {
		r.blame("it ended as %s: %.300s", r.end, r.said)
	} else if (r.end == "done" || r.end == "refused") && !strings.Contains(r.said, a.says) {
		r.blame("it said %.300s", r.said)
	}
	return r
}

func TestNoHostileProgramHurtsTheHostOrAnotherExtension(t *testing.T) {
	before := measure()
	var good atomic.Int64
	list := pick(hostilePrograms())
	t.Run("programs", func(t *testing.T) {
		two := make(chan struct{}, 2)
		for _, a := range list {
			t.Run(a.name, func(t *testing.T) {
				t.Parallel()
				two <- struct{}{}
				defer func() { <-two }()
				r := a.try(t.TempDir(), host.Process)
				t.Logf("%s (%.80s) after %v; %d calls beside it, the slowest took %v", r.end, r.said, r.took.Round(time.Millisecond), r.calls, r.slowest.Round(time.Millisecond))
				if len(r.problems) > 0 {
					t.Error(strings.Join(r.problems, "\n"))
					return
				}
				good.Add(1)
			})
		}
	})
	before.compare(t)
	fmt.Printf("hostile programs that hurt nobody, in process isolation: %d/%d\n", good.Load(), len(list))
}
