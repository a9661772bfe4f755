import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';

export const text: StructuralSchema = { type: 'string', presence: 'omit' };
export const integer: StructuralSchema = { type: 'integer', presence: 'omit' };

export const struct = (
  properties: Record<string, StructuralSchema>,
  facts: Partial<StructuralSchema> = {},
): StructuralSchema => ({
  type: 'object',
  presence: 'omit',
  properties: new Map(Object.entries(properties)),
  ...facts,
});
export const mapOf = (additionalProperties: StructuralSchema): StructuralSchema => ({
  type: 'object',
  presence: 'omit',
  additionalProperties,
});
export const atomic = (items: StructuralSchema): StructuralSchema => ({ type: 'array', presence: 'omit', items });
export const setOf = (items: StructuralSchema): StructuralSchema => ({
  type: 'array',
  presence: 'omit',
  items,
  patchStrategy: 'merge',
});
export const merged = (items: StructuralSchema, patchMergeKey: string, patchStrategy = 'merge'): StructuralSchema => ({
  type: 'array',
  presence: 'omit',
  items,
  patchStrategy,
  patchMergeKey,
});

const metadata = struct({
  name: text,
  namespace: text,
  labels: mapOf(text),
  annotations: mapOf(text),
  finalizers: setOf(text),
  ownerReferences: merged(struct({ apiVersion: text, kind: text, name: text, uid: text }), 'uid'),
});

/** The kinds in the recordings. */
export const serviceAccount = struct({
  apiVersion: text,
  kind: text,
  metadata,
  secrets: merged(struct({ name: text, kind: text }), 'name'),
  imagePullSecrets: atomic(struct({ name: text })),
});
export const configMap = struct({ apiVersion: text, kind: text, metadata, data: mapOf(text), binaryData: mapOf(text) });

/** A schema with every strategy, nested. */
export const workload = struct({
  apiVersion: text,
  kind: text,
  metadata,
  spec: struct({
    replicas: integer,
    args: atomic(text),
    selector: mapOf(text),
    replaced: struct({ a: text, b: text }, { patchStrategy: 'replace' }),
    strategy: struct(
      { type: text, rolling: struct({ surge: integer }), recreate: struct({ wait: integer }) },
      { patchStrategy: 'retainKeys' },
    ),
    volumes: merged(
      struct({ name: text, emptyDir: struct({ medium: text }), hostPath: struct({ path: text, type: text }) }),
      'name',
      'merge,retainKeys',
    ),
    containers: merged(
      struct({
        name: text,
        image: text,
        command: atomic(text),
        env: merged(struct({ name: text, value: text }), 'name'),
        ports: merged(struct({ containerPort: integer, protocol: text }), 'containerPort'),
      }),
      'name',
    ),
    keyless: { type: 'array', presence: 'omit', items: struct({ a: text }), patchStrategy: 'merge' },
  }),
});
