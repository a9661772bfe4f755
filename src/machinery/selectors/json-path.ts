/**
 * JSONPath in the dialect of Kubernetes: `.spec.replicas`, `.metadata.labels.app\.io/name`,
 * `.status.conditions[?(@.type=="Ready")].status`. Only the first value is needed, so nothing behind it is visited.
 *
 * Source: `client-go/util/jsonpath` of Kubernetes 1.31, with keys that may be missing. Differences: members come in their
 * order instead of a random one, texts have no members, and errors behind the first value do not matter.
 *
 * @module
 */
import { isArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../foundation/index.js';
import { parseJsonPath, type Path, type PathSegment } from './json-path-parser.js';

/** A compiled path. */
export interface JsonPath {
  /**
   * Returns the first value that the path selects; undefined when there is none, when the path does not fit the object
   * (an index beyond a list, values that do not compare), and when the search for it visits more than
   * {@link MAX_VISITS} values.
   *
   * @param visits counts the values that the search visits; pass the same one for several paths of an object
   */
  first(object: JsonObject, visits?: PathVisits): JsonValue | undefined;
}

/** Number of keys up to which an object lists them again for next to nothing. */
const FEW_KEYS = 64;

/** The values that the paths of an object visit. */
export class PathVisits {
  /** Number of the visits of all paths together. The keys of an object with many count as well. */
  count = 0;
  /** The engine lists the keys of an object in one piece: those of an object with many are listed once. */
  readonly #keys = new WeakMap<object, readonly string[]>();

  /** Returns the keys of an object. */
  keysOf(object: JsonObject): readonly string[] {
    const known = this.#keys.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length > FEW_KEYS) {
      this.#keys.set(object, keys);
      this.count += keys.length;
    }
    return keys;
  }
}

/** Most values that the search for the first value visits. */
export const MAX_VISITS = 10_000;

const SIMPLE = /^(\.[A-Za-z_][\w-]*)+$/;

/**
 * Compiles a path.
 *
 * @param text a path that begins with a point, without braces
 * @throws SyntaxError for an invalid path
 */
export function compileJsonPath(text: string): JsonPath {
  if (SIMPLE.test(text)) return simplePath(text);
  const path = parseJsonPath(text);
  return { first: (object, visits = new PathVisits()) => new Search(visits).first(path, object) };
}

function simplePath(text: string): JsonPath {
  const names = text.slice(1).split('.');
  return {
    first(object) {
      let value: JsonValue | undefined = object;
      for (const name of names) {
        if (!isJsonObject(value)) return undefined;
        value = ownMember(value, name);
      }
      return value;
    },
  };
}

/** How much a path may visit. */
export interface PathSize {
  /** Number of its steps, with those of filters and unions. */
  readonly segments: number;
  /** Number of its recursive descents. */
  readonly descents: number;
}

/** Returns the size of a path; undefined for an invalid path. */
export function jsonPathSize(text: string): PathSize | undefined {
  try {
    return sizeOf(parseJsonPath(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function sizeOf(path: Path): PathSize {
  let segments = path.length;
  let descents = 0;
  for (const segment of path) {
    if (segment.kind === 'descent') descents += 1;
    for (const inner of pathsIn(segment)) {
      const size = sizeOf(inner);
      segments += size.segments;
      descents += size.descents;
    }
  }
  return { segments, descents };
}

function pathsIn(segment: PathSegment): readonly Path[] {
  if (segment.kind === 'union') return segment.paths;
  if (segment.kind === 'existing') return [segment.path];
  return segment.kind === 'comparing' ? [segment.left, segment.right] : [];
}

/** Thrown when a path does not fit a value, and when too many values have been visited. */
class SearchEnd extends Error {
  override readonly name = 'SearchEnd';
}

type Values = Iterable<JsonValue>;

/** One search for values. */
class Search {
  readonly #all: PathVisits;
  #visits = 0;

  constructor(all: PathVisits) {
    this.#all = all;
  }

  first(path: Path, object: JsonValue): JsonValue | undefined {
    try {
      for (const value of this.#select(path, [object])) return value;
      return undefined;
    } catch (error) {
      if (error instanceof SearchEnd) return undefined;
      throw error;
    }
  }

  #select(path: Path, from: Values): Values {
    let values = from;
    for (const segment of path) values = this.#step(segment, values);
    return values;
  }

  #visit(): void {
    this.#visits += 1;
    this.#all.count += 1;
    if (this.#visits > MAX_VISITS) throw new SearchEnd('too many values');
  }

  #step(segment: PathSegment, values: Values): Values {
    switch (segment.kind) {
      case 'field':
        return this.#fields(values, segment.name);
      case 'wildcard':
        return this.#members(values);
      case 'descent':
        return this.#below(values);
      case 'slice':
        return this.#slices(values, segment);
      case 'existing':
        return this.#filtered(values, (item) => this.#exists(segment.path, item));
      case 'comparing':
        return this.#filtered(values, (item) =>
          compares(this.#only(segment.left, item), segment.operator, this.#only(segment.right, item)),
        );
      case 'union':
        return this.#union(values, segment.paths);
      case 'constant':
        return constants(values, segment.value);
      case 'word':
        throw new SearchEnd('unrecognized identifier');
    }
  }

  *#fields(values: Values, name: string): Values {
    for (const value of values) {
      this.#visit();
      const member = isJsonObject(value) ? ownMember(value, name) : undefined;
      if (member !== undefined) yield member;
    }
  }

  *#members(values: Values): Values {
    for (const value of values) yield* this.#membersOf(value);
  }

  *#membersOf(value: JsonValue): Values {
    if (typeof value !== 'object' || value === null) return;
    for (const member of isArray(value) ? value : this.#memberValues(value)) {
      this.#visit();
      yield member;
    }
  }

  *#memberValues(object: JsonObject): Values {
    for (const name of this.#all.keysOf(object)) {
      const member = object[name];
      if (member !== undefined) yield member;
    }
  }

  #isEmpty(value: JsonValue): boolean {
    if (typeof value === 'string' || isArray(value)) return value.length === 0;
    if (!isJsonObject(value)) return true;
    for (const _member of this.#memberValues(value)) return false;
    return true;
  }

  /** Each container and each text with its members before the next, as Kubernetes visits them. Empty ones are left out. */
  *#below(values: Values): Values {
    for (const value of values) {
      const open: Iterator<JsonValue>[] = [[value].values()];
      for (let iterator = open.at(-1); iterator !== undefined; iterator = open.at(-1)) {
        const next = iterator.next();
        if (next.done === true) {
          open.pop();
          continue;
        }
        if (this.#isEmpty(next.value)) continue;
        yield next.value;
        open.push(this.#membersOf(next.value)[Symbol.iterator]());
      }
    }
  }

  *#slices(values: Values, { from, to, step }: Extract<PathSegment, { kind: 'slice' }>): Values {
    for (const value of values) {
      if (value === null) continue;
      if (!isArray(value)) throw new SearchEnd('not a list');
      const { length } = value;
      const begin = from < 0 ? from + length : from;
      const end = to === undefined ? length : to < 0 ? to + length : to;
      if (begin === end) continue;
      if (begin < 0 || begin >= length || end < 0 || end > length || begin > end || step <= 0)
        throw new SearchEnd('index out of bounds');
      for (let index = begin; index < end; index += step) {
        this.#visit();
        yield value[index] ?? null;
      }
    }
  }

  *#filtered(values: Values, isWanted: (item: JsonValue) => boolean): Values {
    for (const value of values) {
      if (!isArray(value)) throw new SearchEnd('not a list');
      for (const item of value) {
        this.#visit();
        if (isWanted(item)) yield item;
      }
    }
  }

  /** As in Kubernetes, a path that does not fit has a value: the one that it does not fit. */
  #exists(path: Path, item: JsonValue): boolean {
    try {
      for (const _value of this.#select(path, [item])) return true;
      return false;
    } catch (error) {
      if (error instanceof SearchEnd && this.#visits <= MAX_VISITS) return true;
      throw error;
    }
  }

  #only(path: Path, item: JsonValue): JsonValue {
    const found: JsonValue[] = [];
    for (const value of this.#select(path, [item])) {
      found.push(value);
      if (found.length > 1) break;
    }
    const [only] = found;
    if (only === undefined || found.length > 1) throw new SearchEnd('can only compare one element at a time');
    return only;
  }

  *#union(values: Values, paths: readonly Path[]): Values {
    const inputs = [...values];
    for (const path of paths) yield* this.#select(path, inputs);
  }
}

/** A text stands for all values, a number or a truth value for each. */
function* constants(values: Values, value: string | number | bigint | boolean): Values {
  if (typeof value === 'string') yield value;
  else for (const _each of values) yield value;
}

/** Returns whether two values compare. @throws SearchEnd for values that do not, as Go's templates */
function compares(left: JsonValue, operator: string, right: JsonValue): boolean {
  const kind = kindOf(left);
  if (kind === undefined || kind !== kindOf(right)) throw new SearchEnd('incompatible types for comparison');
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  if (kind === 'boolean' || left === null || right === null) throw new SearchEnd('invalid type for comparison');
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      throw new SearchEnd('unrecognized filter operator');
  }
}

/** Returns the kind of a value that compares with its own kind only. Go has integers and other numbers. */
function kindOf(value: JsonValue): string | undefined {
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}
