// Package host loads extensions and makes their tools stand beside built-in
// ones in a registry.
//
//	func main() {
//		host.WorkerMain()
//		// …
//		h, err := host.New(ctx, host.Options{Root: "/path/to/project", Registry: reg})
//		if err != nil {
//			return err
//		}
//		defer h.Close()
//
// A host finds extensions ([Options] says where), bundles each into one script,
// evaluates it in a sandbox of its own and registers its tools as [JSTool]. What
// is wrong with an extension is a [Failure], never an error of the host, and
// never hides another extension.
//
// In [Process] isolation, the default, bundling and running happen in worker
// processes: this program started again, which is what [WorkerMain] is for. No
// code of an extension can take this program down then. [InProcess] isolation
// does the same in this process, with the same surface and guards.
package host
