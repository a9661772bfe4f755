import { isStatus, type Call } from '../../client/index.js';
import { apiVersionOf, groupName, type DialectGroups } from '../../foundation/index.js';
import type { Informer } from '../runtime/informer.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import { kindOf, selectionOf, type KindLike, type Source } from '../runtime/sources.js';

/** A kind or view that a controller follows, with its informer. */
export interface Followed {
  readonly source: Source;
  readonly informer: Informer<AnyObject>;
}

/** Returns whether a call stores nothing. */
export const storesNothing = ({ verb, parameters }: Call): boolean =>
  verb === 'get' || verb === 'list' || verb === 'watch' || ('dryRun' in parameters && parameters.dryRun === true);

/**
 * Returns the sources that will deliver what a call has written: those of its kind that have every object of its
 * namespace. One with selectors may never deliver it.
 */
export function deliveringSources(followed: readonly Followed[], call: Call, dialect: DialectGroups): Followed[] {
  const kind = idOf(call.kind, dialect);
  return followed.filter(({ source }) => idOf(kindOf(source), dialect) === kind && hasAll(source, call));
}

function idOf(kind: KindLike, dialect: DialectGroups): string {
  const apiVersion = 'plural' in kind ? apiVersionOf(groupName(kind.group, dialect), kind.version) : kind.apiVersion;
  return `${apiVersion}/${kind.kind}`;
}

function hasAll(source: Source, call: Call): boolean {
  const { namespace, labelSelector, fieldSelector } = selectionOf(source);
  if (labelSelector !== undefined || fieldSelector !== undefined) return false;
  return namespace === undefined || namespace === call.namespace;
}

/** Returns the key of the object that a call names. */
export const calledKey = ({ namespace, name }: Call): string => (namespace === '' ? name : `${namespace}/${name}`);

/** Returns whether an answer is an object that is stored. */
export const isStoredObject = (answer: unknown): answer is AnyObject =>
  typeof answer === 'object' &&
  answer !== null &&
  !isStatus(answer) &&
  'metadata' in answer &&
  typeof answer.metadata === 'object' &&
  answer.metadata !== null &&
  'uid' in answer.metadata;
