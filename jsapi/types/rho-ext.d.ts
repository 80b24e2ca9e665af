// Types for rho-ext extensions: the module "rho-ext" and the globals of the
// sandbox. Needs no library but ES2023 ("lib": ["ES2023"]).

declare module "rho-ext" {
  export type Risk = "read" | "write" | "network" | "destructive";

  /** A schema. At run time it IS a JSON Schema object (JSON.stringify-able). */
  export interface Schema<T = unknown, Optional extends boolean = boolean> {
    readonly "~type"?: T;
    readonly "~optional"?: Optional;
    /** The same schema with a description for the model. */
    describe(text: string): Schema<T, Optional>;
    /** The same schema for a property that may be absent. */
    optional(): Schema<T | undefined, true>;
    /** The same schema for a property that has this value when it is absent. Call it last. */
    default(value: T): Schema<T, true>;
  }
  export type Infer<S> = S extends Schema<infer T, boolean> ? T : never;
  type OptKeys<P> = { [K in keyof P]: P[K] extends Schema<unknown, true> ? (undefined extends Infer<P[K]> ? K : never) : never }[keyof P];
  type Flat<T> = { [K in keyof T]: T[K] } & {};
  export type InferProps<P> = Flat<{ [K in Exclude<keyof P, OptKeys<P>>]: Infer<P[K]> } & { [K in OptKeys<P>]?: Infer<P[K]> }>;
  type S1<T> = Schema<T, false>;

  /** Builds schemas. */
  export const s: {
    string(options?: { minLength?: number; maxLength?: number; pattern?: string; format?: "uri" | "date-time" | "email" }): S1<string>;
    number(options?: { minimum?: number; maximum?: number }): S1<number>;
    integer(options?: { minimum?: number; maximum?: number }): S1<number>;
    boolean(): S1<boolean>;
    enum<const V extends readonly (string | number)[]>(values: V): S1<V[number]>;
    array<T>(items: Schema<T, boolean>, options?: { minItems?: number; maxItems?: number }): S1<T[]>;
    /** An object that has no other properties than these. */
    object<P extends Record<string, Schema>>(props: P): S1<InferProps<P>>;
    record<T>(values: Schema<T, boolean>): S1<Record<string, T>>;
    union<const U extends readonly Schema[]>(of: U): S1<Infer<U[number]>>;
    /** Takes a JSON Schema as it is. */
    json<T = unknown>(schema: object): S1<T>;
  };

  /** rho's shorthand for one parameter. */
  export interface ParamDef {
    type: "string" | "number" | "integer" | "boolean";
    description?: string;
    required?: boolean;
  }
  type TypeOf<K> = K extends "string" ? string : K extends "boolean" ? boolean : number;
  type ShortArgs<P> = Flat<
    { -readonly [K in keyof P as P[K] extends { required: true } ? K : never]: P[K] extends { type: infer K2 } ? TypeOf<K2> : never } &
    { -readonly [K in keyof P as P[K] extends { required: true } ? never : K]?: P[K] extends { type: infer K2 } ? TypeOf<K2> : never }>;
  /** A schema of zod, arktype or another library that follows Standard Schema. */
  export interface StandardSchema<O = unknown> {
    readonly "~standard": { readonly types?: { readonly output: O } | undefined };
  }
  /** A JSON Schema literal: typed loosely; use s.json<T>() for more. */
  export interface JSONSchemaObject {
    type: "object";
    properties?: Record<string, object>;
    required?: readonly string[];
    [key: string]: unknown;
  }

  export type Params = Record<string, Schema> | Record<string, ParamDef> | StandardSchema | JSONSchemaObject;
  export type Args<P> =
    P extends StandardSchema<infer O> ? O :
    P extends JSONSchemaObject ? Record<string, any> :
    P extends Record<string, Schema> ? InferProps<P> :
    P extends Record<string, ParamDef> ? ShortArgs<P> : unknown;

  export type Content =
    | { type: "text"; text: string }
    | { type: "image"; data: string; mimeType: string }
    | { type: "json"; value: unknown };
  /** What execute may return beside a string or any JSON value. */
  export interface Result<D = unknown> {
    content: string | Content[];
    details?: D;
    isError?: boolean;
  }
  export interface ToolErrorOptions {
    /** What to do about it; shown with the message. */
    hint?: string;
    /** For the host, never for the model. */
    details?: unknown;
    kind?: "invalid_args" | "timeout" | "cancelled" | "not_found" | "permission_denied" | "rate_limited" | "provider" | "network" | "other";
    /** Whether the same call may succeed later. */
    retryable?: boolean;
    cause?: unknown;
    code?: string;
  }
  /** An error whose message is meant for the model. */
  export class ToolError extends Error {
    constructor(messageForModel: string, options?: ToolErrorOptions);
    readonly hint?: string;
    readonly details?: unknown;
    readonly kind?: ToolErrorOptions["kind"];
    readonly retryable?: boolean;
    readonly code?: string;
  }

  export interface Log {
    debug(message: string, data?: object): void;
    info(message: string, data?: object): void;
    warn(message: string, data?: object): void;
    error(message: string, data?: object): void;
  }
  /**
   * What an extension keeps in this project, up to 1 MiB of JSON: it survives reloads and restarts, and is shared with
   * every other process that runs the extension here. Of two that set the same key the last one wins; nothing else is
   * lost.
   */
  export interface State {
    get<T = unknown>(key: string): Promise<T | undefined>;
    /** Has been written to disk when the promise resolves. */
    set(key: string, value: unknown): Promise<void>;
    /** Tells whether there was one. */
    delete(key: string): Promise<boolean>;
    /** Sorted. */
    keys(): Promise<string[]>;
  }
  /** What every function of an extension can use: onLoad, dispose and complete this much, the others more. */
  export interface Context {
    readonly projectRoot: string;
    readonly extensionDir: string;
    /** Fires when the call is cancelled or runs into its deadline. */
    readonly signal: AbortSignal;
    /** The values of the settings that the extension declares. Fetched when it is first read; throws where that is refused. */
    readonly config: Readonly<Record<string, string | number | boolean>>;
    readonly log: Log;
    readonly state: State;
  }
  /**
   * What a hook gets beside its event. It acts for that call: what it offers rejects with PermissionDenied (code
   * "no_call") once the call has ended, whoever holds it.
   */
  export interface HookContext extends Context {
    readonly fs: Files;
    /**
     * Runs a program, without a shell: each argument reaches it as it is. A program that fails is an answer, with its
     * exitCode; the promise rejects where it cannot be started, is not allowed, or is aborted.
     */
    exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
    /** Calls another tool by its name. That it failed is an answer, with isError. */
    callTool(name: string, args?: object): Promise<CallResult>;
  }
  /** What a command gets beside its text. */
  export interface CommandContext extends HookContext {
    readonly callId: string;
    /** Tells whoever called how far the work is. */
    progress(update: string | { message?: string; done?: number; total?: number }): void;
  }
  /** What a call of a tool gets beside its arguments. */
  export interface ToolContext extends CommandContext {
    readonly toolName: string;
    /** What the caller granted to this call. */
    readonly values: Readonly<Record<string, unknown>>;
  }

  /**
   * Files. Paths are relative to the project root, absolute, or begin with ~/. Errors have a code: ENOENT, EEXIST,
   * EISDIR, ENOTDIR, ENOTEMPTY or EFBIG; what is not granted rejects with PermissionDenied.
   */
  export interface Files {
    /** The text of a file; bytes that are no UTF-8 become U+FFFD. */
    read(path: string): Promise<string>;
    readBytes(path: string): Promise<Uint8Array>;
    /** Replaces a file. Directories that are missing on the way are made. Bytes are copied at once. */
    write(path: string, data: string | Uint8Array | ArrayBuffer): Promise<void>;
    /** Adds to the end of a file, and makes one where there is none. */
    append(path: string, data: string | Uint8Array | ArrayBuffer): Promise<void>;
    /** The entries of a directory, sorted by name. */
    list(path: string): Promise<DirectoryEntry[]>;
    stat(path: string): Promise<FileStat>;
    /** Removes a file or an empty directory. */
    remove(path: string): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    /** Makes a directory, with those that are missing on the way. */
    mkdir(path: string): Promise<void>;
    /** The paths that match a pattern of * ? [] and **, sorted. Too many are an error with the code "too_many". */
    glob(pattern: string): Promise<string[]>;
  }
  export interface DirectoryEntry {
    name: string;
    isDirectory: boolean;
    isSymlink: boolean;
  }
  export interface FileStat {
    /** In bytes. */
    size: number;
    mtime: Date;
    isDirectory: boolean;
  }

  export interface ExecOptions {
    /** Where it runs; the project root where not given. */
    cwd?: string | undefined;
    /** What it reads from its standard input; nothing where not given. */
    input?: string | Uint8Array | ArrayBuffer | undefined;
    /** Ends it after so long; the result then has timedOut. */
    timeoutMs?: number | undefined;
    /** Ends it when it fires; the promise then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** Gets the output while the program runs, in order; the program waits for it. What it throws rejects the promise. */
    onStdout?: ((text: string) => void | Promise<void>) | undefined;
    onStderr?: ((text: string) => void | Promise<void>) | undefined;
  }
  export interface ExecResult {
    stdout: string;
    stderr: string;
    /** -1 where a signal ended it. */
    exitCode: number;
    /** The signal that ended it. */
    signal?: string;
    timedOut?: true;
    /** A part of stdout or stderr was left out. Where callbacks got it all, the heads are here. */
    truncated?: true;
  }
  export interface CallResult {
    text: string;
    isError: boolean;
    structured?: unknown;
  }

  export interface Tool<P = any, R = any> {
    readonly name: string;
    readonly title?: string;
    readonly description: string;
    readonly risk: Risk;
    readonly parameters?: P;
    execute(args: any, ctx: ToolContext): R;
  }
  export function defineTool<const P extends Params = {}, R = string>(tool: {
    /** 1 to 64 of A-Z a-z 0-9 _ -, starting with a letter. */
    name: string;
    title?: string;
    /** Shown to the model. */
    description: string;
    risk: Risk;
    parameters?: P;
    timeoutMs?: number;
    output?: Schema;
    examples?: readonly { args: Args<P>; note?: string }[];
    execute(args: Args<P>, ctx: ToolContext): R | Promise<R>;
  }): Tool<P, R>;

  /** The most that an extension may ever be granted. */
  export interface Permissions {
    /** Hosts, as in "api.github.com" or "*.example.org:8443". */
    net?: readonly string[];
    /** Files and directories that may be read; without it the project, ["."]. */
    read?: readonly string[];
    /** Files and directories that may be changed, as in "./out". */
    write?: readonly string[];
    /** Programs, as in "git". */
    run?: readonly string[];
    /** Variables, as in "GITHUB_TOKEN". */
    env?: readonly string[];
    /** Tools that ctx.callTool may call. */
    tools?: readonly string[];
    hooks?: readonly ("tool_call" | "tool_result" | "before_model")[];
  }
  type MaybePromise<T> = T | Promise<T>;
  type Nothing = void | undefined | null;

  /** A call that is about to run. Placeholders stand for secrets, and are put back in what the hook returns. */
  export interface ToolCallEvent {
    readonly callId: string;
    readonly toolName: string;
    /** Checked, and complete with defaults. */
    readonly args: Record<string, any>;
    readonly risk: Risk;
  }
  /** A call that has ended, also one that was stopped or has failed, without secrets. */
  export interface ToolResultEvent {
    readonly callId: string;
    readonly toolName: string;
    readonly args: Record<string, any>;
    /** What the model will see. */
    readonly content: Content[];
    readonly details?: unknown;
    readonly isError: boolean;
    /** What happened; no hook changes it. skipped: a hook, the policy or a person stopped the call. */
    readonly status: "success" | "error" | "denied" | "skipped";
    readonly failure?: { kind: NonNullable<ToolErrorOptions["kind"]>; code?: string; message: string };
    readonly durationMs: number;
  }
  export interface Message {
    role: "system" | "user" | "assistant" | (string & {});
    content: string | Content[];
  }
  /** What onToolCall may return: nothing, or one of these. */
  export type ToolCallDecision =
    /** The tool does not run; the model sees the text. */
    | { block: string }
    /** It runs with these arguments, which are checked anew. */
    | { args: Record<string, unknown> }
    /** It does not run; this is its result. */
    | { result: string | Content[] }
    /** It does not run, nor do the others that the model asked for at the same time. */
    | { stop: string };
  /** What onToolResult may return: nothing, or what is to be told instead. */
  export type ToolResultRevision = { content?: string | Content[]; details?: unknown; isError?: boolean; stop?: string };
  /**
   * Functions that see the calls of all tools, in the order of the extensions, each after what the former has made of
   * them. They run where permissions.hooks names the event and the user has granted it. Each has 2 seconds. One that
   * calls tools itself does not hear of those calls.
   */
  export interface Hooks {
    /** Runs in each new runtime before anything else; needs no permission. */
    onLoad?(ctx: Context): MaybePromise<unknown>;
    /** One that throws or is late blocks the call. */
    onToolCall?(event: ToolCallEvent, ctx: HookContext): MaybePromise<ToolCallDecision | Nothing>;
    /** One that throws or is late changes nothing. */
    onToolResult?(event: ToolResultEvent, ctx: HookContext): MaybePromise<ToolResultRevision | Nothing>;
    /** For hosts that have a model: sees what it is about to be sent. */
    onBeforeModel?(event: { readonly messages: readonly Message[] }, ctx: HookContext): MaybePromise<{ messages: Message[] } | Nothing>;
  }
  /** Something that a person starts by its name, with any text behind it. */
  export interface Command {
    name: string;
    description?: string;
    /** What the text may go on with. */
    complete?(prefix: string, ctx: Context): MaybePromise<string[]>;
    run?(args: string, ctx: CommandContext): MaybePromise<unknown>;
    /** What run was called in old files. */
    handler?(args: string, ctx: CommandContext): MaybePromise<unknown>;
  }

  interface SettingBase {
    description?: string;
    /** A variable that gives the value where it is not set. */
    env?: string;
  }
  /** A setting that people give a value to, for ctx.config. */
  export type SettingDef = SettingBase &
    (
      | { type: "string"; default?: string; secret?: false }
      | { type: "string"; secret: true }
      | { type: "number"; default?: number; secret?: false }
      | { type: "boolean"; default?: boolean; secret?: false }
    );
  export interface Extension {
    name: string;
    version?: string;
    description?: string;
    engines?: { rhoExt?: string };
    permissions?: Permissions;
    /** By name: letters, digits, _ and -. */
    settings?: Readonly<Record<string, SettingDef>>;
    tools?: readonly Tool[];
    /** Called before this version ends, when its calls have; it has one second, and may use state, config and log. */
    dispose?(ctx: Context): MaybePromise<unknown>;
    hooks?: Hooks;
    commands?: readonly Command[];
  }
  export function defineExtension(extension: Extension): Extension;
}

/**
 * For test files, whose names end in .test.ts: vitest's API, and the extension
 * under test. `rho-ext test` runs them; "vitest" is the same module.
 */
declare module "rho-ext/test" {
  import type { Content, Message, Risk, ToolCallDecision, ToolCallEvent, ToolResultEvent, ToolResultRevision } from "rho-ext";

  type Awaitable<T> = T | PromiseLike<T>;
  type Procedure = (...args: any[]) => any;
  type Class = new (...args: any[]) => any;

  // Tests and suites.

  export interface TestOptions {
    /** Milliseconds until the test fails; 5,000 where nobody says. */
    timeout?: number;
    /** How often a test that failed is tried again. */
    retry?: number;
    /** How often it runs besides the first time. */
    repeats?: number;
    skip?: boolean;
    only?: boolean;
    todo?: boolean;
    concurrent?: boolean;
    sequential?: boolean;
    /** The test is expected to fail. */
    fails?: boolean;
  }
  export interface TestTask {
    readonly id: string;
    readonly name: string;
    /** With the names of the suites around it. */
    readonly fullName: string;
    readonly type: "test" | "suite";
    readonly mode: "run" | "skip" | "only" | "todo";
    readonly suite?: TestTask;
    readonly meta: Record<string, unknown>;
  }
  export interface TestContext {
    readonly task: TestTask;
    readonly expect: Expect;
    /** Fires when the test is out of time. */
    readonly signal: AbortSignal;
    /** Ends the test as one that was skipped, where the condition holds. */
    skip(note?: string): never;
    skip(condition: boolean, note?: string): void;
    onTestFinished(fn: (context: TestContext) => unknown, timeout?: number): void;
    onTestFailed(fn: (context: TestContext) => unknown, timeout?: number): void;
  }
  export type TestFunction<Extra = {}> = (context: TestContext & Extra) => unknown;
  type EachFunction<A extends any[]> = (...args: A) => unknown;
  interface EachRunner<A extends any[]> {
    (name: string | Procedure, fn: EachFunction<A>, timeout?: number): void;
    (name: string | Procedure, options: TestOptions, fn: EachFunction<A>): void;
  }
  interface ForRunner<T, Extra> {
    (name: string | Procedure, fn: (row: T, context: TestContext & Extra) => unknown, timeout?: number): void;
    (name: string | Procedure, options: TestOptions, fn: (row: T, context: TestContext & Extra) => unknown): void;
  }
  /** Rows that are all arrays are spread; others are given as they are. */
  interface Each {
    <const T extends readonly [any, ...any[]]>(rows: readonly T[]): EachRunner<[...{ -readonly [K in keyof T]: Widen<T[K]> }]>;
    <T extends any[]>(rows: readonly T[]): EachRunner<T>;
    <T>(rows: readonly T[]): EachRunner<[T]>;
    /** A table: names with | between them, and values below. */
    (strings: TemplateStringsArray, ...values: any[]): EachRunner<[any]>;
  }
  type Widen<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T extends bigint ? bigint : T;
  type FixtureFunction<T, K extends keyof T, Had> = (context: Omit<TestContext & Had & T, K> & (K extends keyof Had ? Pick<Had, K> : {}), use: (value: T[K]) => Promise<void>) => unknown;
  export type Fixtures<T, Had = {}> = { [K in keyof T]: T[K] | FixtureFunction<T, K, Had> | [NoInfer<T[K]> | FixtureFunction<T, K, Had>, { auto?: boolean }] };

  export interface TestAPI<Extra = {}> {
    (name: string | Procedure, fn?: TestFunction<Extra>, timeout?: number): void;
    (name: string | Procedure, options: TestOptions, fn?: TestFunction<Extra>): void;
    readonly skip: TestAPI<Extra>;
    readonly only: TestAPI<Extra>;
    readonly todo: TestAPI<Extra>;
    /** Runs beside its concurrent neighbours. */
    readonly concurrent: TestAPI<Extra>;
    readonly sequential: TestAPI<Extra>;
    readonly fails: TestAPI<Extra>;
    skipIf(condition: unknown): TestAPI<Extra>;
    runIf(condition: unknown): TestAPI<Extra>;
    readonly each: Each;
    for<T>(rows: readonly T[]): ForRunner<T, Extra>;
    for(strings: TemplateStringsArray, ...values: any[]): ForRunner<any, Extra>;
    /** The same with more values in the context, made for the tests that ask for them. */
    extend<T extends Record<string, any>>(fixtures: Fixtures<T, Extra>): TestAPI<Extra & T>;
    extend<K extends string, V>(name: K, value: V | ((context: TestContext & Extra, tools: { onCleanup(fn: () => unknown): void }) => Awaitable<V>)): TestAPI<Extra & Record<K, V>>;
    readonly describe: SuiteAPI;
    readonly suite: SuiteAPI;
    readonly beforeAll: typeof beforeAll;
    readonly afterAll: typeof afterAll;
    readonly beforeEach: typeof beforeEach;
    readonly afterEach: typeof afterEach;
  }
  export interface SuiteAPI {
    (name: string | Procedure, fn?: () => unknown, timeout?: number): void;
    (name: string | Procedure, options: TestOptions, fn?: () => unknown): void;
    readonly skip: SuiteAPI;
    readonly only: SuiteAPI;
    readonly todo: SuiteAPI;
    readonly concurrent: SuiteAPI;
    readonly sequential: SuiteAPI;
    skipIf(condition: unknown): SuiteAPI;
    runIf(condition: unknown): SuiteAPI;
    readonly each: Each;
    for<T>(rows: readonly T[]): EachRunner<[T]>;
    for(strings: TemplateStringsArray, ...values: any[]): EachRunner<[any]>;
  }
  export const test: TestAPI;
  export const it: TestAPI;
  export const describe: SuiteAPI;
  export const suite: SuiteAPI;
  /** May return a function that runs when the suite has ended. */
  export function beforeAll(fn: (suite: TestTask) => unknown, timeout?: number): void;
  export function afterAll(fn: (suite: TestTask) => unknown, timeout?: number): void;
  /** May return a function that runs when the test has ended. */
  export function beforeEach<Extra = {}>(fn: (context: TestContext & Extra) => unknown, timeout?: number): void;
  export function afterEach<Extra = {}>(fn: (context: TestContext & Extra) => unknown, timeout?: number): void;
  /** Within a test: runs when it has ended. */
  export function onTestFinished(fn: (context: TestContext) => unknown, timeout?: number): void;
  /** Within a test: runs when it has failed. */
  export function onTestFailed(fn: (context: TestContext) => unknown, timeout?: number): void;

  // expect.

  type Matchers<R, T = unknown> = {
    toBe<E>(expected: E): R;
    toEqual<E>(expected: E): R;
    toStrictEqual<E>(expected: E): R;
    toMatchObject<E extends object | any[]>(expected: E): R;
    toBeTruthy(): R;
    toBeFalsy(): R;
    toBeNull(): R;
    toBeUndefined(): R;
    toBeDefined(): R;
    toBeNullable(): R;
    toBeNaN(): R;
    toBeTypeOf(type: "bigint" | "boolean" | "function" | "number" | "object" | "string" | "symbol" | "undefined"): R;
    toBeInstanceOf(type: abstract new (...args: any[]) => any): R;
    toBeGreaterThan(n: number | bigint): R;
    toBeGreaterThanOrEqual(n: number | bigint): R;
    toBeLessThan(n: number | bigint): R;
    toBeLessThanOrEqual(n: number | bigint): R;
    /** Differs by less than half of the last of these digits; 2 where not given. */
    toBeCloseTo(n: number, digits?: number): R;
    toContain<E>(item: E): R;
    toContainEqual<E>(item: E): R;
    toHaveLength(n: number): R;
    toHaveProperty<E>(path: string | readonly (string | number)[], value?: E): R;
    toMatch(expected: string | RegExp): R;
    /** The message contains the text, or the error is of the class, or equal. */
    toThrow(expected?: string | RegExp | (abstract new (...args: any[]) => any) | Error | object): R;
    toThrowError(expected?: string | RegExp | (abstract new (...args: any[]) => any) | Error | object): R;
    toSatisfy(accepts: (value: any) => boolean, message?: string): R;
    toBeOneOf<E>(list: readonly E[] | Set<E>): R;
    toHaveBeenCalled(): R;
    toBeCalled(): R;
    toHaveBeenCalledTimes(n: number): R;
    toBeCalledTimes(n: number): R;
    toHaveBeenCalledOnce(): R;
    toHaveBeenCalledWith<E extends any[]>(...args: E): R;
    toBeCalledWith<E extends any[]>(...args: E): R;
    toHaveBeenCalledExactlyOnceWith<E extends any[]>(...args: E): R;
    toHaveBeenNthCalledWith<E extends any[]>(n: number, ...args: E): R;
    toHaveBeenLastCalledWith<E extends any[]>(...args: E): R;
    toHaveBeenCalledBefore(other: MockInstance<any>, failIfNotCalled?: boolean): R;
    toHaveBeenCalledAfter(other: MockInstance<any>, failIfNotCalled?: boolean): R;
    toHaveReturned(): R;
    toReturn(): R;
    toHaveReturnedTimes(n: number): R;
    toReturnTimes(n: number): R;
    toHaveReturnedWith<E>(value: E): R;
    toReturnWith<E>(value: E): R;
    toHaveLastReturnedWith<E>(value: E): R;
    toHaveNthReturnedWith<E>(n: number, value: E): R;
    toHaveResolved(): R;
    toHaveResolvedTimes(n: number): R;
    toHaveResolvedWith<E>(value: E): R;
    toHaveLastResolvedWith<E>(value: E): R;
    toHaveNthResolvedWith<E>(n: number, value: E): R;
    /** Compares with the snapshot file, which rho-ext test --update writes. */
    toMatchSnapshot(hint?: string): R;
    toMatchSnapshot<U extends { [P in keyof T]?: any }>(shape: Partial<U>, hint?: string): R;
    toMatchInlineSnapshot(inline?: string, hint?: string): R;
    toMatchInlineSnapshot<U extends { [P in keyof T]?: any }>(shape: Partial<U>, inline?: string, hint?: string): R;
    toThrowErrorMatchingSnapshot(hint?: string): R;
    toThrowErrorMatchingInlineSnapshot(inline?: string, hint?: string): R;
  };
  /** Matchers of your own, for expect.extend: declare them here. */
  export interface CustomMatchers<R = unknown> {}
  type All<R, T> = Matchers<R, T> & CustomMatchers<R>;
  export type Assertion<T = any> = All<void, T> & {
    readonly not: Assertion<T>;
    /** Waits for the promise's value. */
    readonly resolves: PromiseAssertion<Awaited<T>>;
    /** Waits for the reason of the promise's rejection. */
    readonly rejects: PromiseAssertion<any>;
  };
  export type PromiseAssertion<T = any> = All<Promise<void>, T> & { readonly not: PromiseAssertion<T> };

  interface AsymmetricMatchers {
    stringContaining(text: string): any;
    stringMatching(pattern: string | RegExp): any;
    objectContaining<T extends object>(part: T): any;
    arrayContaining<T>(items: readonly T[]): any;
    closeTo(n: number, digits?: number): any;
    schemaMatching(schema: object): any;
  }
  export interface MatcherResult {
    pass: boolean;
    message: () => string;
    actual?: unknown;
    expected?: unknown;
  }
  export interface MatcherState {
    readonly isNot: boolean;
    readonly promise: string;
    readonly currentTestName?: string;
    equals(a: unknown, b: unknown, testers?: readonly EqualityTester[]): boolean;
    readonly utils: { printReceived(v: unknown): string; printExpected(v: unknown): string; stringify(v: unknown): string; diff(a: unknown, b: unknown): string; matcherHint(name: string, received?: string, expected?: string, options?: object): string };
  }
  export type EqualityTester = (this: { equals(a: unknown, b: unknown): boolean }, a: any, b: any, testers: readonly EqualityTester[]) => boolean | undefined;
  export interface Expect extends AsymmetricMatchers {
    <T>(value: T, message?: string): Assertion<T>;
    /** Fails the test, which goes on all the same. */
    soft<T>(value: T, message?: string): Assertion<T>;
    /** Asks again until the matcher accepts the value. */
    poll<T>(fn: () => T, options?: { interval?: number; timeout?: number; message?: string }): PromiseAssertion<Awaited<T>>;
    /** How many assertions the test makes. */
    assertions(n: number): void;
    hasAssertions(): void;
    unreachable(message?: string): never;
    extend(matchers: Record<string, (this: MatcherState, received: any, ...args: any[]) => Awaitable<MatcherResult>>): void;
    addEqualityTesters(testers: readonly EqualityTester[]): void;
    addSnapshotSerializer(serializer: { test(value: any): boolean } & ({ serialize(value: any, config: any, indentation: string, depth: number, refs: any[], printer: (value: any, config: any, indentation: string, depth: number, refs: any[]) => string): string } | { print(value: any, print: (value: any) => string): string })): void;
    getState(): { assertionCalls: number; currentTestName?: string; testPath?: string };
    any(type: unknown): any;
    anything(): any;
    readonly not: AsymmetricMatchers;
  }
  export const expect: Expect;
  export const assert: {
    (value: unknown, message?: string): asserts value;
    ok(value: unknown, message?: string): asserts value;
    isTrue(value: unknown, message?: string): asserts value is true;
    isFalse(value: unknown, message?: string): asserts value is false;
    isNull(value: unknown, message?: string): asserts value is null;
    isUndefined(value: unknown, message?: string): asserts value is undefined;
    isDefined<T>(value: T | undefined, message?: string): asserts value is T;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    strictEqual<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
    notStrictEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    notDeepEqual(actual: unknown, expected: unknown, message?: string): void;
    include(actual: any, item: unknown, message?: string): void;
    match(text: string, pattern: RegExp, message?: string): void;
    instanceOf<T>(value: unknown, type: abstract new (...args: any[]) => T, message?: string): asserts value is T;
    lengthOf(value: { readonly length: number } | { readonly size: number }, n: number, message?: string): void;
    property(value: unknown, name: string, message?: string): void;
    throws(fn: () => unknown, expected?: string | RegExp | (abstract new (...args: any[]) => any), message?: string): void;
    fail(message?: string): never;
  };

  // Mocks, timers and stubs.

  export type MockResult<T> = { type: "return"; value: T } | { type: "throw"; value: any } | { type: "incomplete"; value: undefined };
  export type MockSettledResult<T> = { type: "fulfilled"; value: T } | { type: "rejected"; value: any } | { type: "incomplete"; value: undefined };
  export interface MockState<F extends Procedure> {
    calls: Parameters<F>[];
    results: MockResult<ReturnType<F>>[];
    settledResults: MockSettledResult<Awaited<ReturnType<F>>>[];
    contexts: ThisParameterType<F>[];
    instances: any[];
    /** In which order all mocks were called, from 1. */
    invocationCallOrder: number[];
    readonly lastCall: Parameters<F> | undefined;
  }
  export interface MockInstance<F extends Procedure = Procedure> {
    readonly mock: MockState<F>;
    getMockName(): string;
    mockName(name: string): this;
    getMockImplementation(): F | undefined;
    mockImplementation(fn: F): this;
    mockImplementationOnce(fn: F): this;
    withImplementation(fn: F, callback: () => Promise<unknown>): Promise<this>;
    withImplementation(fn: F, callback: () => unknown): this;
    mockReturnThis(): this;
    mockReturnValue(value: ReturnType<F>): this;
    mockReturnValueOnce(value: ReturnType<F>): this;
    mockResolvedValue(value: Awaited<ReturnType<F>>): this;
    mockResolvedValueOnce(value: Awaited<ReturnType<F>>): this;
    mockRejectedValue(reason: unknown): this;
    mockRejectedValueOnce(reason: unknown): this;
    mockThrow(value: unknown): this;
    mockThrowOnce(value: unknown): this;
    /** Forgets its calls. */
    mockClear(): this;
    /** Forgets its calls, and what was set since it was made. */
    mockReset(): this;
    /** The same, and puts back what spyOn replaced. */
    mockRestore(): void;
  }
  export interface Mock<F extends Procedure = Procedure> extends MockInstance<F> {
    (this: ThisParameterType<F>, ...args: Parameters<F>): ReturnType<F>;
    new (...args: Parameters<F>): any;
  }
  type Methods<T> = { [K in keyof T]: T[K] extends Procedure | undefined ? K : never }[keyof T] & (string | symbol);
  export type FakeTimerName = "setTimeout" | "clearTimeout" | "setInterval" | "clearInterval" | "Date" | "performance" | "queueMicrotask";

  export interface VI {
    fn<F extends Procedure | Class = Procedure>(implementation?: F): F extends Class ? F & MockInstance<(...args: ConstructorParameters<F>) => InstanceType<F>> : F extends Procedure ? Mock<F> : never;
    spyOn<T, K extends keyof T>(object: T, key: K, access: "get"): MockInstance<() => T[K]>;
    spyOn<T, K extends keyof T>(object: T, key: K, access: "set"): MockInstance<(value: T[K]) => void>;
    spyOn<T, K extends Methods<Required<T>>>(object: T, key: K): Required<T>[K] extends (...args: infer A) => infer R ? Mock<(this: ThisParameterType<Required<T>[K]>, ...args: A) => R> : never;
    isMockFunction(value: unknown): value is Mock;
    clearAllMocks(): VI;
    resetAllMocks(): VI;
    restoreAllMocks(): VI;
    /** The same value, for the type checker a mock. */
    mocked<T>(value: T): T extends Procedure ? Mock<T> & T : T;
    hoisted<T>(fn: () => T): T;

    /** Timers and clocks stand still until the test moves them, here and in the extension under test. */
    useFakeTimers(options?: { toFake?: FakeTimerName[]; toNotFake?: FakeTimerName[]; now?: number | Date; loopLimit?: number }): VI;
    useRealTimers(): VI;
    isFakeTimers(): boolean;
    setSystemTime(time?: number | string | Date): VI;
    getMockedSystemTime(): Date | null;
    getRealSystemTime(): number;
    getTimerCount(): number;
    clearAllTimers(): VI;
    advanceTimersByTime(ms: number): VI;
    advanceTimersByTimeAsync(ms: number): Promise<VI>;
    advanceTimersToNextTimer(steps?: number): VI;
    advanceTimersToNextTimerAsync(steps?: number): Promise<VI>;
    runAllTimers(): VI;
    runAllTimersAsync(): Promise<VI>;
    runOnlyPendingTimers(): VI;
    runOnlyPendingTimersAsync(): Promise<VI>;
    runAllTicks(): VI;

    stubGlobal(name: string, value: unknown): VI;
    unstubAllGlobals(): VI;
    /** Sets a variable for the test file and for the extension under test; undefined takes it away. */
    stubEnv(name: string, value: string | undefined): VI;
    unstubAllEnvs(): VI;

    /** Calls the function until it does not throw. */
    waitFor<T>(fn: () => Awaitable<T>, options?: number | { interval?: number; timeout?: number }): Promise<T>;
    /** Calls the function until it returns something that is true. */
    waitUntil<T>(fn: () => Awaitable<T>, options?: number | { interval?: number; timeout?: number }): Promise<Exclude<T, false | null | undefined | 0 | "">>;
    setConfig(config: { testTimeout?: number; hookTimeout?: number }): void;
    resetConfig(): void;
  }
  export const vi: VI;
  export const vitest: VI;

  // The extension under test.

  export interface ToolUse {
    /** file, net, run, env, secret, tool or state. */
    kind: string;
    /** A path, a method and address, or a command. */
    target: string;
    effect: "read" | "write" | "net" | "run";
    /** What allowed it. */
    grant?: string;
    denied?: boolean;
  }
  /** How a call ended, as `rho-ext run --json` prints it. */
  export interface ToolOutcome<T = any> {
    callId: string;
    tool: string;
    status: "success" | "error" | "denied" | "skipped";
    /** What the model sees. */
    text: string;
    isError: boolean;
    structured?: T;
    content?: Content[];
    details?: any;
    failure?: { kind: string; message: string; retryable: boolean | null; code?: string; hint?: string; httpStatus?: number; location?: { file: string; line: number; column: number } };
    /** With defaults filled in. */
    arguments?: any;
    durationMs: number;
    truncated: boolean;
    uses: ToolUse[];
    [key: string]: unknown;
  }
  export interface CallToolOptions {
    /** Firing it cancels the call; callTool then rejects with an AbortError. */
    signal?: AbortSignal;
    callId?: string;
    /** What ctx.values gives. */
    values?: Record<string, unknown>;
    timeoutMs?: number;
  }
  /** Calls a tool as production does: arguments are checked, hooks, permissions and limits hold. It resolves however the call ends. */
  export function callTool<T = any>(name: string, args?: object, options?: CallToolOptions): Promise<ToolOutcome<T>>;
  /** Asks the hooks of the extension about an event: what they decide, or undefined. */
  export function callHook(hook: "onLoad"): Promise<undefined>;
  export function callHook(hook: "onToolCall", event: Partial<ToolCallEvent> & { toolName: string; risk?: Risk }): Promise<ToolCallDecision | undefined>;
  export function callHook(hook: "onToolResult", event: Partial<ToolResultEvent> & { toolName: string }): Promise<ToolResultRevision | undefined>;
  export function callHook(hook: "onBeforeModel", event: { messages: readonly Message[] }): Promise<{ messages: Message[] } | undefined>;
  export function callCommand(name: string, text?: string): Promise<{ text: string; isError: boolean }>;
  export function completeCommand(name: string, prefix?: string): Promise<string[]>;
  /** Changes settings of the extension until the test ends; null takes one away. */
  export function settings(values: Record<string, string | number | boolean | null>): void;

  /** The temporary project that the extension works in. */
  export const project: {
    /** Its absolute path. */
    readonly root: string;
    write(path: string, content: string | Uint8Array): Promise<void>;
    read(path: string): Promise<string>;
    readBytes(path: string): Promise<Uint8Array>;
    exists(path: string): Promise<boolean>;
    /** The paths of all files below a folder, sorted. */
    list(path?: string): Promise<string[]>;
    remove(path: string): Promise<void>;
  };

  /** A request that a mock answered. */
  export interface MockedRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: Headers;
    readonly query: Record<string, string>;
    readonly body: string;
    readonly bytes: Uint8Array;
    json(): any;
  }
  type TextMatch = string | number | boolean | RegExp | ((value: string | undefined) => boolean);
  /** What a request must have besides its method and address. What is not named may be anything. */
  export interface RequestMatch {
    query?: Record<string, TextMatch>;
    headers?: Record<string, TextMatch>;
    /** An object is compared with the JSON of the body. */
    body?: string | RegExp | object | ((body: string, request: MockedRequest) => boolean);
  }
  type ReplyBody = string | Uint8Array | object | number | boolean | null | undefined;
  type ReplyHeaders = Record<string, string> | [string, string][] | Headers;
  export interface FetchRoutes {
    /** The address is a whole one, one that ends with * for all that begin so, or a RegExp. A query in it must be there. */
    get(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    post(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    put(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    patch(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    delete(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    head(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    any(url: string | URL | RegExp | ((url: string) => boolean), match?: RequestMatch): FetchRoute;
    /** The requests that were answered, in order. */
    readonly calls: MockedRequest[];
  }
  export interface FetchRoute extends FetchRoutes {
    /** Objects become JSON. Several replies are given one after the other, and the last again and again. */
    reply(status: number, body?: ReplyBody | ((request: MockedRequest) => Awaitable<ReplyBody>), headers?: ReplyHeaders): this;
    reply(answer: (request: MockedRequest) => Awaitable<Response | { status?: number; body?: ReplyBody; headers?: ReplyHeaders }>): this;
    /** The request fails as if the network did. */
    replyError(message?: string): this;
    /** It answers this often; without it, any number of times. */
    times(n: number): this;
    once(): this;
    /** Any number of times. */
    persist(): this;
  }
  /**
   * Answers requests of the extension and of the test file until the test ends, or the suite where beforeAll calls it.
   * Nothing reaches the network. Of several routes that fit, the first of the newest mockFetch() answers.
   */
  export function mockFetch(options?: {
    /** Routes that nobody asked for fail the test. */
    strict?: boolean;
    /** Answers from __fixtures__/NAME.http.json, which rho-ext test --record writes. */
    cassette?: string;
  }): FetchRoutes;
}
declare module "vitest" {
  export * from "rho-ext/test";
}

/** The global of the seed: synchronous, kept for old files. */
declare const rho: {
  log(level: "trace" | "debug" | "info" | "warn" | "error", message: string): void;
  getCwd(): string;
  getProjectRoot(): string;
  /** The model that the agent uses, or "". */
  getModel(): string;
  /** The text of a file, by its path from the project root. */
  readFile(path: string): string;
  /** Replaces a file. Directories that are missing on the way are made. */
  writeFile(path: string, content: string): void;
  /** Runs a program in the project root, without a shell. */
  runCommand(command: string, args?: readonly string[]): { stdout: string; stderr: string; exitCode: number };
  /** The names of headers are in lower case. A body of more than max_bytes is an error. */
  fetchUrl(request: {
    url: string;
    method?: string | undefined;
    headers?: Record<string, string> | undefined;
    body?: string | undefined;
    max_bytes?: number | undefined;
  }): { status: number; headers: Record<string, string>; body: string };
};

/** Only this much of Node's process is here. */
declare var process: {
  /** The variables that were granted. What is assigned stays in the extension, as text. */
  env: Record<string, string | undefined>;
};

declare var self: typeof globalThis;

interface Console {
  log(...data: any[]): void;
  debug(...data: any[]): void;
  info(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  trace(...data: any[]): void;
  assert(condition?: boolean, ...data: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  dir(value?: any): void;
  table(data?: any, columns?: readonly string[]): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeEnd(label?: string): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  clear(): void;
}
declare var console: Console;

declare function setTimeout<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function setTimeout(callback: (_: void) => void, delay?: number): number;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function setInterval(callback: (_: void) => void, delay?: number): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;

declare function atob(data: string): string;
declare function btoa(data: string): string;

interface StructuredSerializeOptions {
  transfer?: readonly ArrayBuffer[];
}
declare function structuredClone<T = any>(value: T, options?: StructuredSerializeOptions): T;

interface Performance {
  now(): number;
  readonly timeOrigin: number;
  toJSON(): { timeOrigin: number };
}
declare var performance: Performance;

interface DOMException extends Error {
  readonly name: string;
  readonly message: string;
  readonly code: number;
}
declare var DOMException: {
  new (message?: string, nameOrOptions?: string | { name?: string; cause?: unknown }): DOMException;
  readonly prototype: DOMException;
};

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}
interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly srcElement: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  composedPath(): EventTarget[];
  readonly eventPhase: number;
  stopPropagation(): void;
  cancelBubble: boolean;
  stopImmediatePropagation(): void;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  returnValue: boolean;
  preventDefault(): void;
  readonly defaultPrevented: boolean;
  readonly composed: boolean;
  readonly isTrusted: boolean;
  readonly timeStamp: number;
}
declare var Event: {
  new (type: string, init?: EventInit): Event;
  readonly prototype: Event;
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
};
interface CustomEvent<T = any> extends Event {
  readonly detail: T;
}
declare var CustomEvent: {
  new <T>(type: string, init?: EventInit & { detail?: T }): CustomEvent<T>;
  readonly prototype: CustomEvent;
};

type EventListenerOrObject = ((event: any) => void) | { handleEvent(event: any): void };
interface AddEventListenerOptions {
  capture?: boolean;
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
}
interface EventTarget {
  addEventListener(type: string, listener: EventListenerOrObject | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrObject | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: {
  new (): EventTarget;
  readonly prototype: EventTarget;
};

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => any) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  readonly prototype: AbortSignal;
  abort(reason?: any): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: {
  new (): AbortController;
  readonly prototype: AbortController;
};

type BufferSource = ArrayBuffer | ArrayBufferView;
interface TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: {
  new (): TextEncoder;
  readonly prototype: TextEncoder;
};
interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: BufferSource, options?: { stream?: boolean }): string;
}
declare var TextDecoder: {
  new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
  readonly prototype: TextDecoder;
};

interface URL {
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toJSON(): string;
  toString(): string;
}
declare var URL: {
  new (url: string | URL, base?: string | URL): URL;
  readonly prototype: URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};
interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare var URLSearchParams: {
  new (init?: string | Record<string, string> | Iterable<readonly [string, string]> | URLSearchParams): URLSearchParams;
  readonly prototype: URLSearchParams;
};

type HeadersInit = Headers | Record<string, string> | Iterable<readonly [string, string]>;
interface Headers extends Iterable<[string, string]> {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare var Headers: {
  new (init?: HeadersInit): Headers;
  readonly prototype: Headers;
};

type BodyInit = string | BufferSource | URLSearchParams;
/** There is no body stream, blob() or formData(). */
interface Body {
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  json(): Promise<any>;
  text(): Promise<string>;
}
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  redirect?: "follow" | "error" | "manual";
  signal?: AbortSignal | null;
}
interface Request extends Body {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: "follow" | "error" | "manual";
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: {
  new (input: string | URL | Request, init?: RequestInit): Request;
  readonly prototype: Request;
};
interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}
interface Response extends Body {
  readonly type: "default" | "basic" | "error";
  readonly url: string;
  readonly redirected: boolean;
  readonly status: number;
  readonly ok: boolean;
  readonly statusText: string;
  readonly headers: Headers;
  clone(): Response;
}
declare var Response: {
  new (body?: BodyInit | null, init?: ResponseInit): Response;
  readonly prototype: Response;
  error(): Response;
  json(data: any, init?: ResponseInit): Response;
  redirect(url: string | URL, status?: number): Response;
};
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
