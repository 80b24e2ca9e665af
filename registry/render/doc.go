// Package render shows the tools of a registry in the formats of model
// providers: OpenAI, Anthropic and Gemini, and of the Model Context Protocol.
//
// It is apart from package registry because providers change their formats, and
// what they take of JSON Schema, at times of their own; the contract between
// tools and agents does not change with them. Nothing here is needed to
// register, validate or run a tool: what a rendering cannot say, the door still
// enforces.
//
// Each function lists the tools in the order of the snapshot, with the author's
// order of keys, so that equal snapshots give equal bytes and providers can
// cache a prompt. The notes say what was lost on the way and where;
// docs/schema-support.md says why, provider by provider.
package render
