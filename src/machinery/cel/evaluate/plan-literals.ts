/**
 * Lists and maps that an expression creates.
 *
 * @module
 */
import { LIST_COST, MAP_COST } from '../cost/meter.js';
import type { CelResult } from '../types/declarations.js';
import { CelFailure, failure } from './failures.js';
import type { Step } from './plan.js';
import { CelOptional, typeNameOf, ValueList, ValueMap, type CelValue } from './values.js';

/** Plans a list. `optional` has the indices of the elements that are omitted when absent. */
export function planList(steps: readonly Step[], optional: ReadonlySet<number>): Step {
  return (frame) => {
    frame.runtime.meter.charge(LIST_COST);
    const items: CelValue[] = [];
    for (const [index, step] of steps.entries()) {
      const item = step(frame);
      if (item instanceof CelFailure) return item;
      if (!optional.has(index)) items.push(item);
      else if (!(item instanceof CelOptional))
        return failure(`cannot initialize optional list element from non-optional value ${valueText(item)}`);
      else if (item.value !== undefined) items.push(item.value);
    }
    return new ValueList(items);
  };
}

/** Formats a plain value for messages; for any other value, its type. */
const valueText = (value: CelValue): string => (typeof value === 'object' ? typeNameOf(value) : String(value));

/** A planned entry of a map. */
export interface PlannedEntry {
  readonly key: Step;
  readonly value: Step;
  readonly isOptional: boolean;
}

/** Plans a map. */
export function planMap(entries: readonly PlannedEntry[]): Step {
  return (frame) => {
    frame.runtime.meter.charge(MAP_COST);
    const map = new ValueMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelFailure) return key;
      let value: CelResult | undefined = entry.value(frame);
      if (value instanceof CelFailure) return value;
      if (entry.isOptional) {
        if (!(value instanceof CelOptional))
          return failure(
            `cannot initialize optional entry '${valueText(key)}' from non-optional value ${valueText(value)}`,
          );
        if (value.value === undefined) continue;
        value = value.value;
      }
      const isAdded = map.add(key, value);
      if (isAdded !== true) return failure(isAdded === undefined ? 'unsupported key type' : 'Failed with repeated key');
    }
    return map;
  };
}
