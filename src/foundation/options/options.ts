/**
 * Checks the options of callers. JavaScript has no types, and a mistake should be reported by the call that has it.
 * Failures are TypeErrors with the name of the option and the required value.
 *
 * @module
 */

/**
 * Returns the problem of a value; undefined for a valid value. `path` names the option, for checks of nested values.
 */
export type OptionCheck = (value: unknown, path: string) => string | undefined;

/** A check for each option of a type; a missing check does not compile. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

/** Formats a value for errors: short, and without the contents of objects, which may be secret. */
export function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `${JSON.stringify(value.slice(0, 60))}…` : JSON.stringify(value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (typeof value === 'symbol' || typeof value === 'bigint') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Promise) return 'a promise (was an await forgotten?)';
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `an object of class ${name}` : 'an object';
}

/** Returns a question with the known name that is most similar to an unknown one; empty when none is similar. */
export function suggestion(name: string, known: Iterable<string>): string {
  const lower = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = candidate.toLowerCase() === lower ? 0 : editDistance(lower, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best === undefined ? '' : `; did you mean ${JSON.stringify(best)}?`;
}

/** Returns the number of insertions, deletions and replacements that change one text to the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * Checks that options are an object, that every name is known, and that every value is valid. Undefined values count as
 * absent.
 *
 * @param subject the owner of the options, such as `ApiServer` or `listen`
 * @param required names of required options
 * @throws TypeError with the option and its required value
 */
export function checkOptions(
  subject: string,
  options: unknown,
  checks: Readonly<Record<string, OptionCheck>>,
  required: readonly string[] = [],
): void {
  if (!isRecord(options)) throw new TypeError(`${subject}: the options must be an object, got ${shown(options)}`);
  const problem = problemIn(options, checks, '');
  if (problem !== undefined) throw new TypeError(`${subject}: ${problem}`);
  const missing = required.find((name) => options[name] === undefined);
  if (missing !== undefined) throw new TypeError(`${subject}: the option ${missing} is required`);
}

/** Checks an argument of a call. @throws TypeError with the argument and its required value */
export function checkArgument(subject: string, name: string, value: unknown, check: OptionCheck): void {
  const problem = check(value, name);
  if (problem !== undefined) throw new TypeError(`${subject}: ${problem.replace(/^the option /, '')}`);
}

/** The units that the names of durations ended with. */
const UNIT = /(?:Ms|Seconds|Days)$/;

function problemIn(
  options: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, OptionCheck>>,
  prefix: string,
): string | undefined {
  for (const [name, value] of Object.entries(options)) {
    const path = prefix + name;
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    const plain = name.replace(UNIT, '');
    if (check === undefined && plain !== name && Object.hasOwn(checks, plain))
      return `the option ${path} is ${prefix}${plain} now: milliseconds, or a string such as "5s"`;
    if (check === undefined)
      return `unknown option ${JSON.stringify(path)}${suggestion(name, Object.keys(checks)) || `; known options: ${Object.keys(checks).join(', ')}`}`;
    const problem = value === undefined ? undefined : check(value, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const must = (path: string, what: string, value: unknown): string =>
  `the option ${path} must be ${what}, got ${shown(value)}`;

/** Returns the check of a condition. @param what for example `a function` */
export const matching =
  (what: string, holds: (value: unknown) => boolean): OptionCheck =>
  (value, path) =>
    holds(value) ? undefined : must(path, what, value);

/** A function. */
export const aFunction = matching('a function', (value) => typeof value === 'function');
/** An object that is not an array. */
export const anObject = matching(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
/** A boolean. */
export const aBoolean = matching('true or false', (value) => typeof value === 'boolean');
/** A string. */
export const aText = matching('a string', (value) => typeof value === 'string');
/** A string that is not empty. */
export const aName = matching('a string that is not empty', (value) => typeof value === 'string' && value !== '');

/** A whole number of at least `least`. @param unit for example `milliseconds` */
export const aCount = (unit: string, least = 0): OptionCheck =>
  matching(
    `a whole number of ${unit}, ${least} or more`,
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least,
  );

/** A number of at least `least`, including `Infinity`. */
export const aNumber = (unit: string, least = 0): OptionCheck =>
  matching(`a number of ${unit}, ${least} or more`, (value) => typeof value === 'number' && value >= least);

/** One of several strings. */
export const oneOf =
  (...names: readonly string[]): OptionCheck =>
  (value, path) => {
    if (typeof value === 'string' && names.includes(value)) return undefined;
    return (
      must(path, `one of ${names.join(', ')}`, value) + (typeof value === 'string' ? suggestion(value, names) : '')
    );
  };

/** A list whose items all pass a check. */
export const listOf =
  (check: OptionCheck, what = 'a list'): OptionCheck =>
  (value, path) => {
    if (!Array.isArray(value)) return must(path, what, value);
    for (const [index, item] of value.entries()) {
      const problem = check(item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/**
 * An object with nested options. Members that an instance inherits from its class, such as accessors, are not checked.
 */
export const nested =
  (checks: Readonly<Record<string, OptionCheck>>, required: readonly string[] = []): OptionCheck =>
  (value, path) => {
    if (!isRecord(value)) return must(path, 'an object', value);
    const problem = problemIn(value, checks, `${path}.`);
    if (problem !== undefined) return problem;
    const missing = required.find((name) => value[name] === undefined);
    return missing === undefined ? undefined : `the option ${path}.${missing} is required`;
  };

/** An object with the methods of an interface. @param what for example `a clock` */
export const withMethods = (what: string, ...methods: readonly string[]): OptionCheck =>
  matching(
    `${what}, an object with the methods ${methods.join(', ')}`,
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof Reflect.get(value, name) === 'function'),
  );

/** A clock. */
export const aSignal = matching(
  'an AbortSignal',
  (value) => typeof value === 'object' && value !== null && 'aborted' in value,
);

export const aClock = withMethods('a clock', 'now', 'after');

/**
 * An object that implements an interface: the members of the interface are checked, inherited ones too, and it may have others.
 *
 * @param what for example `a configuration file`
 */
export const implementing =
  (what: string, checks: Readonly<Record<string, OptionCheck>>, required: readonly string[]): OptionCheck =>
  (value, path) => {
    if (!isRecord(value)) return must(path, what, value);
    for (const [name, check] of Object.entries(checks)) {
      const member = value[name];
      if (member === undefined && required.includes(name)) return `the option ${path}.${name} is required`;
      const problem = member === undefined ? undefined : check(member, `${path}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/** A value that passes one of several checks. The problem is that of the last check. */
export const either =
  (...checks: readonly OptionCheck[]): OptionCheck =>
  (value, path) => {
    let problem: string | undefined;
    for (const check of checks) {
      problem = check(value, path);
      if (problem === undefined) return undefined;
    }
    return problem;
  };

/** Any value; its consumer checks it. */
export const checkedElsewhere: OptionCheck = () => undefined;
