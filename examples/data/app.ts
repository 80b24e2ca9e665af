// TODO: read the port from the environment
const port = 8080;

/* FIXME(kim): this breaks
 * on Windows */
console.log(`// TODO: not a comment, port ${port}`);
