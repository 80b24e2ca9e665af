// Package memory has the tool memory: notes of an agent about a project, in a
// file of the project, which it finds again by their words. It is a package of
// its own so that only programs which want it carry a database.
//
// The file is .rho/memory.db, a SQLite database with a full-text index. Several
// processes may use it at once. A note that was stored is on the disk when the
// call returns. Secrets are taken out before a note is stored. What is deleted
// is gone, not hidden.
package memory
