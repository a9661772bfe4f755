import { atOnce } from '../../../src/foundation/work/work.js';
import {
  cloneJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
} from '../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import {
  changed,
  contextOf,
  create,
  freeze,
  orch,
  problems,
  subresourceStrategy,
  texts,
  type Changes,
  type Gates,
} from './support.js';

/** The uid that the registry gives to every object in these tests. */
export const UID = '00000000-0000-4000-8000-000000000000';

const container: JsonObject = { name: 'web', image: 'nginx:1' };
export const labels = { app: 'web' };

/** A template of pods with the label `app: web`. */
export const template = (spec: JsonObject = {}): JsonObject => ({
  metadata: { labels },
  spec: { containers: [container], ...spec },
});

/** A template of pods as it is stored. */
export const storedTemplate = (metadata: JsonObject = { labels }, spec: JsonObject = {}): JsonObject => ({
  metadata: { creationTimestamp: null, ...metadata },
  spec: {
    containers: [
      {
        ...container,
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
  },
});

/** A copy of a manifest with changes by path, as {@link changed} makes them. */
export function withChanges(manifest: JsonObject, changes: Changes): JsonObject {
  const copy = cloneJson({ metadata: {}, ...manifest });
  for (const [path, value] of Object.entries(changes)) setAt(copy, path.split('.'), value);
  return copy;
}

function setAt(object: MutableJsonObject, path: readonly string[], value: JsonValue | undefined): void {
  let parent = object;
  for (const name of path.slice(0, -1)) parent = (parent[name] ??= {}) as MutableJsonObject;
  const last = path.at(-1) ?? '';
  if (value === undefined) delete parent[last];
  else parent[last] = cloneJson(value);
}

/** Tests of one kind with one valid manifest. */
export class KindTests {
  readonly kind: ResourceDefinition;
  readonly manifest: JsonObject;

  constructor(kind: ResourceDefinition, manifest: JsonObject) {
    this.kind = kind;
    this.manifest = withChanges({ metadata: { name: 'web', uid: UID }, ...manifest }, {});
  }

  /** The stored object of the manifest with changes. */
  stored(changes: Changes = {}, gates: Gates = {}): StoredObject {
    return create(this.kind, withChanges(this.manifest, changes), orch, gates);
  }

  /** The errors of a new object. */
  problems(changes: Changes, gates: Gates = {}): string[] {
    return problems(this.kind, withChanges(this.manifest, changes), orch, gates);
  }

  /** An update of the stored object: what it stores, its errors and its warnings. */
  update(changes: Changes, old: StoredObject = this.stored(), gates: Gates = {}) {
    const context = contextOf(orch, gates);
    const { strategy } = this.kind;
    const object = changed(old, changes);
    atOnce(strategy?.prepareForUpdate?.(object, old, context));
    const after = freeze(object as StoredObject);
    return {
      after,
      errors: [
        ...texts(strategy?.validate?.(after, context, old)),
        ...texts(strategy?.validateUpdate?.(after, old, context)),
      ],
      warnings: atOnce(strategy?.warnings?.(after, old, context)) ?? [],
    };
  }

  /** An update of the status of the stored object. */
  updateStatus(changes: Changes, old: StoredObject = this.stored(), gates: Gates = {}) {
    const context = contextOf(orch, gates);
    const strategy = subresourceStrategy(this.kind, 'status');
    const object = changed(old, changes);
    atOnce(strategy.prepareForUpdate(object, old, context));
    const after = freeze(object as StoredObject);
    return { after, errors: texts(strategy.validateUpdate?.(after, old, context)) };
  }

  /** The warnings of a new object. */
  warnings(changes: Changes): string[] {
    return atOnce(this.kind.strategy?.warnings?.(this.stored(changes), undefined, contextOf())) ?? [];
  }
}
