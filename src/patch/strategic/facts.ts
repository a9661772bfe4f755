import type { StructuralSchema } from '../../schema/structural.js';
import { unfit } from '../patch-error.js';

/** What strategic merge has to know of a field. */
export interface FieldFacts {
  /** Schema of the value. */
  readonly schema: StructuralSchema;
  /** A list is merged item by item, not replaced. */
  readonly mergesList: boolean;
  /** A map is replaced, not merged. */
  readonly replacesMap: boolean;
  /** A patch names the members that stay (`$retainKeys`). */
  readonly retainsKeys: boolean;
  /** The member that tells the items of a merged list apart; empty in lists of scalars. */
  readonly mergeKey: string;
}

const known = new WeakMap<StructuralSchema, FieldFacts>();

/** The facts of a member of a struct or map; undefined where the schema knows none, and values are replaced whole. */
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
  if (others.length > 1) throw unfit(`unexpected patch strategy: [${strategies.join(' ')}]`);
  return {
    schema,
    mergesList: others[0] === 'merge',
    replacesMap: others[0] === 'replace',
    retainsKeys: others.length < strategies.length,
    mergeKey: schema.patchMergeKey ?? '',
  };
}
