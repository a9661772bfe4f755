import {
  dialects,
  greatest,
  isJsonObject,
  isObjectKey,
  messageOf,
  parsedJson,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import { builtinResources } from '../../kinds/index.js';
import { ResourceInfo, stampRevision } from '../../registry/index.js';
import {
  readEncrypted,
  readStoreMark,
  STORE_MARK_KEY,
  type SnapshotRecord,
  type StoreMark,
  type ValueCodec,
} from '../../storage/index.js';

/** Maximum number of recorded problems, because a foreign store has a problem in every key. */
const MAX_PROBLEMS = 1_000;

/** Counts the objects of a store by kind, and collects the problems of single objects. */
export class Inventory {
  readonly problems: string[] = [];
  /** Layout and dialect of the store. */
  mark: StoreMark | undefined;
  readonly #counts = new Map<string, { readonly kind: string; readonly apiVersion: string; count: number }>();

  readonly #encrypted = new Map<string, number>();
  readonly #codec: ValueCodec | undefined;

  /** @param codec decodes the values; absent when the keys of encrypted ones are not known, which are then only counted */
  constructor(codec?: ValueCodec) {
    this.#codec = codec;
  }

  /** The providers and keys of the encrypted values, as the values name them, with the number of values. */
  get encrypted(): readonly (readonly [provider: string, count: number])[] {
    return [...this.#encrypted];
  }

  /** Number of readable objects. */
  get objects(): number {
    return [...this.#counts.values()].reduce((sum, { count }) => sum + count, 0);
  }

  async add(stored: SnapshotRecord): Promise<void> {
    const { key } = stored;
    if (key === STORE_MARK_KEY) {
      this.#addMark(stored);
      return;
    }
    const protection = readEncrypted(stored.text)?.prefix;
    if (protection !== undefined) {
      this.#encrypted.set(protection, (this.#encrypted.get(protection) ?? 0) + 1);
      if (this.#codec === undefined) return;
    }
    let record = stored;
    try {
      const wait = this.#codec?.prepare?.(key, stored.text);
      if (wait !== undefined) await wait;
      if (this.#codec !== undefined) record = decoded(stored, this.#codec);
    } catch (error) {
      this.#addProblem(messageOf(error));
      return;
    }
    const read = readObject(record);
    if (typeof read === 'string') this.#addProblem(`${key}: ${read}`);
    else if (isObjectKey(key)) this.#count(read.kind, read.apiVersion);
  }

  /** Returns a table with the number of objects of each kind. */
  table(): string {
    const builtIn = this.#builtIn();
    const rows = [...this.#counts.values()].sort(
      (left, right) => order(left.kind, right.kind) || order(left.apiVersion, right.apiVersion),
    );
    const cells = rows.map(({ kind, apiVersion, count }) => [
      kind,
      apiVersion,
      String(count),
      builtIn.has(`${apiVersion} ${kind}`) ? '' : 'not built in',
    ]);
    const all = [['KIND', 'VERSION', 'OBJECTS', ''], ...cells];
    const widths = [0, 1, 2].map((column) => greatest(all.map((row) => (row[column] ?? '').length)));
    return all
      .map(
        (row) =>
          `${row
            .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3))
            .join('')
            .trimEnd()}\n`,
      )
      .join('');
  }

  #addMark(record: SnapshotRecord): void {
    try {
      this.mark = readStoreMark(record);
      if (this.mark.incomplete)
        this.#addProblem('the store is incomplete: a copy into it is in progress or did not finish');
    } catch (error) {
      this.#addProblem(messageOf(error));
    }
  }

  #count(kind: string, apiVersion: string): void {
    const name = `${apiVersion} ${kind}`;
    const counted = this.#counts.get(name);
    if (counted === undefined) this.#counts.set(name, { kind, apiVersion, count: 1 });
    else counted.count += 1;
  }

  #addProblem(problem: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }

  /** Returns the built-in kinds of the store's dialect. */
  #builtIn(): ReadonlySet<string> {
    const dialect = dialects.get(this.mark?.dialect ?? '');
    return new Set(
      dialect === undefined
        ? []
        : builtinResources
            .map((definition) => new ResourceInfo(definition, dialect))
            .map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
    );
  }
}

/** Returns a record with its plain text. @throws UnreadableValueError */
function decoded(stored: SnapshotRecord, codec: ValueCodec): SnapshotRecord {
  const { text, protection } = codec.decode(stored.key, stored.text);
  // An encrypted value does not contain its revision.
  return { ...stored, text: protection === undefined ? text : stampRevision(text, stored.modRevision) };
}

/** Returns the kind and version of an object, or the problem that prevents serving it. */
function readObject({
  key,
  text,
  modRevision,
}: SnapshotRecord): { readonly kind: string; readonly apiVersion: string } | string {
  const object = parsedJson(text);
  if (!isJsonObject(object)) return 'it is not the text of an object';
  const { kind, apiVersion, metadata } = object;
  if (!isText(kind) || !isText(apiVersion)) return 'it has no kind and apiVersion';
  if (!isJsonObject(metadata)) return 'it has no metadata';
  if (metadata['resourceVersion'] !== undefined && metadata['resourceVersion'] !== String(modRevision))
    return `its resourceVersion is ${JSON.stringify(metadata['resourceVersion'])}, but it was written at ${modRevision}`;
  return isObjectKey(key) && !isInPlace(key, metadata)
    ? 'its key does not match its name and namespace'
    : { kind, apiVersion };
}

function isInPlace(key: string, { name, namespace }: JsonObject): boolean {
  return isText(name) && key.endsWith(isText(namespace) ? `/${namespace}/${name}` : `/${name}`);
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value !== '';

const order = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
