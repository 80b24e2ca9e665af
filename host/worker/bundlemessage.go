package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rho-ext/rho-ext/host/bundle"
	"github.com/rho-ext/rho-ext/host/wire"
)

// The frames of a bundler, besides hello and ready.
const (
	kindBuild kind = "build" // from the host: buildMessage, the options' texts
	kindBuilt kind = "built" // builtMessage, script, source map, the texts of the rest, the details
)

// Names of files and sources are bytes, not always text that JSON could hold:
// they travel beside it.

type buildMessage struct {
	Timeout time.Duration
	Again   bool `json:",omitempty"`
	Details bool `json:",omitempty"`
}

func buildFrame(id uint64, o bundle.Options) (*frame, error) {
	return message(header{Kind: kindBuild, ID: id}, buildMessage{o.Timeout, o.Again, o.Details}, pack(o.ID, o.Entry, o.Root, o.Limit))
}

// buildOptions reads what to build. The virtual modules are not sent: this
// program has the same.
func (f *frame) buildOptions(modules map[string]string) (o bundle.Options, err error) {
	var m buildMessage
	if err := json.Unmarshal(f.part(0), &m); err != nil {
		return o, err
	}
	texts, err := unpack(f.part(1))
	if err != nil || len(texts) != 4 {
		return o, errors.Join(errFrame, err)
	}
	return bundle.Options{ID: texts[0], Entry: texts[1], Root: texts[2], Limit: texts[3], Modules: modules, Timeout: m.Timeout, Again: m.Again, Details: m.Details}, nil
}

type builtMessage struct {
	Hash       string
	Content    string         `json:",omitempty"`
	Failures   []wire.Failure // without their texts
	Unfinished bool
}

func builtFrame(id uint64, out bundle.Outcome) (*frame, error) {
	m := builtMessage{Hash: out.Hash, Content: out.Content, Unfinished: out.Unfinished}
	var texts []string
	for _, f := range out.Failures {
		texts = append(texts, f.Position.File, f.Message, f.Hint)
		f.Position.File, f.Message, f.Hint = "", "", ""
		m.Failures = append(m.Failures, f)
	}
	return message(header{Kind: kindBuilt, ID: id}, m, out.Script, out.SourceMap,
		pack(texts...), pack(out.Inputs...), pack(pairs(out.Sources)...), pack(pairs(out.Aliases)...), out.Meta, out.Map)
}

func (f *frame) outcome() (out bundle.Outcome, err error) {
	var m builtMessage
	if err := json.Unmarshal(f.part(0), &m); err != nil {
		return out, err
	}
	var lists [4][]string
	for i := range lists {
		if lists[i], err = unpack(f.part(3 + i)); err != nil {
			return out, err
		}
	}
	texts := lists[0]
	if len(texts) != 3*len(m.Failures) {
		return out, fmt.Errorf("%d texts of %d failures", len(texts), len(m.Failures))
	}
	for i := range m.Failures {
		one := &m.Failures[i]
		one.Position.File, one.Message, one.Hint = texts[3*i], texts[3*i+1], texts[3*i+2]
	}
	out = bundle.Outcome{Script: f.part(1), SourceMap: f.part(2), Hash: m.Hash, Graph: bundle.Graph{Inputs: lists[1], Content: m.Content}, Failures: m.Failures, Unfinished: m.Unfinished, Meta: f.part(7), Map: f.part(8)}
	if out.Sources, err = unpair(lists[2]); err == nil {
		out.Aliases, err = unpair(lists[3])
	}
	return out, err
}

// pack puts texts one behind the other, each after its length.
func pack(texts ...string) []byte {
	n := 0
	for _, t := range texts {
		n += len(t) + binary.MaxVarintLen32
	}
	out := make([]byte, 0, n)
	for _, t := range texts {
		out = append(binary.AppendUvarint(out, uint64(len(t))), t...)
	}
	return out
}

func unpack(data []byte) (texts []string, err error) {
	for len(data) > 0 {
		n, used := binary.Uvarint(data)
		if used <= 0 || n > uint64(len(data)-used) {
			return nil, errors.New("a list of texts that is cut off")
		}
		data = data[used:]
		texts = append(texts, string(data[:n]))
		data = data[n:]
	}
	return texts, nil
}

func pairs(m map[string]string) (texts []string) {
	for k, v := range m {
		texts = append(texts, k, v)
	}
	return texts
}

func unpair(texts []string) (map[string]string, error) {
	if len(texts)%2 != 0 {
		return nil, errors.New("a name without its text")
	}
	m := make(map[string]string, len(texts)/2)
	for i := 0; i < len(texts); i += 2 {
		m[texts[i]] = texts[i+1]
	}
	return m, nil
}
