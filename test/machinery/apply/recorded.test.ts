/** Replays the recordings of a Kubernetes server against the field manager with a minimal store. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFieldManager, managerFromUserAgent, type FieldManager } from '../../../src/machinery/index.js';
import { ApiError, type Status } from '../../../src/foundation/errors/api-error.js';
import { cloneJson, isJsonObject, type JsonObject, type JsonValue } from '../../../src/foundation/json/json.js';
import type { ApiObject, ManagedFieldsEntry, StoredObject } from '../../../src/foundation/objects/object.js';
import { configMap, gadget, role, serviceAccount } from './schemas.js';

interface Step {
  name: string;
  kind: 'apply' | 'create' | 'replace' | 'patch';
  path: string;
  manager?: string;
  userAgent?: string;
  force?: boolean;
  dryRun?: boolean;
  body: JsonObject;
  object?: JsonObject;
  managed?: ManagedFieldsEntry[];
  error?: JsonObject & { message?: string };
}

const recorded = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8')) as Record<
  string,
  Step[]
>;
const clientSideApply = { manager: 'kubectl', annotation: 'kubectl.kubernetes.io/last-applied-configuration' };
const managers: Record<string, FieldManager> = {
  configmaps: createFieldManager({ schema: configMap, apiVersion: 'v1', kind: 'ConfigMap', clientSideApply }),
  serviceaccounts: createFieldManager({
    schema: serviceAccount,
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    clientSideApply,
  }),
  gadgets: createFieldManager({ schema: gadget, apiVersion: 'run.example.com/v1', kind: 'Gadget', clientSideApply }),
  roles: createFieldManager({
    schema: role,
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    clientSideApply,
  }),
};

function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const out: Record<string, JsonValue | undefined> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else if (value !== undefined) out[key] = mergePatch(out[key], value);
  }
  return out;
}

/** The registry's work around the field manager, as far as these conversations need it. */
class Store {
  readonly objects = new Map<string, StoredObject>();

  run(step: Step, nowMs: number): StoredObject {
    const live = this.objects.get(step.path);
    const manager = step.manager ?? managerFromUserAgent(step.userAgent ?? '');
    const fields = managers[step.path.split('/').at(-2) as string] as FieldManager;
    const { object, managedFields } =
      step.kind === 'apply'
        ? fields.apply({ live, applied: step.body, manager, force: step.force === true, now: nowMs })
        : this.#write(step, live, fields, manager, nowMs);
    const stored = this.#finish(cloneJson(object as JsonObject) as ApiObject, managedFields, live);
    if (step.dryRun !== true) this.objects.set(step.path, stored);
    return stored;
  }

  #write(step: Step, live: StoredObject | undefined, fields: FieldManager, manager: string, nowMs: number) {
    const patched = step.kind === 'patch' ? mergePatch(live, step.body) : step.body;
    const object = cloneJson(patched as JsonObject) as JsonObject as ApiObject;
    if (live?.metadata.uid !== undefined) object.metadata.uid = live.metadata.uid;
    return { object, managedFields: fields.update({ live, object, manager, now: nowMs }) };
  }

  #finish(object: ApiObject, managedFields: ManagedFieldsEntry[], live: StoredObject | undefined): StoredObject {
    object.metadata.uid ??= live?.metadata.uid ?? '00000000-0000-4000-8000-000000000001';
    delete object.metadata.managedFields;
    if (managedFields.length > 0) object.metadata.managedFields = managedFields;
    for (const member of ['labels', 'annotations', 'finalizers'] as const)
      if (isEmptyValue(object.metadata[member])) delete object.metadata[member];
    const spec = object['spec'] as { mode?: string; ports?: { protocol?: string }[] } | undefined;
    if (object.kind === 'Gadget' && spec) {
      spec.mode ??= 'auto';
      for (const port of spec.ports ?? []) port.protocol ??= 'TCP';
    }
    if (object.kind === 'ConfigMap' && isEmptyValue(object['data'])) delete object['data'];
    return object as JsonObject as StoredObject;
  }
}

const isEmptyValue = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value as object).length === 0);
/** The recorder sorted entries by their text, which loses the order of the server; another test covers that. */
const byManager = (entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] =>
  [...entries].sort((a, b) => (`${a.manager} ${a.operation}` < `${b.manager} ${b.operation}` ? -1 : 1));
/** It sorted causes too. */
function withSortedCauses<Answer extends Partial<Status>>(status: Answer): Answer {
  const { details } = status;
  if (details?.causes === undefined) return status;
  return {
    ...status,
    details: {
      ...details,
      causes: [...details.causes].sort((a, b) => (`${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1)),
    },
  };
}
const shownEntry = (entry: ManagedFieldsEntry): ManagedFieldsEntry =>
  entry.time === undefined ? entry : { ...entry, time: '<time>' };

function shownObject(object: StoredObject): JsonObject {
  const { name: _n, namespace: _ns, uid: _u, resourceVersion: _r, managedFields: _m, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as JsonObject };
}

describe.each(Object.keys(recorded))('the recorded family %s', (family) => {
  const store = new Store();
  let nowMs = Date.UTC(2024, 0, 1);
  it.each(recorded[family] as Step[])('$name', (step) => {
    nowMs += 1000;
    if (step.error !== undefined) {
      let thrown: unknown;
      try {
        store.run(step, nowMs);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(ApiError);
      const { status } = thrown as ApiError;
      // The text of an item without keys was not recorded.
      const expected = step.error.message === undefined ? { ...step.error, message: status.message ?? '' } : step.error;
      expect(withSortedCauses(status)).toEqual(withSortedCauses(expected));
      return;
    }
    const stored = store.run(step, nowMs);
    if (step.object !== undefined) expect(shownObject(stored)).toEqual(step.object);
    if (step.managed !== undefined)
      expect(byManager((stored.metadata.managedFields ?? []).map(shownEntry))).toEqual(byManager(step.managed));
  });
});
