import type { UntypedObject } from '../../../entries/client-web.js';
import type { Api } from './api.js';
import { isMap } from './guards.js';
import { pathOf, type PageKind } from './kinds.js';

/** Something that is done to an object beside editing it. */
export interface Action {
  readonly title: string;
  /** The question that the dialog asks before. */
  readonly question: string;
  /** The number that the dialog asks for; undefined when it asks for none. */
  readonly number?: number | undefined;
  /** @param number what the dialog was given @throws ApiFailure */
  readonly run: (api: Api, number: number) => Promise<void>;
}

/** An action that some objects of a kind have. */
export type KindAction = Pick<Action, 'title' | 'question' | 'number'>;

/** Returns the actions that objects of a kind may have, in whichever state they are. */
export function actionsOfKind(kind: PageKind): KindAction[] {
  const states = [{}, { spec: { unschedulable: true } }];
  const found = states.flatMap((state) => actionsOf(kind, { ...NO_OBJECT, ...state }, () => 0));
  return found.filter(({ title }, index) => found.findIndex((other) => other.title === title) === index);
}

const NO_OBJECT: UntypedObject = { apiVersion: '', kind: '', metadata: {} };

/** Returns the actions that an object has. */
export function actionsOf(kind: PageKind, object: UntypedObject, now: () => number): Action[] {
  return [
    scale(kind, object),
    restart(kind, object, now),
    cordon(kind, object),
    ...decisions(kind, object, now),
  ].flatMap((action) => action ?? []);
}

function scale(kind: PageKind, object: UntypedObject): Action | undefined {
  if (!kind.subresources.includes('scale')) return undefined;
  const { spec } = object;
  const replicas = isMap(spec) && typeof spec['replicas'] === 'number' ? spec['replicas'] : 1;
  return {
    title: 'Scale…',
    question: 'How many replicas?',
    number: replicas,
    run: (api, number) => merge(api, kind, object, { spec: { replicas: number } }, 'scale'),
  };
}

/** Kinds whose pods are replaced when their template changes. */
const RESTARTED = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
/** The annotation of a template that changes with each restart. */
const RESTARTED_AT = 'restartedAt';

function restart(kind: PageKind, object: UntypedObject, now: () => number): Action | undefined {
  if (kind.group !== 'apps' || !RESTARTED.has(kind.kind)) return undefined;
  return {
    title: 'Restart…',
    question: 'Replace all pods, as its strategy says?',
    run(api) {
      const annotations = { [RESTARTED_AT]: new Date(now()).toISOString() };
      return merge(api, kind, object, { spec: { template: { metadata: { annotations } } } });
    },
  };
}

function cordon(kind: PageKind, object: UntypedObject): Action | undefined {
  if (kind.group !== '' || kind.kind !== 'Node') return undefined;
  const isCordoned = isMap(object['spec']) && object['spec']['unschedulable'] === true;
  return {
    title: isCordoned ? 'Uncordon…' : 'Cordon…',
    question: isCordoned ? 'Let new pods run on the node?' : 'Keep new pods from the node? Those on it stay.',
    run: (api) => merge(api, kind, object, { spec: { unschedulable: isCordoned ? null : true } }),
  };
}

function decisions(kind: PageKind, object: UntypedObject, now: () => number): Action[] {
  if (!kind.subresources.includes('approval')) return [];
  const { status } = object;
  const sent = isMap(status) ? status['conditions'] : undefined;
  const conditions: readonly unknown[] = Array.isArray(sent) ? sent : [];
  const decided = conditions.some((each) => isMap(each) && (each['type'] === 'Approved' || each['type'] === 'Denied'));
  if (decided) return [];
  const decide = (type: string, title: string, question: string): Action => ({
    title,
    question,
    run(api) {
      const time = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const condition = { type, status: 'True', reason: 'Decided', message: 'by the page', lastUpdateTime: time };
      return merge(api, kind, object, { status: { conditions: [...conditions, condition] } }, 'approval');
    },
  });
  return [
    decide('Approved', 'Approve…', 'Approve the request? Its signer then issues the certificate.'),
    decide('Denied', 'Deny…', 'Deny the request? This cannot be taken back.'),
  ];
}

/** Sends a merge patch, for the version that was seen: another writer meanwhile is a conflict, not overwritten. */
function merge(
  api: Api,
  kind: PageKind,
  { metadata: { namespace, name = '', uid, resourceVersion } }: UntypedObject,
  patch: object,
  subresource?: string,
): Promise<void> {
  // The number of replicas may be changed by others at any time.
  const seen = subresource === 'approval' ? { resourceVersion } : {};
  return patchObject(api, kind, { namespace, name, uid }, { ...patch, metadata: seen }, subresource);
}

/** The names of an object to change. */
export interface PatchTarget {
  readonly namespace: string | undefined;
  readonly name: string;
  /** Another object that has taken the name since is not changed. */
  readonly uid: string | undefined;
}

/** Sends a merge patch for an object. @throws ApiFailure */
export async function patchObject(
  api: Api,
  kind: PageKind,
  { namespace, name, uid }: PatchTarget,
  patch: { readonly metadata?: object },
  subresource?: string,
): Promise<void> {
  const path = `${pathOf(kind, namespace)}/${encodeURIComponent(name)}${subresource === undefined ? '' : `/${subresource}`}`;
  await api.request(`${path}?fieldManager=ui`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ ...patch, metadata: { ...patch.metadata, uid } }),
  });
}
