/**
 * Query parameters of the API, whose values are logged. Other values may be credentials (`access_token`, `password`).
 */
const KNOWN: ReadonlySet<string> = new Set([
  'allowWatchBookmarks',
  'continue',
  'dryRun',
  'exclude',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'includeObject',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeout',
  'timeoutSeconds',
  'verbose',
  'watch',
]);

const REDACTED = 'REDACTED';

/** Returns path and query of a request for the log; values of unknown parameters are redacted. */
export const loggedUri = (path: string, query: string): string =>
  query === '' ? path : `${path}?${loggedQuery(query)}`;

/** Returns the query of a request for those who may see what others request; values of unknown parameters are redacted. */
export const loggedQuery = (query: string): string =>
  query === '' ? '' : query.split('&').map(loggedParameter).join('&');

function loggedParameter(parameter: string): string {
  const equals = parameter.indexOf('=');
  // A parameter without a value may be a credential too.
  if (equals < 0) return parameter === '' || KNOWN.has(parameter) ? parameter : REDACTED;
  const name = parameter.slice(0, equals);
  return KNOWN.has(name) ? parameter : `${name}=${REDACTED}`;
}
