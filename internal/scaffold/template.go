package scaffold

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed all:templates
var templates embed.FS

// Template is an extension to begin with.
type Template struct {
	Name    string
	Summary string
	tools   []string
}

// Templates are all of them; the first is the default.
var Templates = []Template{
	{Name: "tool", Summary: "one tool that reads a file of the project", tools: []string{"my_tool"}},
	{Name: "fetch", Summary: "one tool that asks a server", tools: []string{"my_tool"}},
	{Name: "hooks", Summary: "a guard that sees other tools' calls and can stop them"},
	{Name: "command", Summary: "a command for people, with a state that lasts"},
	{Name: "multi", Summary: "two tools in several files", tools: []string{"my_tool_add", "my_tool_list"}},
}

// TemplateNames lists their names.
func TemplateNames() (names []string) {
	for _, t := range Templates {
		names = append(names, t.Name)
	}
	return names
}

// Find gives the template of a name.
func Find(name string) (Template, bool) {
	i := slices.IndexFunc(Templates, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return Template{}, false
	}
	return Templates[i], true
}

// Tools are the names that the tools of an extension made from it have.
func (t Template) Tools(extension string) (names []string) {
	for _, tool := range t.tools {
		names = append(names, named(tool, extension))
	}
	return names
}

// File is a file of an extension; its path is relative to the extension's folder,
// with forward slashes.
type File struct {
	Path string
	Text string
}

// TypesFile is where the type declarations are in an extension.
const TypesFile = "rho-ext.d.ts"

// Files are those of an extension made from it, by their paths. types is the text
// of [TypesFile].
func (t Template) Files(extension, types string) []File {
	files := []File{{TypesFile, types}}
	for _, dir := range []string{"shared", t.Name} {
		entries, err := templates.ReadDir(path.Join("templates", dir))
		if err != nil {
			panic(err) // it is part of this program
		}
		for _, e := range entries {
			text, err := fs.ReadFile(templates, path.Join("templates", dir, e.Name()))
			if err != nil {
				panic(err)
			}
			files = append(files, File{e.Name(), named(string(text), extension)})
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// named puts the author's names in place of the template's.
func named(text, extension string) string {
	return strings.NewReplacer("my-tool", extension, "my_tool", Snake(extension)).Replace(text)
}
