import {
  atOnce,
  equalJson,
  goValue,
  isArray,
  isJsonObject,
  ownMember,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { directiveOf, mayBeDirective } from './directives.js';
import { factsOf, type FieldFacts } from './facts.js';
import { asMap, haveMaps, keyOfMap, type List } from './items.js';

/** Returns true when two patches of one object change a field differently. Merged lists are compared item by item. */
export function haveConflicts(left: JsonObject, right: JsonObject, schema: StructuralSchema | undefined): boolean {
  const directive = directiveOf(left);
  if (directive !== directiveOf(right)) return true;
  for (const key of Object.keys(left)) {
    // Directives for lists of scalars and for orders never conflict.
    if (mayBeDirective(key)) continue;
    const mine = left[key];
    const other = ownMember(right, key);
    if (mine !== undefined && other !== undefined && valuesConflict(mine, other, factsOf(schema, key))) return true;
  }
  return false;
}

function valuesConflict(left: JsonValue, right: JsonValue, facts: FieldFacts | undefined): boolean {
  if (isJsonObject(left)) {
    if (!isJsonObject(right)) return true;
    return facts?.replacesMap === true
      ? directiveOf(left) !== directiveOf(right)
      : haveConflicts(left, right, facts?.schema);
  }
  if (isArray(left)) return !isArray(right) || listsConflict(left, right, facts);
  return !equalJson(left, right);
}

function listsConflict(left: List, right: List, facts: FieldFacts | undefined): boolean {
  if (left.length === 0 && right.length === 0) return false;
  const maps = atOnce(haveMaps(UNBOUNDED_WORK, left, right));
  if (facts?.mergesList !== true) return replacedListsConflict(left, right, maps, facts);
  if (!maps) return false;
  const others = new Map(right.map((item) => [goValue(keyOfMap(asMap(item), facts.mergeKey)), asMap(item)]));
  return left.some((item) => {
    const other = others.get(goValue(keyOfMap(asMap(item), facts.mergeKey)));
    return other !== undefined && haveConflicts(asMap(item), other, facts.schema.items);
  });
}

/** Returns true when replaced lists have conflicting items. The order of scalars does not count. */
function replacedListsConflict(left: List, right: List, maps: boolean, facts: FieldFacts | undefined): boolean {
  if (left.length !== right.length) return true;
  if (maps)
    return left.some((item, index) => haveConflicts(asMap(item), asMap(right[index] ?? null), facts?.schema.items));
  const sorted = (list: List): readonly string[] => [...new Set(list)].map(goValue).sort();
  return !equalJson(sorted(left), sorted(right));
}
