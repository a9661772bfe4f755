import { ApiError } from '../../foundation/index.js';
import { distancesFrom } from '../../security/index.js';

/** Maximum distance of a kind that counts as near. */
const MAX_DISTANCE = 0.6;
const MAX_NAMES = 3;

/** The names of a kind. */
interface KindNames {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns the error for a kind that is not served, with the kinds of similar names. */
export function unservedKind({ apiVersion, kind }: KindNames, served: Iterable<KindNames>): ApiError {
  const names = nearNames(apiVersion, kind, served);
  const near = names.length === 0 ? '' : `; near names are ${names.join(', ')}`;
  return new ApiError({
    reason: 'NotFound',
    details: {},
    code: 404,
    message: `the server could not find the requested resource: no kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)} is served${near}`,
  });
}

/** Returns the nearest kinds, the same kind of another version or group first. */
function nearNames(apiVersion: string, kind: string, served: Iterable<KindNames>): string[] {
  const kinds = distancesFrom(kind);
  const versions = distancesFrom(apiVersion);
  return [...served]
    .map((info) => ({ info, distance: kinds(info.kind) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance || versions(a.info.apiVersion) - versions(b.info.apiVersion))
    .slice(0, MAX_NAMES)
    .map(({ info }) => `${info.kind} of ${info.apiVersion}`);
}
