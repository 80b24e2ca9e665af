// Package rustdoc finds items in folders of pages that rustdoc has written, and
// shows them, or one section or method of them, as Markdown.
//
// It is a package of its own because reading these pages, whose form differs
// from version to version, is a matter apart from the tool that offers it.
package rustdoc
