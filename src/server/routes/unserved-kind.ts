import { ApiError, errors } from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import { distancesFrom } from '../../security/index.js';

/** Maximum distance of a kind that counts as near. */
const MAX_DISTANCE = 0.6;
const MAX_NAMES = 3;

/** Returns the error for a kind that is not served, with the kinds of similar names. */
export function unservedKind(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  served: Iterable<ResourceInfo>,
): ApiError {
  const { status } = errors.resourceNotFound();
  const names = nearNames(apiVersion, kind, served);
  const near = names.length === 0 ? '' : `; near names are ${names.join(', ')}`;
  return new ApiError({
    ...status,
    message: `${status.message ?? ''}: no kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)} is served${near}`,
  });
}

/** Returns the nearest kinds, the same kind of another version or group first. */
function nearNames(apiVersion: string, kind: string, served: Iterable<ResourceInfo>): string[] {
  const kinds = distancesFrom(kind);
  const versions = distancesFrom(apiVersion);
  return [...served]
    .map((info) => ({ info, distance: kinds(info.kind) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((a, b) => a.distance - b.distance || versions(a.info.apiVersion) - versions(b.info.apiVersion))
    .slice(0, MAX_NAMES)
    .map(({ info }) => `${info.kind} of ${info.apiVersion}`);
}
