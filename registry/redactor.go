package registry

// Redactor takes secrets out of text. It must be safe for concurrent use.
type Redactor interface {
	// Redact replaces every secret for good.
	Redact(text string) string
	// Mask replaces every secret by a placeholder. restore puts the secrets
	// back into text that holds placeholders of the same mask, also text that
	// was changed around them.
	Mask(text string) (masked string, restore func(string) string)
}
