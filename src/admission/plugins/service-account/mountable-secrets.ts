import type { coreV1 } from '../../../kinds/index.js';
import type { Incomplete } from '../../../registry/index.js';

/** An account whose pods may use only the secrets that it names. */
interface Account {
  readonly metadata: { readonly name?: string | undefined };
  readonly secrets?: readonly { readonly name?: string | undefined }[] | undefined;
  readonly imagePullSecrets?: readonly { readonly name?: string | undefined }[] | undefined;
}

type Container = Pick<coreV1.Container, 'name' | 'env' | 'envFrom'>;

const notReferenced = ({ metadata }: Account): string =>
  `is not allowed because service account ${metadata.name ?? ''} does not reference that`;

/** Returns why the account does not let a pod use its secrets; undefined when it does. */
export function checkSecrets(spec: coreV1.PodSpec, account: Account): string | undefined {
  const allowed = new Set((account.secrets ?? []).map(({ name }) => name));
  for (const { secret } of spec.volumes ?? [])
    if (secret !== undefined && !allowed.has(secret.secretName))
      return `volume with secret.secretName="${secret.secretName ?? ''}" ${notReferenced(account)} secret`;
  const problem =
    containerProblem('init container', spec.initContainers ?? [], account) ??
    containerProblem('container', spec.containers ?? [], account);
  if (problem !== undefined) return problem;
  const pulling = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  for (const [index, { name }] of (spec.imagePullSecrets ?? []).entries())
    if (!pulling.has(name))
      return `imagePullSecrets[${index}].name="${name ?? ''}" ${notReferenced(account)} imagePullSecret`;
  return undefined;
}

/** Returns why the account does not let a pod's ephemeral containers use their secrets; undefined when it does. */
export const checkEphemeralSecrets = (
  { ephemeralContainers = [] }: coreV1.PodSpec,
  account: Account,
): string | undefined => containerProblem('ephemeral container', ephemeralContainers, account);

function containerProblem(what: string, containers: readonly Container[], account: Account): string | undefined {
  const allowed = new Set((account.secrets ?? []).map(({ name }) => name));
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef;
      if (secret !== undefined && !allowed.has(secret.name))
        return `${what} ${name} with envVar ${variable} referencing secret.secretName="${secret.name ?? ''}" ${notReferenced(account)} secret`;
    }
    for (const { secretRef } of envFrom)
      if (secretRef !== undefined && !allowed.has(secretRef.name))
        return `${what} ${name} with envFrom referencing secret.secretName="${secretRef.name ?? ''}" ${notReferenced(account)} secret`;
  }
  return undefined;
}

/** Returns whether a pod uses any secret. */
export function referencesSecrets(spec: Incomplete<coreV1.PodSpec>): boolean {
  const containers: readonly Incomplete<Container>[] = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  return (
    (spec.imagePullSecrets ?? []).length > 0 ||
    (spec.volumes ?? []).some(usesSecret) ||
    containers.some(
      ({ env = [], envFrom = [] }) =>
        env.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined) ||
        envFrom.some(({ secretRef }) => secretRef !== undefined),
    )
  );
}

/** Returns whether a volume names a secret: itself, in a projection, or for its driver. */
function usesSecret(volume: Incomplete<coreV1.Volume>): boolean {
  const { secret, projected, azureFile } = volume;
  if (secret !== undefined || (azureFile?.secretName ?? '') !== '') return true;
  if ((projected?.sources ?? []).some((source) => source.secret !== undefined)) return true;
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos, csi } = volume;
  return (
    [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].some((source) => source?.secretRef !== undefined) ||
    csi?.nodePublishSecretRef !== undefined
  );
}
