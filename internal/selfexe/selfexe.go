// Package selfexe lets tests say which program stands for this one where it
// starts itself again as a worker.
package selfexe

// Override, where it is not empty, is the path of the program. It must be built
// from the same source. Only tests set it, before anything is started.
var Override string
