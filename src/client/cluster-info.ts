import { checkClusterInfoSignature, CLUSTER_INFO, requireBootstrapToken } from '../security/index.js';

/** Cluster information that a joining client received: the ConfigMap `cluster-info`, or its parts. */
export type SignedClusterInfo =
  | { readonly data?: Readonly<Record<string, string>> | undefined }
  | {
      readonly kubeconfig: string;
      /** Detached signatures by token id. */
      readonly signatures: Readonly<Record<string, string>>;
    };

/** Maximum size of a ConfigMap, in characters. */
const MAX_KUBECONFIG_LENGTH = 1024 * 1024;

/**
 * Verifies cluster information that a joining client received over an untrusted connection: the kubeconfig must be
 * signed with the client's bootstrap token (RFC 7515, HS256, detached).
 *
 * @param info cluster information from any source
 * @param token bootstrap token, `<id>.<secret>`
 * @returns the signed kubeconfig
 * @throws TypeError for a malformed token
 * @throws Error when the kubeconfig or the signature for this token is missing, or the signature is invalid; the
 *   message contains no secret
 */
export async function verifyClusterInfo(info: SignedClusterInfo, token: string): Promise<string> {
  const { id } = requireBootstrapToken(token);
  const { kubeconfig, signature } = partsOf(info, id);
  if (kubeconfig === undefined)
    throw new Error(`the ConfigMap ${CLUSTER_INFO.name} has no ${CLUSTER_INFO.kubeconfigKey}`);
  if (kubeconfig.length > MAX_KUBECONFIG_LENGTH)
    throw new Error(`the ${CLUSTER_INFO.kubeconfigKey} is longer than ${MAX_KUBECONFIG_LENGTH} characters`);
  if (signature === undefined) {
    throw new Error(
      `the ConfigMap ${CLUSTER_INFO.name} has no signature by the token with the id ${JSON.stringify(id)}: the token is unknown to the server, or has expired`,
    );
  }
  await checkClusterInfoSignature(signature, kubeconfig, token);
  return kubeconfig;
}

function partsOf(
  info: SignedClusterInfo,
  id: string,
): { readonly kubeconfig: string | undefined; readonly signature: string | undefined } {
  if ('signatures' in info) return { kubeconfig: info.kubeconfig, signature: own(info.signatures, id) };
  const { data = {} } = info;
  return {
    kubeconfig: own(data, CLUSTER_INFO.kubeconfigKey),
    signature: own(data, `${CLUSTER_INFO.signaturePrefix}${id}`),
  };
}

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
