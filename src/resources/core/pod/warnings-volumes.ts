import { ownMember } from '../../../encoding/own-property.js';
import { goQuote } from '../../../meta/go-text.js';
import type { Volume } from './types.js';
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
export function warnOfVolumes(warnings: string[], path: string, volumes: readonly Volume[]): void {
  for (const [index, volume] of volumes.entries()) {
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

/** Returns the files that a source of a projected volume writes, each with its path as the warnings show it. */
function filesOf({ configMap, secret, downwardAPI, clusterTrustBundle }: Source): [path: string, file: string][] {
  const numbered = (name: string, items: readonly { path: string }[] = []): [string, string][] =>
    items.map(({ path }, index) => [`${name}[${index}]`, path]);
  return [
    ...numbered('configMap', configMap?.items),
    ...numbered('secrets', secret?.items),
    ...numbered('downwardAPI', downwardAPI?.items),
    ...(clusterTrustBundle === undefined
      ? []
      : [['ClusterTrustBundle', clusterTrustBundle.path] satisfies [string, string]]),
  ];
}

/** Warns of files of projected volumes with the path of a token. */
export function warnOfProjectedPaths(warnings: string[], path: string, volumes: readonly Volume[]): void {
  if (!volumes.some(({ projected }) => projected !== undefined)) return;
  const sourcesOf = ({ projected }: Volume): readonly Source[] => projected?.sources ?? [];
  const tokens = new Set(
    volumes.flatMap(sourcesOf).flatMap(({ serviceAccountToken: token }) => (token === undefined ? [] : token.path)),
  );
  if (tokens.size === 0) return;
  for (const [index, volume] of volumes.entries())
    for (const [at, file] of sourcesOf(volume).flatMap(filesOf))
      if (tokens.has(file))
        warnings.push(
          `${path}[${index}].projected.sources.${at}: has duplicated path with ServiceAccountToken ${goQuote(file)}`,
        );
}
