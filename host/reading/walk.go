package reading

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/unistring"
)

// maxDepth bounds the walk, and with it the compiler that comes after: both
// recurse, and a stack that overflows in Go ends the process.
const maxDepth = 10000

var errDepth = fmt.Errorf("nested too deeply: more than %d levels", maxDepth)

var (
	nodeType   = reflect.TypeFor[ast.Node]()
	stringType = reflect.TypeFor[unistring.String]()
)

// walk calls visit for every node below n, parents first, until visit says not
// to go deeper. The engine's ast package has no walk of its own.
func walk(n ast.Node, visit func(ast.Node) bool) error {
	w := walker{visit: visit}
	w.value(reflect.ValueOf(n), 0)
	return w.err
}

// children calls visit for the nodes right below n.
func children(n ast.Node, visit func(ast.Node)) {
	w := walker{}
	w.visit = func(m ast.Node) bool {
		visit(m)
		return false
	}
	if v := reflect.ValueOf(n); v.Kind() == reflect.Pointer && !v.IsNil() {
		w.fields(v.Elem(), 0)
	}
}

type walker struct {
	visit func(ast.Node) bool
	err   error
}

func (w *walker) value(v reflect.Value, depth int) {
	if w.err != nil {
		return
	}
	if depth > maxDepth {
		w.err = errDepth
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.value(v.Elem(), depth)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Type().Implements(nodeType) && !w.visit(v.Interface().(ast.Node)) {
			return
		}
		w.fields(v.Elem(), depth)
	case reflect.Struct:
		// A node held by value is seen by its address.
		if v.CanAddr() && v.Addr().Type().Implements(nodeType) && !w.visit(v.Addr().Interface().(ast.Node)) {
			return
		}
		w.fields(v, depth)
	case reflect.Slice:
		for i := range v.Len() {
			w.value(v.Index(i), depth)
		}
	}
}

func (w *walker) fields(v reflect.Value, depth int) {
	if v.Kind() != reflect.Struct {
		return
	}
	for _, i := range fieldsOf(v.Type()) {
		w.value(v.Field(i), depth+1)
	}
}

var fieldCache sync.Map // reflect.Type → []int

// fieldsOf lists the fields of t that can hold nodes.
func fieldsOf(t reflect.Type) []int {
	if f, ok := fieldCache.Load(t); ok {
		return f.([]int)
	}
	var out []int
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Name == "DeclarationList" || f.Name == "File" || f.Type == stringType {
			continue // declarations are listed a second time there
		}
		// The name behind a dot is no expression of its own.
		if t == reflect.TypeFor[ast.DotExpression]() && f.Name == "Identifier" {
			continue
		}
		switch f.Type.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice:
			out = append(out, i)
		}
	}
	fieldCache.Store(t, out)
	return out
}
