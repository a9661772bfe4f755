/** Parameters of the API. Their values are logged; those of any other may be a credential (`access_token`, `password`). */
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

/** Path and query of a request as they are logged: with the values of parameters that the API knows, and of no others. */
export function loggedUri(path: string, query: string): string {
  return query === '' ? path : `${path}?${query.split('&').map(loggedParameter).join('&')}`;
}

function loggedParameter(parameter: string): string {
  const equals = parameter.indexOf('=');
  // A word alone may be a credential too.
  if (equals < 0) return parameter === '' || KNOWN.has(parameter) ? parameter : REDACTED;
  const name = parameter.slice(0, equals);
  return KNOWN.has(name) ? parameter : `${name}=${REDACTED}`;
}
