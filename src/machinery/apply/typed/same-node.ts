/**
 * How a set is compared with the fields of a value, without making these: `ownsExactly` and `createsExactly`.
 *
 * @module
 */
import { SELF } from '../fieldpath/element.js';
import { isEmpty, type FieldSet } from '../fieldpath/fieldset.js';

/** Returns true for the node of a member without fields inside. */
export const isLeaf = (node: FieldSet | undefined): boolean => node !== undefined && isEmpty(node);

/** Returns true when a node has a number of elements and is a member or not. */
export function hasElements(node: FieldSet, count: number, member: boolean): boolean {
  let rest = count;
  for (const element in node) if (element !== SELF) rest -= 1;
  return rest === 0 && (node[SELF] !== undefined) === member;
}
