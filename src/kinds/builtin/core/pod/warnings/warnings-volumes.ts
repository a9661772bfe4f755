import { goQuote, ownMember, type Steps, type WarningList } from '../../../../../foundation/index.js';
import type { Volume } from '../types.js';
import { warnOfFraction } from './warnings-containers.js';

/** Deprecated types of volumes, in the order of the warnings. */
const DEPRECATED: readonly (readonly [type: keyof Volume, text: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** The names of types in the warnings, where they are not those of the fields. */
const SHOWN: Readonly<Record<string, string>> = { storageos: 'storageOS' };

/** Warns of deprecated volumes, and of claims with fractions of bytes. */
export function* warnOfVolumes(warnings: WarningList, path: string, volumes: readonly Volume[]): Steps<void> {
  for (const [index, volume] of volumes.entries()) {
    if (warnings.spend()) yield;
    for (const [type, text] of DEPRECATED) {
      if (volume[type] === undefined) continue;
      if (type !== 'ephemeral') warnings.push(`${path}[${index}].${ownMember(SHOWN, type) ?? type}: ${text}`);
      else {
        const { requests, limits } = volume.ephemeral?.volumeClaimTemplate?.spec.resources ?? {};
        const at = `${path}[${index}].ephemeral.volumeClaimTemplate.spec.resources`;
        warnOfFraction(warnings, `${at}.requests`, requests, 'storage');
        warnOfFraction(warnings, `${at}.limits`, limits, 'storage');
      }
    }
  }
}

type Source = NonNullable<NonNullable<Volume['projected']>['sources']>[number];

/** A file that a source of a projected volume writes, with its path as the warnings show it. */
type ShownFile = readonly [at: string, file: string];

function* filesOf({ configMap, secret, downwardAPI, clusterTrustBundle }: Source): Iterable<ShownFile> {
  const lists = { configMap: configMap?.items, secrets: secret?.items, downwardAPI: downwardAPI?.items };
  for (const [name, items] of Object.entries(lists))
    for (const [index, { path }] of (items ?? []).entries()) yield [`${name}[${index}]`, path];
  if (clusterTrustBundle !== undefined) yield ['ClusterTrustBundle', clusterTrustBundle.path];
}

/** Returns the paths of the tokens of projected volumes. */
function* tokenPaths(warnings: WarningList, volumes: readonly Volume[]): Steps<Set<string>> {
  const paths = new Set<string>();
  for (const { projected } of volumes) {
    if (warnings.spend()) yield;
    for (const { serviceAccountToken: token } of projected?.sources ?? []) {
      if (warnings.spend()) yield;
      if (token !== undefined) paths.add(token.path);
    }
  }
  return paths;
}

/** Warns of files of projected volumes with the path of a token. */
export function* warnOfProjectedPaths(warnings: WarningList, path: string, volumes: readonly Volume[]): Steps<void> {
  if (!volumes.some(({ projected }) => projected !== undefined)) return;
  const tokens = yield* tokenPaths(warnings, volumes);
  if (tokens.size === 0) return;
  for (const [index, { projected }] of volumes.entries()) {
    if (warnings.spend()) yield;
    for (const source of projected?.sources ?? [])
      for (const [at, file] of filesOf(source)) {
        if (warnings.spend()) yield;
        if (tokens.has(file))
          warnings.push(
            `${path}[${index}].projected.sources.${at}: has duplicated path with ServiceAccountToken ${goQuote(file)}`,
          );
      }
  }
}
