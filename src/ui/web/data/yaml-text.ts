import { isCollection, isMap, isNode, isScalar, isSeq, parseDocument, stringify, type Document } from 'yaml';

/** Returns an object as the text that is edited. */
export const textOf = (object: unknown): string => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false });

/**
 * Returns the object that a text describes. Integers beyond the exact numbers of JavaScript stay exact.
 *
 * @throws Error with the place of what is wrong
 */
export function objectIn(text: string): unknown {
  return plain(documentIn(text).toJS({ maxAliasCount: 100 }));
}

/**
 * Returns a text with another value at a place; comments and all else stay as they are.
 *
 * @param path names of members, and places in lists; the last place of a list is its length
 * @param value undefined removes what is there
 * @throws Error for a text that is not YAML
 */
export function withValueIn(text: string, path: readonly (string | number)[], value: unknown): string {
  const document = documentIn(text);
  if (value === undefined) {
    if (document.hasIn(path)) document.deleteIn(path);
  } else {
    makeRoom(document, path);
    document.setIn(path, typeof value === 'object' && value !== null ? document.createNode(value) : value);
  }
  return document.toString({ lineWidth: 0 });
}

/**
 * Returns the line of a text in which a value is set, counted from one; that of the nearest collection around a value that
 * is not there. Undefined when the text has nothing of its path.
 */
export function lineOf(text: string, path: readonly (string | number)[]): number | undefined {
  let node: unknown = parseDocument(text).contents;
  let found: number | undefined;
  for (const part of path) {
    const next = memberOf(node, part);
    if (next?.at === undefined) break;
    found = next.at;
    node = next.value;
  }
  return found === undefined ? undefined : text.slice(0, found).split('\n').length;
}

/** Returns where a member of a collection begins, and its value; undefined where there is none. */
function memberOf(node: unknown, part: string | number) {
  if (isSeq(node)) {
    const item = typeof part === 'number' ? node.items[part] : undefined;
    return isNode(item) ? { at: item.range?.[0], value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
  return isScalar(pair?.key) ? { at: pair.key.range?.[0], value: pair.value } : undefined;
}

/** Prepares the collections on the way to a value: null becomes a map, and an empty `{}` becomes a block of lines. */
function makeRoom(document: Document, path: readonly (string | number)[]): void {
  for (let depth = 0; depth < path.length; depth += 1) {
    const way = path.slice(0, depth);
    const node = document.getIn(way, true);
    if (node === undefined) return;
    if (isCollection(node)) {
      if (node.items.length === 0) node.flow = false;
    } else if (isScalar(node) && node.value === null && depth > 0) return void document.deleteIn(way);
  }
}

/** @throws Error with the place of what is wrong */
function documentIn(text: string): Document {
  const document = parseDocument(text, { intAsBigInt: true });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message);
  return document;
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
