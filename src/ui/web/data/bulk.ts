import type { UntypedObject } from '../../../entries/client-web.js';
import { actionsOf, patchObject } from './actions.js';
import { wordsOf, type Api } from './api.js';
import { forEachAtOnce } from './at-once.js';
import { browserClock } from './clock.js';
import { apiVersionOf, type PageKind } from './kinds.js';
import type { Row } from './rows.js';

/** Something that is done to all selected rows. */
export type BulkTask =
  | { readonly is: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan' }
  /** The labels to set; null removes one. */
  | { readonly is: 'label'; readonly labels: Readonly<Record<string, string | null>> }
  /** An action of {@link actionsOf}. */
  | { readonly is: 'act'; readonly title: string; readonly number: number };

/** A row for which a task has failed. */
export interface BulkFailure {
  readonly row: Row;
  readonly message: string;
}

/** How far a task is. */
export interface BulkProgress {
  readonly done: number;
  readonly failures: readonly BulkFailure[];
}

/** Runs a task for each row, a few at once. A failure of one does not stop the others. */
export async function runForAll(
  api: Api,
  kind: PageKind,
  rows: readonly Row[],
  task: BulkTask,
  signal: AbortSignal,
  progressed: (progress: BulkProgress) => void,
): Promise<BulkProgress> {
  let progress: BulkProgress = { done: 0, failures: [] };
  await forEachAtOnce(rows, signal, async (row) => {
    const failure = await run(api, kind, row, task).then(
      () => undefined,
      (error: unknown) => ({ row, message: wordsOf(error) }),
    );
    const { done, failures } = progress;
    progress = failure === undefined ? { done: done + 1, failures } : { done, failures: [...failures, failure] };
    if (!signal.aborted) progressed(progress);
  });
  return progress;
}

/** Runs a task for one row: for the object that was selected, not another one that has taken its name. */
async function run(api: Api, kind: PageKind, row: Row, task: BulkTask): Promise<void> {
  const { uid, name, namespace } = row;
  const resource = collectionOf(api, kind, namespace);
  if (task.is === 'delete')
    return void (await resource.delete(name, { propagationPolicy: task.policy, preconditions: { uid } }));
  if (task.is === 'label') return patchObject(api, kind, row, { metadata: { labels: task.labels } });
  const object = await resource.get(name);
  if (object.metadata.uid !== uid) throw new Error('another object has its name now');
  const action = actionsOf(kind, object, () => browserClock.now()).find(({ title }) => title === task.title);
  if (action === undefined) throw new Error('this does not apply to it');
  await action.run(api, task.number);
}

/** Returns the client of the collection that an object is in. */
export function collectionOf(api: Api, kind: PageKind, namespace: string | undefined) {
  const resource = api.client.resource({ apiVersion: apiVersionOf(kind), kind: kind.kind });
  return namespace === undefined ? resource : resource.namespace(namespace);
}

/** Reads the metadata of the object of a row. */
export async function metadataOf(api: Api, kind: PageKind, row: Row, signal: AbortSignal): Promise<UntypedObject> {
  const { metadata } = await collectionOf(api, kind, row.namespace).metadata().get(row.name, { signal });
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
}

/**
 * Returns the labels that a text sets and removes, as `kubectl label` reads it: `app=web tier-`.
 *
 * @returns undefined for another text
 */
export function labelsIn(text: string): Readonly<Record<string, string | null>> | undefined {
  const words = text.trim().split(/[\s,]+/);
  const entries = words.map((word): readonly [string, string | null] | undefined => {
    const [, key, value] = /^([^=]+)=([^=]*)$/.exec(word) ?? [];
    if (key !== undefined) return [key, value ?? ''];
    return word.length > 1 && word.endsWith('-') ? [word.slice(0, -1), null] : undefined;
  });
  return entries.includes(undefined)
    ? undefined
    : Object.fromEntries(entries.flatMap((entry) => (entry ? [entry] : [])));
}
