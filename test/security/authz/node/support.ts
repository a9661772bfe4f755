import type { Attributes } from '../../../../src/security/authz/index.js';
import type { NodeGraph } from '../../../../src/security/authz/node/index.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';

/** The references of a test pod. */
export interface PodFacts {
  readonly secrets?: readonly string[];
  readonly configMaps?: readonly string[];
  readonly claims?: readonly string[];
  readonly resourceClaims?: readonly string[];
  readonly serviceAccount?: string;
}

/** A pod as the server stores it, without the fields that no test here reads. */
export function podOf(name: string, nodeName: string, facts: PodFacts = {}, namespace = 'ns'): JsonObject {
  const { secrets = [], configMaps = [], claims = [], resourceClaims = [], serviceAccount } = facts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      ...(nodeName === '' ? {} : { nodeName }),
      ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
      containers: [{ name: 'main', image: 'image' }],
      volumes: [
        ...secrets.map((secretName) => ({ name: `s-${secretName}`, secret: { secretName } })),
        ...configMaps.map((configMap) => ({ name: `c-${configMap}`, configMap: { name: configMap } })),
        ...claims.map((claimName) => ({ name: `p-${claimName}`, persistentVolumeClaim: { claimName } })),
      ],
      resourceClaims: resourceClaims.map((resourceClaimName) => ({
        name: `r-${resourceClaimName}`,
        resourceClaimName,
      })),
    },
  };
}

/** A volume that is bound to a claim. */
export function volumeOf(claim: string, source: JsonObject, namespace = 'ns'): JsonObject {
  return { apiVersion: 'v1', kind: 'PersistentVolume', spec: { claimRef: { namespace, name: claim }, ...source } };
}

/** Reports a pod to the graph. */
export function addPod(graph: NodeGraph, name: string, nodeName: string, facts?: PodFacts, namespace = 'ns'): void {
  graph.podChanged(podOf(name, nodeName, facts, namespace), { namespace, name });
}

/** A resource request of the agent of a node. */
export function request(nodeName: string, verb: string, resource: string, facts: Partial<Attributes> = {}): Attributes {
  return {
    user: { username: `system:node:${nodeName}`, groups: ['system:nodes', 'system:authenticated'] },
    verb,
    resource,
    isResource: true,
    namespace: '',
    apiGroup: '',
    apiVersion: 'v1',
    subresource: '',
    name: '',
    path: '',
    ...facts,
  };
}
