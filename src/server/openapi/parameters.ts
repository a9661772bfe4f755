import type { Parameter } from './model.js';

const queryOf =
  (type: Parameter['type']) =>
  (name: string, description: string): Parameter => ({ name, in: 'query', type, description });
const text = queryOf('string');
const integer = queryOf('integer');
const flag = queryOf('boolean');

const dryRun = text('dryRun', 'With the value All, all stages run but nothing is stored.');
const fieldManager = text(
  'fieldManager',
  'Name of the field manager; default the first word of the User-Agent. Required for apply.',
);
const fieldValidation = text(
  'fieldValidation',
  'Handling of unknown and duplicate fields: Ignore, Warn (default) or Strict.',
);
const limit = integer('limit', 'Maximum number of items in one response; use continue for the rest.');
const continuation = text('continue', 'Token from the metadata of the previous page.');
/** Version of the data of a read. */
export const resourceVersion = text('resourceVersion', 'Constrains the version of the data to serve.');
const resourceVersionMatch = text('resourceVersionMatch', 'Meaning of resourceVersion: Exact or NotOlderThan.');
const labelSelector = text('labelSelector', 'Restricts the result to objects with matching labels.');
const fieldSelector = text('fieldSelector', 'Restricts the result to objects with matching fields.');
const timeoutSeconds = integer('timeoutSeconds', 'Maximum duration of the call in seconds, regardless of activity.');
const sendInitialEvents = flag('sendInitialEvents', 'Starts a watch with an event for every existing object.');
const gracePeriodSeconds = integer('gracePeriodSeconds', 'Grace period in seconds; 0 deletes immediately.');
const orphanDependents = flag('orphanDependents', 'Deprecated, use propagationPolicy: whether dependents are kept.');
const propagationPolicy = text('propagationPolicy', 'Handling of dependents: Orphan, Background or Foreground.');

/** Parameter for indented responses; every operation has it. */
export const pretty = text('pretty', 'If true, the response is indented.');

/** Parameters of a list or watch. */
export const listParameters: readonly Parameter[] = [
  flag('allowWatchBookmarks', 'Requests BOOKMARK events, which report the progress of a watch.'),
  continuation,
  fieldSelector,
  labelSelector,
  limit,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
  flag('watch', 'Turns a list into a watch: a stream of changes since resourceVersion.'),
];

/** Parameters of POST and PUT. */
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];

/** Parameters of PATCH. */
export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  flag('force', 'Lets apply take fields from other managers. Only for apply.'),
];

/** Parameters of DELETE on one object. */
export const deleteParameters: readonly Parameter[] = [dryRun, gracePeriodSeconds, orphanDependents, propagationPolicy];

/** Parameters of DELETE on a collection. */
export const deleteCollectionParameters: readonly Parameter[] = [
  continuation,
  dryRun,
  fieldSelector,
  gracePeriodSeconds,
  labelSelector,
  limit,
  orphanDependents,
  propagationPolicy,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
];

/** Path parameter of the namespace. */
export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'Name of the namespace.',
};

/** Returns the path parameter of the name. */
export function nameParameter(kind: string): Parameter {
  return { name: 'name', in: 'path', type: 'string', description: `Name of the ${kind}.` };
}
