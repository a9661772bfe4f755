import { isArray, isJsonObject, shown, type JsonValue } from '../../foundation/index.js';

/** Parts that {@link normalize} keeps as they are, for a test that is about them. */
export interface NormalizeOptions {
  readonly keep?: readonly ('uid' | 'resourceVersion' | 'time' | 'name' | 'managedFields')[] | undefined;
}

type Part = 'uid' | 'resourceVersion' | 'time' | 'name';

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const TIME_NAME = /(^t|T)ime(stamp)?$/;
const PARTS: readonly string[] = ['uid', 'resourceVersion', 'time', 'name', 'managedFields'];

/**
 * Returns a copy of an object, or of a list of objects, without what differs between runs and servers: uids, resource
 * versions, times and generated names become `<uid 1>`, `<version 1>`, `<time 1>` and `<name 1>`. Equal values get the
 * same number, in the order of their first appearance, wherever they stand: a reference to an owner has the owner's
 * number. Managed fields are left out.
 *
 * @throws TypeError for an unknown part in `keep`
 */
export function normalize<Value>(value: Value, options: NormalizeOptions = {}): Value {
  const unknown = options.keep?.find((part) => !PARTS.includes(part));
  if (unknown !== undefined)
    throw new TypeError(
      `normalize: the option keep has the unknown part ${shown(unknown)}; known parts: ${PARTS.join(', ')}`,
    );
  // The value that a caller passes is JSON; the result has the same members.
  return new Normalizer(new Set(options.keep)).run(value as JsonValue) as Value;
}

class Normalizer {
  readonly #keep: ReadonlySet<string>;
  /** Placeholders by the text that they stand for. */
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(keep: ReadonlySet<string>) {
    this.#keep = keep;
  }

  run(value: JsonValue): JsonValue {
    this.#find(value);
    return this.#replaced(value, '');
  }

  /** Numbers the texts to hide in the order of their appearance. */
  #find(value: JsonValue): void {
    if (isArray(value)) for (const item of value) this.#find(item);
    else if (isJsonObject(value)) {
      this.#findName(value['metadata']);
      for (const [name, member] of Object.entries(value)) {
        if (member === undefined || name === 'managedFields') continue;
        if (typeof member === 'string') this.#findText(name, member);
        else this.#find(member);
      }
    }
  }

  #findName(metadata: JsonValue | undefined): void {
    if (!isJsonObject(metadata)) return;
    const { name, generateName } = metadata;
    if (typeof name !== 'string' || typeof generateName !== 'string' || generateName === '') return;
    if (name.startsWith(generateName) && name !== generateName) this.#number('name', name, generateName);
  }

  #findText(name: string, text: string): void {
    if (/uid$/i.test(name) && UID.test(text)) this.#number('uid', text);
    else if (name === 'resourceVersion' && text !== '') this.#number('resourceVersion', text);
    else if (TIME_NAME.test(name) && TIME.test(text)) this.#number('time', text);
  }

  #number(part: Part, text: string, prefix = ''): void {
    // A resource version may equal another text, such as a number of replicas: it is replaced in its own members only.
    const key = part === 'resourceVersion' ? `version ${text}` : text;
    if (this.#keep.has(part) || this.#known.has(key)) return;
    const label = part === 'resourceVersion' ? 'version' : part;
    const count = (this.#counts.get(label) ?? 0) + 1;
    this.#counts.set(label, count);
    this.#known.set(key, `${prefix}<${label} ${count}>`);
  }

  #replaced(value: JsonValue, name: string): JsonValue {
    if (typeof value === 'string') return this.#text(value, name);
    if (isArray(value)) return value.map((item) => this.#replaced(item, name));
    if (!isJsonObject(value)) return value;
    const members: [string, JsonValue][] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined || (key === 'managedFields' && !this.#keep.has('managedFields'))) continue;
      members.push([this.#text(key, ''), this.#replaced(member, key)]);
    }
    return Object.fromEntries(members);
  }

  #text(text: string, name: string): string {
    if (name === 'resourceVersion') return this.#known.get(`version ${text}`) ?? text;
    const whole = this.#known.get(text);
    if (whole !== undefined) return whole;
    let result = text;
    // A text may contain others: the name of a volume contains the uid of its claim.
    for (const [known, placeholder] of this.#known)
      if (result.includes(known) && !known.startsWith('version ')) result = result.replaceAll(known, placeholder);
    return result;
  }
}

/** A serializer of snapshots for `expect.addSnapshotSerializer` of vitest and jest. */
export interface SnapshotSerializer {
  test(value: unknown): boolean;
  serialize<Config, References>(
    value: unknown,
    config: Config,
    indentation: string,
    depth: number,
    references: References,
    printer: (value: unknown, config: Config, indentation: string, depth: number, references: References) => string,
  ): string;
}

/**
 * Creates a serializer of snapshots that prints objects of the API, and lists of them, as {@link normalize} makes them.
 *
 * ```
 * expect.addSnapshotSerializer(snapshotSerializer());
 * ```
 */
export function snapshotSerializer(options: NormalizeOptions = {}): SnapshotSerializer {
  /** The values that were normalized already, with their parts. */
  const done = new WeakSet<object>();
  return {
    test: (value) => typeof value === 'object' && value !== null && !done.has(value) && isObjects(value as JsonValue),
    serialize(value, config, indentation, depth, references, printer) {
      const clean = normalize(value, options);
      mark(clean, done);
      return printer(clean, config, indentation, depth, references);
    },
  };
}

/** Returns whether a value is an object of the API, or a list of them. */
function isObjects(value: JsonValue): boolean {
  if (isArray(value)) return value.length > 0 && value.every((item) => !isArray(item) && isObjects(item));
  return (
    isJsonObject(value) &&
    typeof value['apiVersion'] === 'string' &&
    typeof value['kind'] === 'string' &&
    isJsonObject(value['metadata'])
  );
}

function mark(value: unknown, done: WeakSet<object>): void {
  if (typeof value !== 'object' || value === null) return;
  done.add(value);
  for (const member of Object.values(value)) mark(member, done);
}
