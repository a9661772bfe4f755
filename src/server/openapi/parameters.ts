import type { Parameter } from './model.js';

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  in: 'query',
  type,
  description,
});

const dryRun = query('dryRun', 'string', 'With the value All, every stage runs but nothing is stored.');
const fieldManager = query(
  'fieldManager',
  'string',
  'Who makes the change; by default the first word of the User-Agent. Required for apply.',
);
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What happens to unknown and duplicate fields: Ignore, Warn (the default) or Strict.',
);
const limit = query('limit', 'integer', 'Greatest number of items of one answer; the rest is had with continue.');
const continuation = query('continue', 'string', 'Token from the metadata of the part before.');
const resourceVersion = query('resourceVersion', 'string', 'Constrains which version of the data may be served.');
const resourceVersionMatch = query(
  'resourceVersionMatch',
  'string',
  'How resourceVersion is meant: Exact or NotOlderThan.',
);
const labelSelector = query('labelSelector', 'string', 'Keeps to objects with matching labels.');
const fieldSelector = query('fieldSelector', 'string', 'Keeps to objects with matching fields.');
const timeoutSeconds = query(
  'timeoutSeconds',
  'integer',
  'Ends the call after this time, whether it was active or not.',
);
const sendInitialEvents = query(
  'sendInitialEvents',
  'boolean',
  'Starts a watch with an event for every object that exists.',
);
const gracePeriodSeconds = query('gracePeriodSeconds', 'integer', 'Seconds for a graceful end; 0 is at once.');
const orphanDependents = query(
  'orphanDependents',
  'boolean',
  'Deprecated in favour of propagationPolicy: whether dependants are kept.',
);
const propagationPolicy = query(
  'propagationPolicy',
  'string',
  'What happens to dependants: Orphan, Background or Foreground.',
);

/** For the pretty printing of answers; every operation has it. */
export const pretty = query('pretty', 'string', 'If true, the answer is indented.');

/** Parameters of a list or watch. */
export const listParameters: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Asks for events of the type BOOKMARK, which say how far a watch has come.'),
  continuation,
  fieldSelector,
  labelSelector,
  limit,
  resourceVersion,
  resourceVersionMatch,
  sendInitialEvents,
  timeoutSeconds,
  query('watch', 'boolean', 'Makes a list a watch: a stream of changes from resourceVersion on.'),
];

/** Parameters of POST and PUT. */
export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];

/** Parameters of PATCH. */
export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  query('force', 'boolean', 'Lets apply take fields over from other managers. Only for apply.'),
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

/** The namespace of a path. */
export const namespaceParameter: Parameter = {
  name: 'namespace',
  in: 'path',
  type: 'string',
  description: 'Name of the namespace.',
};

/** The name of a path. */
export function nameParameter(kind: string): Parameter {
  return { name: 'name', in: 'path', type: 'string', description: `Name of the ${kind}.` };
}
