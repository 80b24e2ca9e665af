// Package scaffold holds the extensions that authors begin with, and puts one
// into a project. The templates are real extensions, named my-tool with tools
// that begin with my_tool, so that tests can load, test and type-check them as
// they are; both names are replaced by the author's.
package scaffold
