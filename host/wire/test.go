package wire

import "encoding/json"

// RunTest runs a part of a test file that was loaded with
// [LoadRequest.Test]. CallRequest.Tool says which part, and the value's
// Structured is its answer.
const RunTest Run = "test"

// The parts of a test file, as CallRequest.Tool names them. The comment gives
// the type of CallRequest.Args and of the answer.
const (
	TestBody      = "test"      // TestRef → TestResult; its beforeEach and afterEach with it
	TestBeforeAll = "beforeAll" // TestRef of a suite → TestResult
	TestAfterAll  = "afterAll"  // TestRef of a suite → TestResult
	TestFetch     = "fetch"     // TestFetchRequest → TestFetchResponse; while a test runs
	// TestClock is for the sandbox of an extension that is tested: TestTimeData →
	// nothing, once timers have fired that are due; or the ids of calls that run.
	TestClock = "clock"
)

// TestOptions make a sandbox one for a test file: it offers the module
// rho-ext/test, and its load collects tests instead of a manifest.
type TestOptions struct {
	// File is the name of the test file, with forward slashes.
	File string `json:"file"`
	// Snapshots are those of the snapshot file, by their keys.
	Snapshots map[string]string `json:"snapshots,omitempty"`
	// Update says what becomes of snapshots that differ or are new: "new" (or
	// empty) adds new ones, "all" also replaces what differs, "none" fails both.
	Update string `json:"update,omitempty"`
	// TimeoutMS and HookTimeoutMS are the deadlines of tests and hooks that
	// name none.
	TimeoutMS     float64 `json:"timeoutMs"`
	HookTimeoutMS float64 `json:"hookTimeoutMs"`
}

// TestNode is a suite or a test of a test file. The root is a suite without a
// name, and has id 0.
type TestNode struct {
	ID         int      `json:"id"`
	Name       string   `json:"name"`
	Suite      bool     `json:"suite,omitempty"`
	Mode       string   `json:"mode,omitempty"` // run where empty, skip, only or todo; its own, not what it inherits
	Concurrent bool     `json:"concurrent,omitempty"`
	Sequential bool     `json:"sequential,omitempty"` // in a concurrent suite
	TimeoutMS  float64  `json:"timeoutMs,omitempty"`  // of a test; zero is the default
	Location   Position `json:"location"`
	// BeforeAll and AfterAll say that the suite has such hooks.
	BeforeAll bool       `json:"beforeAll,omitempty"`
	AfterAll  bool       `json:"afterAll,omitempty"`
	Children  []TestNode `json:"children,omitempty"` // in the order of the file
}

// TestRef names a node.
type TestRef struct {
	ID int `json:"id"`
}

// TestResult is how a part of a test file ended.
type TestResult struct {
	State      string         `json:"state"`          // pass, fail or skip (by the test itself)
	Note       string         `json:"note,omitempty"` // why it was skipped
	Errors     []TestError    `json:"errors,omitempty"`
	Snapshots  []TestSnapshot `json:"snapshots,omitempty"` // those that were looked at
	Assertions int            `json:"assertions"`
	Retries    int            `json:"retries,omitempty"` // attempts before the last
}

// TestError is one thing that failed.
type TestError struct {
	Name     string `json:"name"` // class of the error, such as AssertionError
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	In       string `json:"in,omitempty"` // the hook that failed, such as beforeEach; empty: the test's function
	Diff     string `json:"diff,omitempty"`
	Expected string `json:"expected,omitempty"` // as text, where there is something to compare
	Actual   string `json:"actual,omitempty"`
	// Stack is innermost first, with places in the author's files.
	Stack []Position `json:"stack,omitempty"`
	Cause *TestError `json:"cause,omitempty"`
}

// TestSnapshot is one use of a snapshot.
type TestSnapshot struct {
	Key    string `json:"key,omitempty"` // of the snapshot file; empty: it is inline
	Status string `json:"status"`        // matched, added, updated, or failed
	Text   string `json:"text,omitempty"`
	// Place is that of the matcher's call, for inline snapshots.
	Place *Position `json:"place,omitempty"`
}

// OpTest asks the test runner for something: TestRequest → what it gives.
const OpTest Op = "test"

// The things that a test can ask of its runner, as [TestRequest.Do] names them.
// The comment gives the type of TestRequest.Data and of the answer.
const (
	TestPhase    = "phase"    // TestPhaseData → nothing: a hook or the test's function begins
	TestCallTool = "tool"     // TestToolCall → registry.Outcome as run --json prints it
	TestCallHook = "hook"     // TestHookCall → HookDecision, or null
	TestCommand  = "command"  // TestCommandCall → TestCommandResult
	TestComplete = "complete" // TestCommandCall → list of texts
	TestEnv      = "env"      // TestEnvData → nothing
	TestSettings = "settings" // object of names and values; null takes one away → nothing
	TestTime     = "time"     // TestTimeData → nothing
	TestCassette = "cassette" // TestCassetteRef → TestCassetteData
	TestProject  = "project"  // TestProjectRef → TestProjectData
)

// TestRequest is the data of [OpTest].
type TestRequest struct {
	Do   string          `json:"do"`
	Data json.RawMessage `json:"data,omitempty"`
}

// TestPhaseData says how long the next part of a test may take, so that code
// which never gives way is stopped then.
type TestPhaseData struct {
	Name      string  `json:"name"` // beforeEach, test, afterEach, …
	TimeoutMS float64 `json:"timeoutMs"`
}

// TestToolCall asks for a call of a tool through the door.
type TestToolCall struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
	// CallID and Values are those of the call; both may be left out.
	CallID    string                     `json:"callId,omitempty"`
	Values    map[string]json.RawMessage `json:"values,omitempty"`
	TimeoutMS float64                    `json:"timeoutMs,omitempty"`
}

// TestHookCall asks what the hooks of the extension decide about an event.
type TestHookCall struct {
	Hook  string          `json:"hook"` // onToolCall, onToolResult, onBeforeModel or onLoad
	Event json.RawMessage `json:"event,omitempty"`
}

// TestCommandCall runs a command, or completes its text.
type TestCommandCall struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// TestCommandResult is what a command gave.
type TestCommandResult struct {
	Text    string `json:"text"`
	IsError bool   `json:"isError"`
}

// TestEnvData sets a variable for the extension until the test ends.
type TestEnvData struct {
	Name  string  `json:"name"`
	Value *string `json:"value"` // null: as if it were not set
}

// TestTimeData moves the clock of the extension under test.
type TestTimeData struct {
	Fake      bool     `json:"fake"`                // false: back to the real one
	NowMS     *float64 `json:"nowMs,omitempty"`     // since 1970, where it is set
	AdvanceMS float64  `json:"advanceMs,omitempty"` // by how much it moves on
	// After is how many calls of tools the test had made before. They have begun
	// when the clock moves, in whatever order the requests arrive.
	After int `json:"after,omitempty"`
	// Ask asks which calls run, and moves nothing.
	Ask bool `json:"ask,omitempty"`
}

// TestCassetteRef names a recording: a file of __fixtures__ beside the test.
type TestCassetteRef struct {
	Name string `json:"name"`
}

// TestCassetteData is a recording as the runner has it.
type TestCassetteData struct {
	Mode    string          `json:"mode"`              // replay or record
	Entries []CassetteEntry `json:"entries,omitempty"` // null where there is no file
	Found   bool            `json:"found"`
	Path    string          `json:"path"` // for messages
}

// CassetteEntry is one request of a recording and its answer.
type CassetteEntry struct {
	Match    CassetteMatch    `json:"match"`
	Response CassetteResponse `json:"response"`
	Times    int              `json:"times,omitempty"` // how often it answers; zero is once
}

// CassetteMatch says which requests an entry answers.
type CassetteMatch struct {
	Method    string            `json:"method"`
	URL       string            `json:"url,omitempty"`
	URLPrefix string            `json:"url_prefix,omitempty"`
	Query     map[string]string `json:"query,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Body      string            `json:"body,omitempty"`
}

// CassetteResponse is the answer of an entry. One of the bodies at most is set.
type CassetteResponse struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       string            `json:"body,omitempty"`
	BodyJSON   json.RawMessage   `json:"body_json,omitempty"`
	BodyBase64 string            `json:"body_base64,omitempty"`
}

// TestFetchRequest is a request of the extension or of the test file itself,
// which the test's mocks may answer.
type TestFetchRequest struct {
	Test    int         `json:"test"` // id of the test
	URL     string      `json:"url"`
	Method  string      `json:"method"`
	Headers [][2]string `json:"headers,omitempty"`
	Body    string      `json:"body,omitempty"` // base64
}

// TestFetchResponse is the mocks' answer.
type TestFetchResponse struct {
	Status     int         `json:"status,omitempty"`
	StatusText string      `json:"statusText,omitempty"`
	Headers    [][2]string `json:"headers,omitempty"`
	Body       string      `json:"body,omitempty"` // base64
	// Error, where set, fails the request instead.
	Error string `json:"error,omitempty"`
	// Unmatched says that no mock answers it, and why, with what is closest.
	Unmatched string `json:"unmatched,omitempty"`
	// Pass lets it through to the network. What comes of it becomes a new entry
	// of the cassette of this name.
	Pass string `json:"pass,omitempty"`
}

// TestProjectRef is something to do in the temporary project of a test.
type TestProjectRef struct {
	Do     string `json:"do"` // write, read, list, remove or root
	Path   string `json:"path,omitempty"`
	Base64 string `json:"base64,omitempty"` // the bytes to write
}

// TestProjectData answers a [TestProjectRef].
type TestProjectData struct {
	Base64 string   `json:"base64,omitempty"` // of read
	Paths  []string `json:"paths,omitempty"`  // of list, sorted
	Found  bool     `json:"found,omitempty"`
	Root   string   `json:"root,omitempty"`
}
