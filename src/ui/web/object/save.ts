import type { ResourceClient, UntypedInput, UntypedObject } from '../../../entries/client-web.js';
import type { FieldChange } from '../../../foundation/index.js';
import { appliedOf } from '../data/applied.js';
import { patchOf } from '../data/changes.js';
import { isApiObject } from '../data/guards.js';

/** The field manager of the page. */
export const MANAGER = 'ui';

/** How an edit is sent: the changed fields, an apply of the fields that the page owns, or the whole object. */
export const WAYS = ['fields', 'apply', 'replace'] as const;
export type Way = (typeof WAYS)[number];

/** An edit to send. */
export interface Edited {
  readonly way: Way;
  readonly changes: readonly FieldChange[];
  /** The newest state of the object. */
  readonly current: UntypedObject;
  /** The state that the text began with. */
  readonly base: UntypedObject;
  /** The object that the text describes. */
  readonly written: unknown;
  /** The version at which fields were taken over from other managers; undefined for none. */
  readonly forcedAt: string | undefined;
}

/**
 * Sends an edit.
 *
 * @returns the object as the server has it, or would have it
 * @throws ApiError of the server, such as 409 for another writer meanwhile
 */
export async function send(
  resource: ResourceClient<UntypedObject, UntypedInput>,
  { way, changes, current, base, written, forcedAt }: Edited,
  dryRun: boolean,
  signal?: AbortSignal,
): Promise<UntypedObject> {
  const parameters = { dryRun, fieldValidation: 'Strict', signal } as const;
  if (way === 'apply') {
    const intent = appliedOf(current, MANAGER, changes);
    if (forcedAt === undefined) return resource.apply(intent, parameters);
    // Nobody has written since: the user has seen all that is overridden.
    const metadata = { ...intent.metadata, resourceVersion: forcedAt };
    return resource.apply({ ...intent, metadata }, { ...parameters, force: true });
  }
  if (way === 'fields') {
    const { name = '' } = current.metadata;
    return resource.patch(name, patchOf(changes, editable(current)), parameters);
  }
  if (!isApiObject(written)) throw new Error('An object has apiVersion, kind and metadata.');
  const { resourceVersion, uid } = base.metadata;
  return resource.update({ ...written, metadata: { ...written.metadata, resourceVersion, uid } }, parameters);
}

/** Fields that the server sets: they are not in the text. */
const NOT_EDITED = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp']);

/** Returns the parts of an object that are edited. */
export function editable(object: UntypedObject): UntypedObject {
  const metadata = Object.entries(object.metadata).filter(([name]) => !NOT_EDITED.has(name));
  return { ...object, metadata: Object.fromEntries(metadata) };
}
