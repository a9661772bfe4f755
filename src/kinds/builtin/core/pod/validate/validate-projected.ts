import {
  FieldErrorList,
  forbidden,
  invalid,
  required,
  resultOf,
  type FieldError,
  type Steps,
} from '../../../../../foundation/index.js';
import { validateLabelSelector } from '../../../shared/selectors/validate-label-selector.js';
import { signerNameErrors, trustBundleName } from '../../../shared/signer-name.js';
import { nameErrors } from '../../../shared/validate.js';
import type { PodSpec, Volume } from '../types.js';
import { fileMode, fileWithinVolume } from './validate-paths.js';
import { validateDownwardItems, validateItems } from './validate-volume-items.js';

type Projected = NonNullable<Volume['projected']>;
type Source = NonNullable<Projected['sources']>[number];

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Validates a token source. Kubernetes reports the path of the volume, not of the source, for the file. */
function validateToken(
  errors: FieldError[],
  volumePath: string,
  path: string,
  { path: target, expirationSeconds = 0 }: NonNullable<Source['serviceAccountToken']>,
  allowsOutside: boolean,
): void {
  const at = `${path}.expirationSeconds`;
  if (expirationSeconds < MIN_TOKEN_SECONDS)
    errors.push(invalid(at, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  if (expirationSeconds > MAX_TOKEN_SECONDS)
    errors.push(invalid(at, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  if (!target) errors.push(required(`${volumePath}.path`));
  else if (!allowsOutside) fileWithinVolume(errors, `${volumePath}.path`, target);
}

/** Returns whether a token of a pod is written outside of its volume. */
export const hasTokenPathOutside = ({ volumes = [] }: PodSpec): boolean =>
  volumes.some(({ projected }) =>
    projected?.sources?.some(({ serviceAccountToken: token }) => {
      const errors = new FieldErrorList();
      if (token !== undefined) fileWithinVolume(errors, '', token.path);
      return errors.length > 0;
    }),
  );

/** Validates a trust bundle source: a name, or a signer with labels, but not both. */
function* validateTrustBundle(
  errors: FieldErrorList,
  path: string,
  source: NonNullable<Source['clusterTrustBundle']>,
): Steps<void> {
  const { name, signerName, labelSelector, path: target } = source;
  if (name !== undefined && signerName !== undefined)
    errors.push(invalid(path, source, 'only one of name and signerName may be used'));
  else if (name !== undefined) {
    if (name === '') errors.push(required(`${path}.name`, 'must be a valid object name'));
    const nameRule = trustBundleName(name.slice(0, Math.max(0, name.lastIndexOf(':'))).replaceAll(':', '/'));
    nameErrors(
      errors,
      `${path}.name`,
      name,
      nameRule(name, false).map((problem) => `not a valid clustertrustbundlename: ${problem}`),
    );
    if (labelSelector !== undefined)
      errors.push(invalid(`${path}.labelSelector`, labelSelector, 'labelSelector must be unset if name is specified'));
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(`${path}.signerName`, 'must be a valid signer name'));
    signerNameErrors(errors, `${path}.signerName`, signerName);
    yield* validateLabelSelector(errors, `${path}.labelSelector`, labelSelector);
  } else errors.push(required(path, 'either name or signerName must be specified'));
  if (!target) errors.push(required(`${path}.path`));
  fileWithinVolume(errors, `${path}.path`, target);
}

/** Records the files of a source and reports a file that another source writes, too. */
function* claimPaths(
  errors: FieldErrorList,
  path: string,
  name: string,
  files: readonly { path: string }[],
  claimed: Set<string>,
): Steps<void> {
  for (const { path: file } of files) {
    if (errors.spend()) yield;
    if (!file) continue;
    if (claimed.has(file)) errors.push(invalid(path, name, 'conflicting duplicate paths'));
    claimed.add(file);
  }
}

function* validateProjection(
  errors: FieldErrorList,
  volumePath: string,
  path: string,
  source: Source,
  { claimed, allowsTokenPathsOutside }: { claimed: Set<string>; allowsTokenPathsOutside: boolean },
): Steps<void> {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = source;
  for (const [kind, keys] of [
    ['secret', secret],
    ['configMap', configMap],
  ] as const) {
    if (keys === undefined) continue;
    if (!keys.name) errors.push(required(`${path}.${kind}.name`));
    yield* resultOf(validateItems(errors, `${path}.${kind}.items`, keys.items));
    yield* claimPaths(errors, volumePath, keys.name ?? '', keys.items ?? [], claimed);
  }
  if (downwardAPI !== undefined) {
    yield* validateDownwardItems(errors, `${path}.downwardAPI`, downwardAPI.items);
    for (const item of downwardAPI.items ?? []) {
      if (errors.spend()) yield;
      yield* claimPaths(errors, volumePath, item.path, [item], claimed);
    }
  }
  if (serviceAccountToken !== undefined) {
    validateToken(errors, volumePath, `${path}.serviceAccountToken`, serviceAccountToken, allowsTokenPathsOutside);
    yield* claimPaths(errors, volumePath, serviceAccountToken.path, [serviceAccountToken], claimed);
  }
  if (clusterTrustBundle !== undefined) {
    yield* validateTrustBundle(errors, `${path}.clusterTrustBundle`, clusterTrustBundle);
    yield* claimPaths(errors, volumePath, clusterTrustBundle.path, [clusterTrustBundle], claimed);
  }
  const sources = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle].filter(
    (found) => found !== undefined,
  );
  if (sources.length > 1) errors.push(forbidden(path, 'may not specify more than 1 volume type per source'));
}

/** Validates a projected volume. */
export function* validateProjected(
  errors: FieldErrorList,
  path: string,
  { sources, defaultMode }: Projected,
  { allowsTokenPathsOutside }: { readonly allowsTokenPathsOutside: boolean },
): Steps<void> {
  fileMode(errors, `${path}.defaultMode`, defaultMode);
  const claimed = new Set<string>();
  for (const [index, source] of (sources ?? []).entries()) {
    if (errors.spend()) yield;
    yield* validateProjection(errors, path, `${path}.sources[${index}]`, source, { claimed, allowsTokenPathsOutside });
  }
}
