import type { StructuralSchema } from '../../schema/define/structural.js';
import { internalFailure } from '../patch-error.js';

/** The facts about a field that strategic merge needs. */
export interface FieldFacts {
  /** Schema of the value. */
  readonly schema: StructuralSchema;
  /** True when a list is merged item by item; false when it is replaced. */
  readonly mergesList: boolean;
  /** True when a map is replaced; false when it is merged. */
  readonly replacesMap: boolean;
  /** True when a patch names the members that stay (`$retainKeys`). */
  readonly retainsKeys: boolean;
  /** The member that identifies the items of a merged list; empty for lists of scalars. */
  readonly mergeKey: string;
}

const known = new WeakMap<StructuralSchema, FieldFacts>();

/** Returns the facts of a member; undefined for an unknown member, whose value is replaced as a whole. */
export function factsOf(schema: StructuralSchema | undefined, key: string): FieldFacts | undefined {
  const member = schema?.properties?.get(key) ?? schema?.additionalProperties;
  if (member === undefined) return undefined;
  let facts = known.get(member);
  if (facts === undefined) known.set(member, (facts = read(member)));
  return facts;
}

function read(schema: StructuralSchema): FieldFacts {
  const strategies =
    schema.patchStrategy === undefined || schema.patchStrategy === '' ? [] : schema.patchStrategy.split(',');
  const others = strategies.filter((strategy) => strategy !== 'retainKeys');
  if (others.length > 1) throw internalFailure(`unexpected patch strategy: [${strategies.join(' ')}]`);
  return {
    schema,
    mergesList: others[0] === 'merge',
    replacesMap: others[0] === 'replace',
    retainsKeys: others.length < strategies.length,
    mergeKey: schema.patchMergeKey ?? '',
  };
}
