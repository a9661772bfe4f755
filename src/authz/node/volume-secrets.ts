/**
 * The secrets with which a node mounts a persistent volume.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import type { ObjectReference } from './object-index.js';

/** A kind of volume, and where in it the secret is named. */
interface SecretRow {
  readonly source: string;
  /** Field with the reference; the source itself when absent. */
  readonly reference?: string;
  readonly nameField?: string;
  readonly namespaceField?: string;
  /** A reference without a namespace is to the namespace of the claim. */
  readonly inClaimNamespace?: true;
}

/** Secrets for the controllers of a CSI driver are missing on purpose: nodes do not need them. */
const SECRETS: readonly SecretRow[] = [
  { source: 'azureFile', nameField: 'secretName', namespaceField: 'secretNamespace', inClaimNamespace: true },
  { source: 'cephfs', reference: 'secretRef', inClaimNamespace: true },
  { source: 'cinder', reference: 'secretRef' },
  { source: 'flexVolume', reference: 'secretRef', inClaimNamespace: true },
  { source: 'rbd', reference: 'secretRef', inClaimNamespace: true },
  { source: 'scaleIO', reference: 'secretRef', inClaimNamespace: true },
  { source: 'iscsi', reference: 'secretRef', inClaimNamespace: true },
  { source: 'storageos', reference: 'secretRef' },
  { source: 'csi', reference: 'nodePublishSecretRef' },
  { source: 'csi', reference: 'nodeStageSecretRef' },
  { source: 'csi', reference: 'nodeExpandSecretRef' },
];

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/**
 * The secrets that nodes need for a volume.
 *
 * @param spec of the persistent volume
 * @param claimNamespace namespace of the claim that the volume is bound to
 */
export function volumeSecrets(spec: JsonObject, claimNamespace: string): ObjectReference[] {
  const secrets: ObjectReference[] = [];
  for (const { source, reference, nameField = 'name', namespaceField = 'namespace', inClaimNamespace } of SECRETS) {
    const volume = spec[source];
    if (!isJsonObject(volume)) continue;
    const secret = reference === undefined ? volume : volume[reference];
    if (!isJsonObject(secret)) continue;
    const name = text(secret[nameField]);
    const namespace = text(secret[namespaceField]) || (inClaimNamespace === true ? claimNamespace : '');
    if (name !== '' && namespace !== '') secrets.push({ resource: 'secrets', namespace, name });
  }
  return secrets;
}
