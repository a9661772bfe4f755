import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';

type Facts = Partial<StructuralSchema>;

export const str = (facts: Facts = {}): StructuralSchema => ({ type: 'string', presence: 'omit', ...facts });
export const int = (facts: Facts = {}): StructuralSchema => ({ type: 'integer', presence: 'omit', ...facts });
export const bool = (facts: Facts = {}): StructuralSchema => ({ type: 'boolean', presence: 'omit', ...facts });
export const any = (facts: Facts = {}): StructuralSchema => ({ type: 'any', presence: 'keep', ...facts });
export const map = (additionalProperties: StructuralSchema, facts: Facts = {}): StructuralSchema => ({
  type: 'object',
  presence: 'omit',
  additionalProperties,
  ...facts,
});
export const struct = (properties: Record<string, StructuralSchema>, facts: Facts = {}): StructuralSchema => ({
  type: 'object',
  presence: 'omit',
  properties: new Map(Object.entries(properties)),
  ...facts,
});
export const list = (items: StructuralSchema, facts: Facts = {}): StructuralSchema => ({
  type: 'array',
  presence: 'omit',
  items,
  listType: 'atomic',
  ...facts,
});
export const set = (items: StructuralSchema, facts: Facts = {}): StructuralSchema =>
  list(items, { listType: 'set', ...facts });
export const keyed = (items: StructuralSchema, listMapKeys: string[], facts: Facts = {}): StructuralSchema =>
  list(items, { listType: 'map', listMapKeys, ...facts });

export const objectMeta = struct(
  {
    name: str(),
    generateName: str(),
    namespace: str(),
    selfLink: str(),
    uid: str(),
    resourceVersion: str(),
    generation: int(),
    creationTimestamp: str({ format: 'date-time', presence: 'always' }),
    deletionTimestamp: str({ format: 'date-time' }),
    labels: map(str()),
    annotations: map(str()),
    finalizers: set(str()),
    ownerReferences: keyed(
      struct(
        { apiVersion: str(), kind: str(), name: str(), uid: str(), controller: bool(), blockOwnerDeletion: bool() },
        { mapType: 'atomic' },
      ),
      ['uid'],
    ),
  },
  { presence: 'always' },
);

export const whole = (properties: Record<string, StructuralSchema>): StructuralSchema =>
  struct({ apiVersion: str(), kind: str(), metadata: objectMeta, ...properties });

export const configMap = whole({ immutable: bool(), data: map(str()), binaryData: map(str({ format: 'byte' })) });

export const serviceAccount = whole({
  secrets: keyed(struct({ name: str(), namespace: str() }, { mapType: 'atomic' }), ['name']),
  imagePullSecrets: list(struct({ name: str() }, { mapType: 'atomic' })),
  automountServiceAccountToken: bool(),
});

export const role = whole({
  rules: list(struct({ verbs: list(str()), apiGroups: list(str()), resources: list(str()) })),
});

const chair = struct({ id: int(), owner: str() }, { presence: 'keep' });
export const gadget = whole({
  spec: struct(
    {
      tags: set(str()),
      steps: list(str()),
      ports: keyed(struct({ port: int(), protocol: str({ default: 'TCP' }), name: str(), note: str() }), [
        'port',
        'protocol',
      ]),
      settings: map(str()),
      sealed: struct({ left: str(), right: str() }, { mapType: 'atomic' }),
      rooms: keyed(struct({ name: str(), colour: str(), chairs: keyed(chair, ['id']) }), ['name']),
      mode: str({ default: 'auto' }),
      extra: any(),
    },
    { presence: 'keep' },
  ),
});

const container = struct({
  name: str(),
  image: str(),
  args: list(str()),
  env: keyed(struct({ name: str(), value: str() }), ['name']),
  ports: keyed(struct({ name: str(), containerPort: int(), protocol: str({ default: 'TCP' }) }), [
    'containerPort',
    'protocol',
  ]),
  resources: struct(
    { limits: map(str({ format: 'quantity' })), requests: map(str({ format: 'quantity' })) },
    { presence: 'always' },
  ),
  terminationMessagePath: str(),
});
export const pod = whole({
  spec: struct(
    {
      containers: keyed(container, ['name'], { presence: 'always' }),
      nodeSelector: map(str(), { mapType: 'atomic' }),
      tolerations: list(any()),
      restartPolicy: str(),
    },
    { presence: 'always' },
  ),
  status: struct(
    { phase: str(), conditions: keyed(struct({ type: str(), status: str() }), ['type']) },
    { presence: 'always' },
  ),
});
