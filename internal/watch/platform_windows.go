package watch

// identity tells a file from another one in its place. Its time has to do here.
func identity(string) string { return "" }
