package wire

import "encoding/json"

// LogRecord is the data of [OpLog].
type LogRecord struct {
	Level   string          `json:"level"` // trace, debug, info, warn or error
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// FilePath names one file or directory: relative to the project root, absolute,
// or from the home directory with a leading ~/.
type FilePath struct {
	Path string `json:"path"`
	// Max is how many bytes of a file are read at most; zero means the host's
	// own limit, which also bounds it.
	Max int64 `json:"max,omitempty"`
}

// WriteRequest is the data of [OpWriteFile]. Directories that are missing on
// the way are made.
type WriteRequest struct {
	Path   string `json:"path"`
	Append bool   `json:"append,omitempty"` // to the end, instead of replacing
}

// RenameRequest is the data of [OpRename].
type RenameRequest struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// GlobRequest is the data of [OpGlob].
type GlobRequest struct {
	Pattern string `json:"pattern"` // with * ? [] and **
}

// GlobResponse answers [OpGlob].
type GlobResponse struct {
	Paths []string `json:"paths"` // sorted
	More  bool     `json:"more,omitempty"`
}

// DirEntry is one line of the answer to [OpListDir].
type DirEntry struct {
	Name      string `json:"name"`
	Directory bool   `json:"isDirectory"`
	Link      bool   `json:"isSymlink"`
}

// FileInfo answers [OpStat].
type FileInfo struct {
	Size      int64   `json:"size"`
	ModTimeMS float64 `json:"mtimeMs"` // since 1970
	Directory bool    `json:"isDirectory"`
}

// ExecRequest is the data of [OpExec]. The payload is what the program reads.
type ExecRequest struct {
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Cwd       string   `json:"cwd,omitempty"`       // empty: the project root
	TimeoutMS float64  `json:"timeoutMs,omitempty"` // zero: the call's own deadline
	// Stream asks for the output while the program runs. Each piece of the
	// response's stream is then one frame: a byte that says what it is (see
	// [FrameStdout]) and its bytes; the last one is [FrameEnd] with the JSON of
	// an [ExecResponse] without output.
	Stream bool `json:"stream,omitempty"`
}

// The kinds of frames of a program that runs.
const (
	FrameStdout = 1
	FrameStderr = 2
	FrameEnd    = 3
)

// ExecResponse answers [OpExec].
type ExecResponse struct {
	ExitCode  int    `json:"exitCode"` // -1: ended by a signal
	Signal    string `json:"signal,omitempty"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	TimedOut  bool   `json:"timedOut,omitempty"`
	Truncated bool   `json:"truncated,omitempty"` // a middle part of the output was left out
}

// FetchRequest is the data of [OpFetch].
type FetchRequest struct {
	URL      string      `json:"url"`
	Method   string      `json:"method"`
	Headers  [][2]string `json:"headers,omitempty"`
	Redirect string      `json:"redirect,omitempty"` // follow (default), manual or error
	// Whole asks for the body in the response's payload instead of a stream,
	// of at most MaxBytes; zero means the host's limit, which also bounds it.
	Whole    bool  `json:"whole,omitempty"`
	MaxBytes int64 `json:"maxBytes,omitempty"`
}

// FetchResponse answers [OpFetch].
type FetchResponse struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	URL        string      `json:"url"` // the last one, after redirects
	Redirected bool        `json:"redirected"`
	Headers    [][2]string `json:"headers"`
}

// ToolRequest is the data of [OpCallTool].
type ToolRequest struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

// ToolResponse answers [OpCallTool]. That the tool failed is an answer, not an
// error.
type ToolResponse struct {
	Text       string          `json:"text"`
	IsError    bool            `json:"isError"`
	Structured json.RawMessage `json:"structured,omitempty"`
}

// EnvRequest is the data of [OpEnv].
type EnvRequest struct {
	Name string `json:"name"`
}

// EnvResponse answers [OpEnv]. A variable that was not granted is as one that
// is not set.
type EnvResponse struct {
	Value string `json:"value"`
	Set   bool   `json:"set"`
}

// StateRequest is the data of [OpState] and [OpSetState]: get and keys of the
// first, set and delete of the second.
type StateRequest struct {
	Do  string `json:"do"`
	Key string `json:"key,omitempty"`
}

// StateResponse answers a [StateRequest].
type StateResponse struct {
	Found bool     `json:"found,omitempty"` // by get and delete
	Keys  []string `json:"keys,omitempty"`  // by keys, sorted
}
