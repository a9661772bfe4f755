import type { Parameter } from './model.js';

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  in: 'query',
  type,
  description,
});

const dryRun = query('dryRun', 'string', 'With the value All, all stages run but nothing is stored.');
const fieldManager = query(
  'fieldManager',
  'string',
  'Name of the field manager; default the first word of the User-Agent. Required for apply.',
);
const fieldValidation = query(
  'fieldValidation',
  'string',
  'Handling of unknown and duplicate fields: Ignore, Warn (default) or Strict.',
);
const limit = query('limit', 'integer', 'Maximum number of items in one response; use continue for the rest.');
const continuation = query('continue', 'string', 'Token from the metadata of the previous page.');
const resourceVersion = query('resourceVersion', 'string', 'Constrains the version of the data to serve.');
const resourceVersionMatch = query(
  'resourceVersionMatch',
  'string',
  'Meaning of resourceVersion: Exact or NotOlderThan.',
);
const labelSelector = query('labelSelector', 'string', 'Restricts the result to objects with matching labels.');
const fieldSelector = query('fieldSelector', 'string', 'Restricts the result to objects with matching fields.');
const timeoutSeconds = query(
  'timeoutSeconds',
  'integer',
  'Maximum duration of the call in seconds, regardless of activity.',
);
const sendInitialEvents = query(
  'sendInitialEvents',
  'boolean',
  'Starts a watch with an event for every existing object.',
);
const gracePeriodSeconds = query('gracePeriodSeconds', 'integer', 'Grace period in seconds; 0 deletes immediately.');
const orphanDependents = query(
  'orphanDependents',
  'boolean',
  'Deprecated, use propagationPolicy: whether dependents are kept.',
);
const propagationPolicy = query(
  'propagationPolicy',
  'string',
  'Handling of dependents: Orphan, Background or Foreground.',
);

/** Parameter for indented responses; every operation has it. */
export const pretty = query('pretty', 'string', 'If true, the response is indented.');

/** Parameters of a list or watch. */
export const listParameters: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Requests BOOKMARK events, which report the progress of a watch.'),
  continuation,
  fieldSelector,
  labelSelector,
  limit,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
  query('watch', 'boolean', 'Turns a list into a watch: a stream of changes since resourceVersion.'),
];

/** Parameters of POST and PUT. */
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];

/** Parameters of PATCH. */
export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  query('force', 'boolean', 'Lets apply take fields from other managers. Only for apply.'),
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
