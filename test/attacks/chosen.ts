/** The rows that stand for all: those of the tests and of the benchmark. */
import type { Row } from './row.js';
import { AREAS } from './rows/index.js';

/** A row by its area and name. */
export type Chosen = readonly [area: string, name: string];

/** Rows that ended the process or held up others for seconds; they run with the tests. */
export const SHORT: readonly Chosen[] = [
  ['bodies', 'lists in lists in lists, one in reviews'],
  ['bodies', 'unknown fields, six strict reviews at once'],
  ['yaml', 'comments, ten in reviews'],
  ['protobuf', 'unknown fields, one at once'],
  ['errors', 'values outside an enum of 20,000, one'],
  ['errors', 'wrong labels, 1'],
  ['forms', 'an object of 1 MB with spaces as YAML, ten at once'],
  ['forms', 'an object of maps within each other as pretty JSON, 6 at once'],
  ['tables', 'columns with six descents, 1 tables'],
  ['definitions', 'anyOf 6⁴ with a pattern: an object'],
  ['cel', '6,000 terms in a rule: an object'],
  ['connections', 'HTTP/2 resets of lists on 2 connections'],
];

/** Rows of the benchmark besides those. */
const MORE: readonly Chosen[] = [
  ['bodies', 'empty objects, sixteen in objects'],
  ['bodies', 'objects with keys of their own, one in objects'],
  ['bodies', 'numbers with an exponent, one in objects'],
  ['yaml', 'keys, ten in reviews'],
  ['yaml', 'anchors, one applied'],
  ['protobuf', 'tolerations, one at once'],
  ['errors', 'items beyond a maximum, one'],
  ['errors', 'empty containers of a pod, 1'],
  ['forms', '64 lists as YAML, read all'],
  ['forms', '64 lists as pretty JSON, read all'],
  ['forms', '64 lists as Table, read all'],
  ['definitions', '500 heavy patterns, defined'],
  ['definitions', '20,000 properties with defaults, defined'],
  ['definitions', 'optional letters: an object'],
  ['definitions', 'defaults in 2,000 fields of many items: an object'],
  ['definitions', 'a default of 1 MB in 2,000 items: an object'],
  ['definitions', 'an enum of 20,000 and 40,000 items: an object'],
  ['cel', '100 rules of 4 KB: an object'],
  ['cel', '20 rules that use up the budget of an object: an object'],
  ['cel', '500 patterns that a rule makes: an object'],
  ['policies', 'a policy with loops over the data, 8 writes'],
  ['hooks', 'a conversion answer of 12 MB of lists, 1'],
  ['patches', 'an apply of 40,000 keys in YAML, 1'],
  ['patches', 'JSON Patch with 10,000 insertions at the front, 6'],
  ['patches', 'a pod of 5,000 containers, 1 created'],
  ['watches', '2000 watches that begin with 3,000 objects'],
  ['watches', '500 unread watches under 800 updates of 50 KB'],
];

/** The rows of the benchmark. */
export const CHOSEN: readonly Chosen[] = [...SHORT, ...MORE];

/** Returns a row. @throws Error when there is none of this name */
export function rowOf([area, name]: Chosen): Row {
  const row = AREAS[area]?.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no row ${area}: ${name}`);
  return row;
}
